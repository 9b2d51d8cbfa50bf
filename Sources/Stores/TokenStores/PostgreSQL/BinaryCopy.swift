import CLibpq

/// Buffers rows for `COPY … FROM STDIN (FORMAT binary)`.
final class BinaryCopy {
  /// Bytes that are sent at once.
  private static let capacity = 1 << 18
  /// The signature, then no flags and no extension.
  private static let header: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)

  private let connection: Connection
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private var used = 0

  /// Runs `body`, which adds rows, during a COPY into `table`. Returns how many rows the server wrote: fewer than were
  /// sent if a trigger ignored some.
  ///
  /// - Parameter table: its name, and the columns in the order in which `body` adds them.
  @discardableResult
  static func run(
    into table: String, on connection: Connection, _ body: (BinaryCopy) throws -> Void
  ) throws -> Int {
    try connection.run("COPY \(table) FROM STDIN (FORMAT binary)")
    let copy = BinaryCopy(connection)
    do {
      try header.withUnsafeBytes { try copy.append($0) }
      try body(copy)
      // -1 instead of a row's number of fields ends the rows.
      try copy.appendInteger(Int16(-1))
      try copy.flush()
    } catch {
      _ = try? copy.end(with: "cancelled")
      throw error
    }
    return try copy.end(with: nil)
  }

  private init(_ connection: Connection) { self.connection = connection }

  deinit { buffer.deallocate() }

  func add(_ row: SQLFields, _ types: [ServerType]) throws {
    try appendInteger(Int16(clamping: row.count))
    for index in row.indices {
      try types[index].withEncoded(row[index]) { bytes in
        guard let bytes else { return try appendInteger(Int32(-1)) }
        try appendInteger(Int32(clamping: bytes.count))
        try append(bytes)
      }
    }
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
      // A value that is larger than the buffer is sent directly.
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
    guard libpq.PQputCopyData(connection.handle, text.baseAddress, Int32(clamping: text.count)) == 1 else {
      throw ServerError(nil, of: connection.handle)
    }
  }

  /// Ends the COPY, with a reason if it must fail. Returns how many rows the server wrote.
  private func end(with reason: String?) throws(ServerError) -> Int {
    guard libpq.PQputCopyEnd(connection.handle, reason) == 1 else {
      throw ServerError(nil, of: connection.handle)
    }
    return try connection.finishCopy()
  }
}
