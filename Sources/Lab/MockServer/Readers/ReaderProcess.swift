@preconcurrency import Basics

package enum ReaderCommand: Sendable {
  /// A line for /bin/sh.
  case line(String)
  /// A program and its arguments.
  case words([String])

  package var words: [String] {
    switch self {
    case .line(let line): ["/bin/sh", "-c", line]
    case .words(let words): words
    }
  }

  /// The reader's name in reports.
  package var name: String {
    switch self {
    case .line(let line): line
    case .words(let words): words.joined(separator: " ")
    }
  }
}

/// A running external reader.
final class ReaderProcess {
  private let process: SpawnedProcess

  /// - Parameters:
  ///   - descriptors: its descriptors 0, 1 and 2.
  ///   - changes: environment variables to set.
  init(
    _ command: ReaderCommand, descriptors: [Int32], environment changes: [(name: String, value: String)]
  ) throws {
    let words = command.words.map { Array($0.utf8CString) }
    guard let process = SpawnedProcess(words, descriptors: descriptors, environment: changes) else {
      throw CommandError(
        "cannot start the reader '\(command.words[0])': \(SystemError.text()); correct the command")
    }
    self.process = process
  }

  /// Whether it has ended by itself. It is not reaped, so that its process id stays valid until its group is
  /// terminated.
  var hasEnded: Bool { process.hasEnded }

  /// Terminates the process and its group, and reaps it; returns how it ended.
  func finish() -> ReaderEnd {
    let status = process.finish()
    let signal = status & 0x7f
    return signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
  }
}
