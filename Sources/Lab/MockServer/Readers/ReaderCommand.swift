import Basics

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

  /// - Parameters:
  ///   - descriptors: those that the reader gets as 0, 1 and 2.
  ///   - changes: environment variables to set.
  func start(
    descriptors: [Int32], environment changes: [(name: String, value: String)]
  ) throws -> SpawnedProcess {
    let words = words.map { Array($0.utf8CString) }
    if let process = SpawnedProcess(words, descriptors: descriptors, environment: changes) { return process }
    throw CommandError(
      "cannot start the reader '\(self.words[0])': \(SystemError.text()); correct the command")
  }
}
