import Foundation

/// A directory for a test's files, which is removed with the value.
package final class TemporaryFiles {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("apnsift-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path; directories on the way to it are made.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String = "dump") throws -> String {
    let file = "\(path)/\(name)"
    let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}

/// Files that the tests share, in Tests/Fixtures.
package enum Fixtures {
  package static func data(_ name: String) throws -> Data {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appendingPathComponent("Fixtures").appendingPathComponent(name))
  }
}
