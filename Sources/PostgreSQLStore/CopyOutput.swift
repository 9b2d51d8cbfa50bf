import CLibpq
import TokenStores
import WireBytes

/// The rows of a `COPY … TO STDOUT (FORMAT binary)`: a million of them take half the time that a result of libpq does.
/// The server sends each as a message of its own (PostgreSQL's documentation, Message Flow, COPY Operations).
final class CopyOutput {
  /// Signature and flags, and the length of an extension that is to be skipped.
  private static let headLength = 19

  private let connection: Connection
  private let types: [ServerType]
  private let fields: UnsafeMutableBufferPointer<SQLField>
  /// What libpq handed over last.
  private var message: UnsafeMutablePointer<CChar>?
  private var isBegun = false

  /// - Parameters:
  ///   - query: with its values as literals; a COPY takes no parameters.
  ///   - kinds: of its columns.
  init(_ query: String, _ kinds: [SQLKind], on connection: Connection) throws(ServerError) {
    self.connection = connection
    types = kinds.map(ServerType.init)
    fields = .allocate(capacity: kinds.count)
    fields.initialize(repeating: .null)
    try connection.run("COPY (\(query)) TO STDOUT (FORMAT binary)")
  }

  deinit {
    libpq.PQfreemem(message)
    fields.deallocate()
  }

  /// The fields of the next row, until the next call; nil after the last row.
  func next() throws(ServerError) -> SQLFields? {
    libpq.PQfreemem(message)
    message = nil
    let length = libpq.PQgetCopyData(connection.handle, &message, 0)
    if length == -1 {
      _ = try connection.finishCopy()
      return nil
    }
    guard length > 0, let message else { throw ServerError(nil, of: connection.handle) }
    let bytes = UnsafeRawBufferPointer(start: message, count: Int(length))
    var next = 0
    if !isBegun {
      guard bytes.count >= Self.headLength else { throw Self.foreign }
      next = Self.headLength + Int(bytes.bytes.bigEndianUInt32(at: Self.headLength - 4))
      isBegun = true
      if next == bytes.count { return try self.next() }
    }
    guard bytes.count - next >= 2 else { throw Self.foreign }
    let count = bytes.bytes.bigEndianUInt16(at: next)
    // -1 in place of the number ends the rows; what libpq says then is the end of the COPY.
    if count == .max { return try self.next() }
    guard Int(count) == fields.count, read(bytes, from: next + 2) else { throw Self.foreign }
    return SQLFields(fields)
  }

  private static let foreign = ServerError(
    state: "", message: "the server sent what is no row of a COPY", isLost: false)

  /// False where something is missing.
  private func read(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var next = start
    for index in fields.indices {
      guard bytes.count - next >= 4 else { return false }
      let length = Int(Int32(bitPattern: bytes.bytes.bigEndianUInt32(at: next)))
      next += 4
      guard length >= 0 else {
        fields[index] = .null
        continue
      }
      guard length <= bytes.count - next else { return false }
      let value = UnsafeRawBufferPointer(rebasing: bytes[next..<next + length])
      next += length
      switch types[index] {
      case .text: fields[index] = .text(value)
      case .bytea, .tid: fields[index] = .bytes(value)
      case .bigint, .timestamptz, .timestamp:
        // An integer constant has four bytes.
        guard length == 8 || length == 4 else { return false }
        let number =
          length == 4
          ? Int64(Int32(bigEndian: value.loadUnaligned(as: Int32.self)))
          : Int64(bigEndian: value.loadUnaligned(as: Int64.self))
        fields[index] = .integer(types[index].decoded(number))
      }
    }
    return true
  }
}
