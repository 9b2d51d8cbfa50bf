-- Rows for either. User 3's device was made after its tuple; user 5's is inactive already; user 7's has no tuple.
INSERT INTO push_notifications_apnsdevice (name, active, date_created, device_id, registration_id, user_id) VALUES
  ('phone', true, '2013-01-05 17:02:11.500000', '6f1c2a908d3b4e57a1c0d9e8f7061524',
    '09fced57701f9d4ebe273b7c4949405eb19ff69230eb63a499f6f72e03ba8d07', 1),
  (NULL, true, '2019-12-01 21:40:09.750000', NULL,
    '5cc491865c428ace44de7f43864813e3db128f3532af65308c41e9fbd9e325e3', 3),
  ('tablet', true, '2014-11-30 05:59:59.999999', NULL,
    'db21b8d81cf2b193c5c833cfc07e75fb46622974e1803e21be77ded4ea150f37', 4),
  (NULL, false, '2012-01-02 03:04:05', NULL,
    'c4c7900ce8317b86773f369dee7f82bf75208b03aa05fe637fc7cdc3156c295c', 5),
  ('phone', true, '2018-08-08 08:08:08', '0d9f3b1e7a5c4826b3e1f0a9d8c7b6e5',
    '6d1fd0c7b1a3f20c9b6f1f0e37a5d2c4885b1e92f3a74cd06b29e8170a4d5c3e', 7);
