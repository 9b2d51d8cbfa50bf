import CLibpq
import WireBytes

/// Where a row is in its table, as the server's type `tid` has it: good within one snapshot alone.
struct RowPlace {
  /// Bytes of the binary format.
  static let length = 6

  var block: UInt32
  var line: UInt16

  /// - Parameter bytes: `length` of them.
  init(_ bytes: RawSpan) {
    block = bytes.bigEndianUInt32(at: 0)
    line = bytes.bigEndianUInt16(at: 4)
  }
}

/// The rows of a `COPY … TO STDOUT (FORMAT binary)`: a million of them take half the time that a result of libpq does.
/// The server sends each as a message of its own (PostgreSQL's documentation, Message Flow, COPY Operations).
final class CopyOutput {
  /// Signature and flags, and the length of an extension that is to be passed over.
  private static let headLength = 19

  private let connection: Connection
  /// What libpq handed over last.
  private var message: UnsafeMutablePointer<CChar>?
  private var isBegun = false

  /// - Parameter query: with its values as literals; a COPY takes no parameters.
  init(_ query: String, on connection: Connection) throws(ServerError) {
    self.connection = connection
    try connection.run("COPY (\(query)) TO STDOUT (FORMAT binary)")
  }

  deinit { libpq.PQfreemem(message) }

  /// The fields of the next row, behind their number, until the next call; nil behind the last row.
  func next() throws(ServerError) -> UnsafeRawBufferPointer? {
    libpq.PQfreemem(message)
    message = nil
    let length = libpq.PQgetCopyData(connection.handle, &message, 0)
    if length == -1 {
      _ = try connection.finishCopy()
      return nil
    }
    guard length > 0, let message else { throw ServerError(nil, of: connection.handle) }
    let bytes = UnsafeRawBufferPointer(start: message, count: Int(length))
    guard let fields = fields(of: bytes) else {
      throw ServerError(state: "", message: "the server sent what is no row of a COPY", isLost: false)
    }
    // -1 in place of the number ends the rows; what libpq says then is the end of the COPY.
    return fields.isEmpty ? try next() : fields
  }

  private func fields(of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var start = 0
    if !isBegun {
      guard message.count >= Self.headLength else { return nil }
      start = Self.headLength + Int(message.bytes.bigEndianUInt32(at: Self.headLength - 4))
      isBegun = true
    }
    if message.count == start { return FieldReading.nothing }
    guard message.count - start >= 2 else { return nil }
    return UnsafeRawBufferPointer(rebasing: message[(start + 2)...])
  }
}

/// Reads the fields of a row of `CopyOutput`, one after the other.
struct FieldReading {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  /// Whether all that was read was there.
  private(set) var isSound = true

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next field, empty where it is null or missing.
  mutating func field() -> UnsafeRawBufferPointer {
    guard bytes.count - place >= 4 else { return missing() }
    let length = Int(Int32(bitPattern: bytes.bytes.bigEndianUInt32(at: place)))
    place += 4
    guard length > 0 else { return Self.nothing }
    guard length <= bytes.count - place else { return missing() }
    defer { place += length }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + length])
  }

  static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private mutating func missing() -> UnsafeRawBufferPointer {
    isSound = false
    place = bytes.count
    return Self.nothing
  }

  /// The next field as a bigint, or the microseconds of a timestamptz; nil where it is null.
  mutating func integer() -> Int64? {
    let field = field()
    guard field.count == 8 else {
      if !field.isEmpty { isSound = false }
      return nil
    }
    return Int64(bigEndian: field.loadUnaligned(as: Int64.self))
  }
}
