import Analysis
import Basics
import Foundation
import TestSupport
import Testing

/// A file system of 256 KiB in memory, which only root can mount.
private final class SmallDisk {
  private let files: TemporaryFiles
  var path: String { files.path }

  static let isPossible = (try? SmallDisk()) != nil

  init() throws {
    let files = TemporaryFiles()
    guard try Self.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", files.path]) == 0 else {
      throw CocoaError(.fileWriteNoPermission)
    }
    self.files = files
  }

  // Lazily: a table that goes after the disk still has its file open there.
  deinit { _ = try? Self.run(["umount", "-l", path]) }

  private static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

@Suite("A full disk", .enabled("mounting a small file system takes root") { SmallDisk.isPossible })
struct FullDiskTests {
  @Test("is an error that names the directory and the remedy")
  func temporaryFile() throws {
    let disk = try SmallDisk()
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: disk.path)
    var generator = SeededGenerator(seed: 12)
    let error = #expect(throws: TokenTableError.self) {
      for _ in 0..<2000 {
        let tuple = Tuples.of(generator.bytes(2000))
        try table.add(.sample(tokenLength: 2000), in: tuple.span.bytes, counts: true)
      }
    }
    let message = Message(
      "cannot write the temporary file in \(disk.path): No space left on device; set TMPDIR to a "
        + "directory with more space, or raise --memory")
    #expect(error?.message == message)
  }
}
