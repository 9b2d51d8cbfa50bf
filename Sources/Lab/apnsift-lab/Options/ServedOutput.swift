import Basics
import Synchronization

/// A file that the server's thread writes.
final class ServedOutput: Sendable {
  private struct State {
    let file: OutputFile
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init(_ path: String, force: Bool) throws {
    state = Mutex(State(file: try OutputFile(path, force: force)))
  }

  func write(_ bytes: [UInt8]) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do { try state.file.write(bytes.span.bytes) } catch { state.failure = error }
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
