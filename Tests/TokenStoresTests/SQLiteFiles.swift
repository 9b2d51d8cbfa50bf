import Foundation
import GRDB
import TestSupport

extension TemporaryFiles {
  func file(_ name: String = "tokens.sqlite") -> String { "\(path)/\(name)" }

  /// The names of the files in it, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

func bytes(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

/// Runs statements as another program would.
func sqlite(_ path: String, _ sql: String) throws {
  try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
}

func integer(_ path: String, _ sql: String) throws -> Int? {
  try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: sql) }
}

/// Runs `body` while another program has the write lock.
func withWriteLock<Result>(on path: String, _ body: () throws -> Result) throws -> Result {
  let other = try DatabaseQueue(path: path)
  return try other.writeWithoutTransaction { database in
    try database.beginTransaction(.immediate)
    defer { try? database.rollback() }
    return try body()
  }
}
