import Foundation
import StoreTestSupport
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
func sqlite(_ path: String, _ sql: String) throws { try SQLiteClient(path).run(sql) }

func integer(_ path: String, _ sql: String) throws -> Int? {
  try SQLiteClient(path).run(sql).first?.first?.flatMap { Int($0) }
}
