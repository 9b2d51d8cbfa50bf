import Basics
import Foundation
import Synchronization

/// A script that runs a server for these tests. The server ends with the process.
final class ServerScript: Sendable {
  /// The directory of the server's socket.
  let directory: String
  /// The script ends when this end of its standard input is closed, by the end of the process at the latest.
  private let lifeline: Int32
  private let databases = Mutex(0)

  /// Returns when the server answers.
  /// - Parameter name: in `scripts`.
  init(_ name: String, _ arguments: [String]) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let script = Process()
    script.executableURL = root.appendingPathComponent("scripts/\(name)")
    script.arguments = arguments
    let input = Pipe()
    let output = Pipe()
    (script.standardInput, script.standardOutput) = (input, output)
    // Neither a server nor another program that is started later may keep it open.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    lifeline = fcntl(input.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    try script.run()
    try input.fileHandleForWriting.close()
    var answer: [UInt8] = []
    while answer.last != 0x0a {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw ServerError("scripts/\(name) could not start a server, see its message") }
      answer += more
    }
    directory = String(decoding: answer.dropLast(), as: UTF8.self)
  }

  deinit { close(lifeline) }

  /// A name for the database of a test.
  func newDatabase() -> String {
    databases.withLock { number in
      number += 1
      return "test\(number)"
    }
  }
}

package struct ServerError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

/// A connection of another program to a server.
package protocol ServerSession {
  /// Runs one statement. Returns its rows with their values as text, null as nil.
  @discardableResult
  func run(_ sql: String) throws -> [[String?]]
}

extension ServerSession {
  /// Runs the query `sql` until it returns true.
  package func wait(until sql: String) throws {
    while try !["1", "t"].contains(run(sql).first?.first) {}
  }
}
