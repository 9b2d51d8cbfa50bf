import Foundation
import Testing

/// A directory for a test's files, which is removed with the value.
package final class TemporaryFiles {
  package let path: String

  /// Where it cannot be made, the test fails.
  package init() {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("apnsift-\(UUID().uuidString)")
    path = url.path
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    } catch { Issue.record(error) }
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
  package static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/\(name)")
  }

  package static func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }
}

/// What a command line tool prints for `input`; nil if this machine lacks it.
package func outputOf(_ tool: String, _ arguments: [String], input: [UInt8]) throws -> [UInt8]? {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try Data(input).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [tool] + arguments + [file.path]
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return process.terminationStatus == 127 ? nil : [UInt8](output)
}
