import Basics
import Foundation
import Testing

/// A directory of one test, in which its programs run. It is removed with the value.
package final class TestDirectory {
  package let path: String
  /// TMPDIR of the programs.
  package let temporaryPath: String

  /// Where it cannot be made, the test fails.
  /// - Parameter files: what is in it, by name.
  package init(_ files: [String: any Collection<UInt8>] = [:]) {
    let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let base = parent.appendingPathComponent("apnsift-command-\(UUID().uuidString)").path
    path = "\(base)/files"
    temporaryPath = "\(base)/temporary"
    do {
      for directory in [path, temporaryPath] {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      }
      for (name, bytes) in files { try write(bytes, to: name) }
    } catch { Issue.record(error) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: String(path.dropLast("/files".count)))
  }

  /// The names in the directory, sorted.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Likewise of a directory in it.
  package func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(of: name)).sorted()
  }

  /// What programs left of their temporary files.
  package var temporaryNames: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporaryPath) }
  }

  package func path(of name: String) -> String { name.hasPrefix("/") ? name : "\(path)/\(name)" }

  package func bytes(of name: String) throws -> [UInt8] {
    try Descriptor(opening: path(of: name), O_RDONLY).readAll()
  }

  package func text(of name: String) throws -> String { String(decoding: try bytes(of: name), as: UTF8.self) }

  package func exists(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

  /// Makes a file, and the directories on the way to it.
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws {
    if let slash = name.lastIndex(of: "/") {
      try FileManager.default.createDirectory(
        atPath: path(of: String(name[..<slash])), withIntermediateDirectories: true)
    }
    try Descriptor(opening: path(of: name), O_WRONLY | O_CREAT | O_TRUNC).write(bytes)
  }

  package func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  package func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(of: name), withIntermediateDirectories: true)
  }

  package func makePipe(_ name: String) throws {
    guard mkfifo(path(of: name), 0o600) == 0 else { throw SystemCallError("making \(name)", errno) }
  }

  package func makeLink(_ name: String, to target: String) throws {
    guard symlink(target, path(of: name)) == 0 else { throw SystemCallError("linking \(name)", errno) }
  }
}
