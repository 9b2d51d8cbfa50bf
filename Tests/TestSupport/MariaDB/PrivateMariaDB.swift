import Foundation
import Platform
import Synchronization

/// A MariaDB server that these tests start for themselves, by scripts/private-mariadb. It ends with the process.
package final class PrivateMariaDB: Sendable {
  /// One for all tests of a process; an error where it cannot be started, which fails every test that asks.
  package static let shared = Result { try PrivateMariaDB() }

  /// Where its socket is.
  package let directory: String
  /// The script lives until this end of its standard input is closed, by the end of the process at the latest.
  private let lifeline: Int32
  private let databases = Mutex(0)

  /// - Parameter options: of mariadbd, as `--name=value`.
  package init(_ options: [String] = []) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let script = Process()
    script.executableURL = root.appendingPathComponent("scripts/private-mariadb")
    script.arguments = options
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
        throw MariaDBFailure("scripts/private-mariadb could not start a server, see its message")
      }
      answer += more
    }
    directory = String(decoding: answer.dropLast(), as: UTF8.self)
  }

  deinit { close(lifeline) }

  package var socket: String { directory + "/socket" }

  /// Makes a database of a test's own, and returns its name.
  package func makeDatabase(_ options: String = "") throws -> String {
    let name = databases.withLock { number in
      number += 1
      return "test\(number)"
    }
    try MariaDBSession(self, database: "mysql").run("CREATE DATABASE \(name) \(options)")
    return name
  }

  /// - Parameter user: with a password behind a colon, if any.
  package func uri(_ database: String, user: String = "root") -> String {
    "mysql://\(user)@/\(database)?socket=\(socket)"
  }
}

package struct MariaDBFailure: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
