import CLibpq

/// Buffers rows for `COPY … FROM STDIN (FORMAT binary)`.
final class BinaryCopy {
  /// Bytes that are sent at once.
  private static let capacity = 1 << 18
  /// The signature, then no flags and no extension.
  private static let header: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)

  private let connection: Connection
  private var bytes = header

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
      try body(copy)
      // -1 instead of a row's number of fields ends the rows.
      copy.bytes.append(bigEndian: Int16(-1))
      try copy.send()
    } catch {
      _ = try? copy.end(with: "cancelled")
      throw error
    }
    return try copy.end(with: nil)
  }

  private init(_ connection: Connection) { self.connection = connection }

  func add(_ row: SQLFields, _ types: [ServerType]) throws {
    bytes.append(bigEndian: Int16(clamping: row.count))
    for index in row.indices { types[index].append(row[index], to: &bytes) }
    if bytes.count >= Self.capacity { try send() }
  }

  private func send() throws(DatabaseError) {
    let code = bytes.withUnsafeBytes { bytes in
      libpq.PQputCopyData(
        connection.handle, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count))
    }
    guard code == 1 else { throw DatabaseError(nil, of: connection.handle) }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Ends the COPY, with a reason if it must fail. Returns how many rows the server wrote.
  private func end(with reason: String?) throws(DatabaseError) -> Int {
    guard libpq.PQputCopyEnd(connection.handle, reason) == 1 else {
      throw DatabaseError(nil, of: connection.handle)
    }
    return try connection.finishCopy()
  }
}
