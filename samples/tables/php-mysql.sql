-- The devices of a push service in PHP of 2010, as such scripts made them in MySQL: a row for each app and device.
CREATE TABLE apns_devices (
  pid int unsigned NOT NULL AUTO_INCREMENT,
  clientid varchar(64) NOT NULL,
  appname varchar(255) NOT NULL,
  deviceuid char(40) NOT NULL,
  devicetoken char(64) NOT NULL,
  development enum('production','sandbox') CHARACTER SET latin1 NOT NULL DEFAULT 'production',
  status enum('active','uninstalled') NOT NULL DEFAULT 'active',
  created datetime NOT NULL,
  modified timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (pid),
  KEY devicetoken (devicetoken)
) ENGINE=MyISAM DEFAULT CHARSET=latin1;
-- Two apps of one device; the last device came back later than the list says.
INSERT INTO apns_devices (clientid, appname, deviceuid, devicetoken, development, created, modified) VALUES
  ('1', 'mail', 'a1', '09fced57701f9d4ebe273b7c4949405eb19ff69230eb63a499f6f72e03ba8d07', 'production',
    '2012-10-04 08:30:00', '2013-03-01 12:00:00'),
  ('1', 'chat', 'a1', '09FCED57701F9D4EBE273B7C4949405EB19FF69230EB63A499F6F72E03BA8D07', 'production',
    '2012-11-04 08:30:00', '2013-02-01 12:00:00'),
  ('2', 'mail', 'b2', 'db21b8d81cf2b193c5c833cfc07e75fb46622974e1803e21be77ded4ea150f37', 'production',
    '2014-01-01 00:00:00', '2014-11-30 05:59:59'),
  ('3', 'mail', 'c3', '0001dc6c69d1ec35584c048b182267be6f1f0384e595c0e071bdd7ce79110ffb', 'production',
    '2019-01-01 00:00:00', '2020-02-02 00:00:00');
