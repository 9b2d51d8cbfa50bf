import Analysis
import Messages
import Platform
import Reports

/// The output files of one command. No two are the same file, and none is an input.
final class OutputSet {
  private struct Output {
    var option: String
    var path: String
    var file: OutputFile
    var buffer: OutputBuffer

    func finish() throws {
      try buffer.flush()
      try file.finish()
    }
  }

  private let force: Bool
  private var outputs: [Output] = []

  init(force: Bool) { self.force = force }

  /// Opens the file of an option.
  func open(_ option: String, _ path: String, _ examination: Examination) throws -> OutputBuffer {
    // `-` is standard output, and `./-` a file.
    if path != "-", examination.contains(fileAt: path) { throw Failure(.outputIsOneOfInputs(path)) }
    let file = try OutputFile(path, force: force)
    if let other = outputs.first(where: { $0.path == path || $0.file.hasSameTarget(as: file) }) {
      throw UsageError(.outputsAreSame(other.option, option))
    }
    outputs.append(Output(option: option, path: path, file: file, buffer: OutputBuffer(file)))
    return outputs[outputs.count - 1].buffer
  }

  /// Completes the files, in the order in which they were opened.
  func finish() throws {
    for output in outputs { try output.finish() }
  }

  /// Completes the files. The one that was opened last lists the others.
  /// - Parameter list: writes the list of paths.
  func finish(listing list: (_ paths: [String]) throws -> Void) throws {
    for output in outputs.dropLast() { try output.finish() }
    try list(outputs.dropLast().map(\.path))
    try outputs.last?.finish()
  }
}
