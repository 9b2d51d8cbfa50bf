import CLibpq

/// Rows on their way into a table, in the format of `COPY … (FORMAT binary)`, gathered in one buffer.
final class BinaryCopy {
  /// Bytes that are handed to libpq at once.
  private static let capacity = 1 << 18
  /// What begins the format: its signature, then no flags and no extension.
  private static let header: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)

  private let connection: Connection
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private var used = 0
  /// Rows that were added.
  private(set) var count = 0

  /// Runs `body` between the beginning and the end of a COPY into `table`, and returns how many rows it added.
  static func run(
    into table: String, on connection: Connection, _ body: (BinaryCopy) throws -> Void
  ) throws -> Int {
    try connection.run("COPY \(table) FROM STDIN (FORMAT binary)")
    let copy = BinaryCopy(connection)
    do {
      try header.withUnsafeBytes { try copy.append($0) }
      try body(copy)
      // In place of a row's number of fields, -1 ends the rows.
      try copy.appendInteger(Int16(-1))
      try copy.flush()
    } catch {
      try? copy.end(with: "given up")
      throw error
    }
    try copy.end(with: nil)
    return copy.count
  }

  private init(_ connection: Connection) { self.connection = connection }

  deinit { buffer.deallocate() }

  /// Adds the row `(token, time)`, or `(token, time, number)` where the row's number from 1 is asked for.
  func append(_ token: RawSpan, _ time: UInt32, isNumbered: Bool) throws(ServerError) {
    count += 1
    try appendInteger(Int16(isNumbered ? 3 : 2))
    try appendInteger(Int32(clamping: token.byteCount))
    try token.withUnsafeBytes { bytes throws(ServerError) in try append(bytes) }
    try appendField(Timestamp.microseconds(of: time))
    if isNumbered { try appendField(Int64(count)) }
  }

  private func appendField(_ value: Int64) throws(ServerError) {
    try appendInteger(Int32(8))
    try appendInteger(value)
  }

  private func appendInteger<Value: FixedWidthInteger>(_ value: Value) throws(ServerError) {
    let size = MemoryLayout<Value>.size
    if used + size > buffer.count { try flush() }
    buffer.storeBytes(of: value.bigEndian, toByteOffset: used, as: Value.self)
    used += size
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws(ServerError) {
    if bytes.count > buffer.count - used {
      try flush()
      // What is larger than the buffer goes by itself.
      if bytes.count > buffer.count { return try send(bytes) }
    }
    UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyMemory(from: bytes)
    used += bytes.count
  }

  private func flush() throws(ServerError) {
    try send(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
    used = 0
  }

  private func send(_ bytes: UnsafeRawBufferPointer) throws(ServerError) {
    let text = bytes.bindMemory(to: CChar.self)
    guard PQputCopyData(connection.handle, text.baseAddress, Int32(clamping: text.count)) == 1 else {
      throw ServerError(nil, of: connection.handle)
    }
  }

  /// Ends the COPY, with a reason where it is to fail, and takes what the server says of it.
  private func end(with reason: String?) throws(ServerError) {
    let handle = connection.handle
    guard PQputCopyEnd(handle, reason) == 1 else { throw ServerError(nil, of: handle) }
    var failure: ServerError?
    while let result = PQgetResult(handle) {
      do throws(ServerError) { _ = try connection.checked(result) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
