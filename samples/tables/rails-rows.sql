-- Rows for either. Users 1 and 2 share a device; user 5's is dead already; user 6's is a developer's; user 8 has an Android.
INSERT INTO devices (user_id, token, platform, bundle_id, environment, created_at, updated_at, unregistered_at) VALUES
  (1, '09fced57701f9d4ebe273b7c4949405eb19ff69230eb63a499f6f72e03ba8d07', 'ios', 'com.example.mail', 'production',
    '2012-10-04 08:30:00.125000', '2013-01-05 17:02:11.500000', NULL),
  (2, '09FCED57701F9D4EBE273B7C4949405EB19FF69230EB63A499F6F72E03BA8D07', 'ios', 'com.example.mail', 'production',
    '2013-03-01 12:00:00.000000', '2013-03-01 12:00:00.000000', NULL),
  (3, '5cc491865c428ace44de7f43864813e3db128f3532af65308c41e9fbd9e325e3', 'ios', 'com.example.mail', 'production',
    '2014-05-20 06:15:42.031250', '2019-12-01 21:40:09.750000', NULL),
  (4, 'db21b8d81cf2b193c5c833cfc07e75fb46622974e1803e21be77ded4ea150f37', 'ios', 'com.example.mail', 'production',
    '2013-07-19 10:11:12.000000', '2014-11-30 05:59:59.999999', NULL),
  (5, 'c4c7900ce8317b86773f369dee7f82bf75208b03aa05fe637fc7cdc3156c295c', 'ios', 'com.example.mail', 'production',
    '2012-01-02 03:04:05.000000', '2012-12-01 00:00:00.000000', '2012-12-01 00:00:00.000000'),
  (6, '2ff746f8c1334e9160186526a7fae0dcad3dc614d94988d37275b978ad9486cc', 'ios', 'com.example.mail', 'development',
    '2014-02-03 09:00:00.000000', '2014-02-03 09:00:00.000000', NULL),
  (7, '6d1fd0c7b1a3f20c9b6f1f0e37a5d2c4885b1e92f3a74cd06b29e8170a4d5c3e', 'ios', 'com.example.mail', 'production',
    '2018-08-08 08:08:08.000000', '2018-08-08 08:08:08.000000', NULL),
  (8, 'dQw4w9:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx', 'android', 'com.example.mail', 'production',
    '2017-06-01 10:00:00.000000', '2017-06-01 10:00:00.000000', NULL);
