/// The 5 bytes before each record.
struct RecordHeader {
  static let length = 5
  /// The longest fragment of any version: 2^14 bytes and 2048 of padding, MAC and compression.
  static let maxFragment = (1 << 14) + 2048

  enum ContentType {
    static let changeCipherSpec: UInt8 = 20
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let application: UInt8 = 23
    static let heartbeat: UInt8 = 24
  }

  var type: UInt8
  var version: UInt16
  var fragmentLength: Int

  /// Nil unless it is plausible. There are 5 bytes.
  /// - Parameter expected: the version that the connection's records have; nil: any from SSL 3.0 to TLS 1.2.
  init?(_ bytes: UnsafePointer<UInt8>, version expected: UInt16?) {
    type = bytes[0]
    version = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
    fragmentLength = Int(bytes[3]) << 8 | Int(bytes[4])
    guard (ContentType.changeCipherSpec...ContentType.heartbeat).contains(type),
      expected.map({ version == $0 }) ?? (0x0300...0x0303).contains(version),
      fragmentLength <= Self.maxFragment
    else { return nil }
    // Only data may be empty.
    if fragmentLength == 0, type != ContentType.application { return nil }
  }

  var recordLength: Int { Self.length + fragmentLength }
}

package struct Fragment {
  let type: UInt8
  let start: UnsafePointer<UInt8>
  let count: Int

  package init(type: UInt8, start: UnsafePointer<UInt8>, count: Int) {
    (self.type, self.start, self.count) = (type, start, count)
  }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
}

/// Where a record is among those of its keys.
package struct RecordPosition {
  /// The record's number since the keys are in use.
  var sequence: UInt64
  /// Bytes of the key stream before the fragment; only of RC4.
  var keystream: Int

  package init(sequence: UInt64 = 0, keystream: Int = 0) {
    (self.sequence, self.keystream) = (sequence, keystream)
  }

  /// The position if `records` more are in the bytes before it: each has a number, and a header without key stream.
  func passing(_ records: Int) -> RecordPosition {
    RecordPosition(
      sequence: sequence &+ UInt64(records), keystream: keystream - RecordHeader.length * records)
  }
}
