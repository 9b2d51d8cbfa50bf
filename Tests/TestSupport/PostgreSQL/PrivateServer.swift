import Foundation
import Platform
import Synchronization

/// A PostgreSQL server that these tests start for themselves, by scripts/private-postgres. It ends with the process.
package final class PrivateServer: Sendable {
  /// One for all tests of a process; an error where it cannot be started, which fails every test that asks.
  package static let shared = Result { try PrivateServer() }

  /// Where its socket is.
  package let directory: String
  /// The script lives until this end of its standard input is closed, by the end of the process at the latest.
  private let lifeline: Int32
  private let databases = Mutex(0)

  private init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let script = Process()
    script.executableURL = root.appendingPathComponent("scripts/private-postgres")
    // Commits wait for nobody, unless a test asks for it: then for a standby that never comes.
    script.arguments = [
      "synchronous_commit=local", "synchronous_standby_names=nobody", "shared_buffers=64MB",
    ]
    let input = Pipe()
    let output = Pipe()
    (script.standardInput, script.standardOutput) = (input, output)
    // Neither a server nor another program that is started later may hold it open.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    lifeline = fcntl(input.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    try script.run()
    try input.fileHandleForWriting.close()
    var answer: [UInt8] = []
    while answer.last != 0x0a {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        throw ServerFailure("scripts/private-postgres could not start a server, see its message")
      }
      answer += more
    }
    directory = String(decoding: answer.dropLast(), as: UTF8.self)
  }

  /// Makes a database of a test's own, and returns its name.
  package func makeDatabase(_ options: String = "") throws -> String {
    let name = databases.withLock { number in
      number += 1
      return "test\(number)"
    }
    try Session(self, database: "postgres").run("CREATE DATABASE \(name) \(options)")
    return name
  }

  /// - Parameter user: with a password behind a colon, if any.
  package func uri(_ database: String, user: String = "postgres", options: String = "") -> String {
    "postgresql://\(user)@/\(database)?host=\(directory)" + (options.isEmpty ? "" : "&\(options)")
  }
}

package struct ServerFailure: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
