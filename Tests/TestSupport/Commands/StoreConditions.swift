import Foundation
import Testing

/// Another program, SQLite's own tool, with the write lock of a store.
package final class LockHolder {
  private let child: ChildProcess
  private let commands: Descriptor

  /// Returns when the lock is taken.
  package init(of store: String, in directory: TestDirectory) throws {
    let (reading, writing) = try makePipe()
    let (answers, answering) = try makePipe()
    commands = writing
    child = try directory.start(
      "/usr/bin/env", ["sqlite3", "-batch", "-bail", store].map { Array($0.utf8) }, input: reading.number,
      output: answering.number, errors: answering.number)
    // The echo is another program's: the tool itself keeps its output until it ends.
    try commands.write(Array("BEGIN IMMEDIATE;\n.shell echo locked\n".utf8))
    answering.close()
    let answer = String(decoding: try answers.read(), as: UTF8.self)
    try #require(answer == "locked\n", "\(answer)")
  }

  /// Releases the lock, and waits for that.
  package func release() throws {
    commands.close()
    try child.wait()
  }
}

/// Root may write everything, so unwritable files are tested as another user.
package enum Unprivileged {
  /// What goes before a command line.
  package static let prefix = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""

  /// Whether the command can be run that way here.
  package static let isPossible: Bool = {
    guard geteuid() == 0 else { return true }
    let outcome = try? TestDirectory().shell("\(prefix) \"$APNSIFT\" --version")
    return outcome?.code == 0
  }()
}
