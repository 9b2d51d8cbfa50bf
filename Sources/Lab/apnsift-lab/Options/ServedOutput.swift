import Basics
import Generator
import Synchronization

/// A file that the server's thread writes. It has its name from the start, so that it can be followed.
final class ServedOutput: Sendable {
  private struct OpenFile {
    let file: OutputFile
    var error: (any Error)?
  }

  private let state: Mutex<OpenFile>

  init(_ path: String, force: Bool) throws {
    let file = try OutputFile(path, force: force)
    try file.appear()
    state = Mutex(OpenFile(file: file))
  }

  func write(_ bytes: [UInt8]) {
    state.withLock { state in
      guard state.error == nil else { return }
      do {
        try state.file.write(bytes.span.bytes)
      } catch {
        state.error = error
        // The end, which reports it, may be days away.
        if let error = error as? CommandError {
          Console.say("\(error.message); what comes later is not recorded")
        }
      }
    }
  }

  /// Throws the first error.
  func finish() throws {
    try state.withLock { state in
      if let error = state.error { throw error }
      try state.file.finish()
    }
  }
}

/// Writes the same to several files, which keep their errors.
final class ServedOutputs: GeneratorOutput, Sendable {
  private let files: [ServedOutput]

  init(_ files: [ServedOutput]) { self.files = files }

  func write(_ bytes: RawSpan) {
    let bytes = bytes.withUnsafeBytes { Array($0) }
    for file in files { file.write(bytes) }
  }
}
