import Basics
import CLibmariadb

/// Answers the server's requests for a local file: with the rows of the running LOAD DATA, and with an error at any
/// other time. libmariadb itself would send any file of this machine.
final class MySQLFile {
  /// Nil if none is expected to be requested.
  private var rest: UnsafeRawBufferPointer?

  func install(on handle: UnsafeMutablePointer<MYSQL>) {
    libmariadb.mysql_set_local_infile_handler(
      handle,
      { file, _, this in
        file?.pointee = this
        return MySQLFile.found(this)?.rest == nil ? 1 : 0
      },
      { this, buffer, length in
        guard let file = MySQLFile.found(this), let buffer else { return -1 }
        return file.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(length)))
      }, { _ in },
      { _, buffer, length in
        if let buffer { strncpy(buffer, "the server requested a local file, which is refused", Int(length)) }
        // libmariadb's code for an unknown error.
        return 2000
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func found(_ pointer: UnsafeMutableRawPointer?) -> MySQLFile? {
    pointer.map { Unmanaged<MySQLFile>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body`, during which the server may read `bytes`.
  func open<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () throws -> Result) rethrows -> Result {
    rest = bytes
    defer { rest = nil }
    return try body()
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard let bytes = rest else { return -1 }
    let count = min(buffer.count, bytes.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
    return Int32(count)
  }
}

extension MySQLConnection {
  /// Runs a LOAD DATA LOCAL INFILE that reads `lines`; returns how many rows the server wrote.
  ///
  /// With LOCAL, errors of an INSERT become warnings, and the row is altered or skipped. They are errors again here,
  /// but rows were written: the transaction must be rolled back.
  func load(_ statement: [UInt8], _ lines: [UInt8], count: Int) throws -> Int {
    let written = try lines.withUnsafeBytes { try file.open($0) { try visit(statement) } }
    guard warningCount > 0 else { return written }
    var error = DatabaseError(.failed, "\(Int(warningCount)) of \(count) rows do not fit")
    try visit("SHOW WARNINGS LIMIT 1") { row in
      guard row.count == 3, let code = row[1].integer, let message = row[2].text else { return }
      error = DatabaseError(code: Int(code), .verbatim(message))
    }
    throw error
  }
}
