PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE device_tokens (
  app TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
  token BLOB NOT NULL CHECK (typeof(token) = 'blob'),
  registered_at INTEGER CHECK (registered_at IS NULL OR typeof(registered_at) = 'integer'),
  invalidated_at INTEGER CHECK (invalidated_at IS NULL OR typeof(invalidated_at) = 'integer'),
  PRIMARY KEY (app, environment, token)
) WITHOUT ROWID;
INSERT INTO device_tokens VALUES('com.example.app','production',X'1032746e7e3338a630f96b947de5165b7511f00a0fb4f7fc0e99b1c74b0f77cd',NULL,1400000300);
INSERT INTO device_tokens VALUES('com.example.app','production',X'18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0',NULL,1400000100);
INSERT INTO device_tokens VALUES('com.example.app','production',X'5513e3eabba6d75402c1c34c7365c6fac01024589d0a6996329255cd18fec5cc',NULL,1400000000);
INSERT INTO device_tokens VALUES('com.example.app','production',X'575671dc5db4dfa97dcab0aedb95930d4e4f109a0b0751739cb0e04461f26730',NULL,1400000500);
INSERT INTO device_tokens VALUES('com.example.app','production',X'5cb0cce7444533ba30bcc9f40a7814c1cb9ea034264bfb894ad44de5a756191f',NULL,1400000400);
INSERT INTO device_tokens VALUES('com.example.app','production',X'98ce94b2b196906ca4859e068b8ef92e6de9e641972d54de4af1d6eaa6431147',NULL,1400000200);
CREATE TABLE apnsift_replays (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  version TEXT NOT NULL,
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  options TEXT NOT NULL,
  tuples INTEGER NOT NULL,
  invalidated INTEGER NOT NULL, updated INTEGER NOT NULL, inserted INTEGER NOT NULL,
  unchanged INTEGER NOT NULL, kept INTEGER NOT NULL, unknown INTEGER NOT NULL, rejected INTEGER NOT NULL,
  first_change INTEGER NOT NULL,
  mapping TEXT,
  undoes INTEGER REFERENCES apnsift_replays (id),
  changed_rows INTEGER
);
INSERT INTO apnsift_replays VALUES(1,1795676147,'1.0.0','com.example.app','production','{"input":{"from":"auto","map":null,"protocol":"auto","token_length":"32","max_token_length":100,"max_payload":4096,"max_pending":1000000,"earliest":1245196800,"latest":1619740800,"memory":1073741824,"max_expansion":1073741824,"min_chain":3,"max_members":1000000,"max_depth":4,"max_content":68719476736,"strict":false,"feedback_ports":[2196],"gateway_ports":[2195],"filter":null,"join":false,"reorder_window":4096,"stream_buffer":16777216,"total_buffer":67108864,"fragment_buffer":16777216,"max_connections":262144,"max_packet":16777216,"keys":[],"rsa_keys":[],"psk":[],"embedded_keys":true,"decrypt":true},"known_only":false,"include_flagged":false,"partial":false,"skip_unreadable":false,"from_errors":false,"other_app":false,"grace":0,"max_invalidate":"25%"}',6,0,0,6,0,0,0,0,1,NULL,NULL,6);
INSERT INTO apnsift_replays VALUES(2,1795676147,'1.0.0','com.example.app','production','{"input":{"from":"auto","map":null,"protocol":"auto","token_length":"32","max_token_length":100,"max_payload":4096,"max_pending":1000000,"earliest":1245196800,"latest":1619740800,"memory":1073741824,"max_expansion":1073741824,"min_chain":3,"max_members":1000000,"max_depth":4,"max_content":68719476736,"strict":false,"feedback_ports":[2196],"gateway_ports":[2195],"filter":null,"join":false,"reorder_window":4096,"stream_buffer":16777216,"total_buffer":67108864,"fragment_buffer":16777216,"max_connections":262144,"max_packet":16777216,"keys":[],"rsa_keys":[],"psk":[],"embedded_keys":true,"decrypt":true},"known_only":false,"include_flagged":false,"partial":false,"skip_unreadable":false,"from_errors":false,"other_app":false,"grace":0,"max_invalidate":"25%"}',6,0,3,3,0,0,0,0,2,NULL,NULL,6);
INSERT INTO apnsift_replays VALUES(3,1795676147,'1.0.0','com.example.app','production','{}',0,0,6,0,0,0,0,0,3,NULL,2,6);
CREATE TABLE apnsift_inputs (
  replay INTEGER NOT NULL REFERENCES apnsift_replays (id),
  source TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL
);
INSERT INTO apnsift_inputs VALUES(1,'first.bin','fb62e5ac990a2ba3e5f8ea1ccd3188669ca660e50b3b47920928add51c6cfa38',228);
INSERT INTO apnsift_inputs VALUES(2,'second.bin','6af00c8480aad3ed2d350f20494ea96adc99c389989f3f1c77fd36869cbf568f',228);
CREATE TABLE apnsift_changes (
  id INTEGER PRIMARY KEY,
  packed BLOB NOT NULL
);
INSERT INTO apnsift_changes VALUES(1,X'1001007204201032746e7e3338a630f96b947de5165b7511f00a0fb4f7fc0e99b1c74b0f77cd0000000053724f2c0b0000010000000053724f2c0010010026042018d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb00000000053724e640b0000010000000053724e64001001000004205513e3eabba6d75402c1c34c7365c6fac01024589d0a6996329255cd18fec5cc0000000053724e000b0000010000000053724e0000100100be010420575671dc5db4dfa97dcab0aedb95930d4e4f109a0b0751739cb0e04461f267300000000053724ff40b0000010000000053724ff400100100980104205cb0cce7444533ba30bcc9f40a7814c1cb9ea034264bfb894ad44de5a756191f0000000053724f900b0000010000000053724f90001001004c042098ce94b2b196906ca4859e068b8ef92e6de9e641972d54de4af1d6eaa64311470000000053724ec80b0000010000000053724ec800');
INSERT INTO apnsift_changes VALUES(2,X'1101000006201032746e7e3338a630f96b947de5165b7511f00a0fb4f7fc0e99b1c74b0f77cd0000000053724f2c0000000053724f5e1300010000000053724f2c010000000053724f5e00100100be01042019a5b2cb90c86ba7d819a7a7d3c08cf7fe4c44fefca2c957b78b5dd6659a92ad00000000537251520b0000010000000053725152001001009801042019b6554daa8a89aac1ab0cf47011177db54f653a08ea38fec7afcb0c893956fc00000000537250ee0b00000100000000537250ee001101004c0620575671dc5db4dfa97dcab0aedb95930d4e4f109a0b0751739cb0e04461f267300000000053724ff400000000537250261300010000000053724ff4010000000053725026001101002606205cb0cce7444533ba30bcc9f40a7814c1cb9ea034264bfb894ad44de5a756191f0000000053724f900000000053724fc21300010000000053724f90010000000053724fc2001001007204208d41881c930d92bbbdf2bb5a61fc1d099e97c75fe5a8b5355af1013f9aa1cbb6000000005372508a0b000001000000005372508a00');
CREATE INDEX apnsift_undos ON apnsift_replays (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX apnsift_inputs_by_digest ON apnsift_inputs (sha256);
COMMIT;
