import Basics
import Synchronization

/// A file that the server's thread writes. It has its name from the start, so that it can be followed.
final class ServedOutput: Sendable {
  private struct State {
    let file: OutputFile
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init(_ path: String, force: Bool) throws {
    let file = try OutputFile(path, force: force)
    try file.appear()
    state = Mutex(State(file: file))
  }

  func write(_ bytes: [UInt8]) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do {
        try state.file.write(bytes.span.bytes)
      } catch {
        state.failure = error
        // The end, which reports it, may be days away.
        if let failure = error as? Failure {
          Console.say("\(failure.message); later requests are not recorded")
        }
      }
    }
  }

  /// Throws the first failure.
  func finish() throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      try state.file.finish()
    }
  }
}
