import ArgumentParser
import Basics
import Reports

/// The file of a command that writes one.
struct OutputOptions: ParsableArguments {
  @Option(name: [.short, .long], help: .init("Output file.", valueName: "FILE"))
  var output: String?

  @Flag(help: "Overwrite the output file.")
  var force = false
}

/// The output files of one command. No two are the same file.
final class OutputSet {
  private struct Output {
    var option: String
    var path: String
    var file: OutputFile
    var buffer: OutputBuffer
  }

  private let force: Bool
  private var outputs: [Output] = []

  init(force: Bool) { self.force = force }

  func open(_ option: String, _ path: String) throws -> OutputBuffer {
    let file = try OutputFile(path, force: force)
    if let other = outputs.first(where: { $0.path == path || $0.file.hasSameTarget(as: file) }) {
      throw UsageError("\(other.option) and \(option) name the same file")
    }
    outputs.append(Output(option: option, path: path, file: file, buffer: OutputBuffer(file)))
    return outputs[outputs.count - 1].buffer
  }

  /// Opens a file that a library writes; returns its path until it is complete.
  func openFile(_ option: String, _ path: String) throws -> String {
    _ = try open(option, path)
    guard let unfinished = outputs.last?.file.temporaryName else {
      throw CommandError("\(path) is not a regular file: name a file to write")
    }
    return unfinished
  }

  /// Completes the files. The last one may list the others.
  /// - Parameters:
  ///   - others: the paths of files that `-o` has completed, as a directory.
  ///   - list: writes the list of paths.
  func finish(besides others: [String], listing list: ((_ paths: [String]) throws -> Void)? = nil) throws {
    let written = Set(others.compactMap { FileIdentity(at: Array($0.utf8CString)) })
    for (index, output) in outputs.enumerated() {
      if let file = FileIdentity(at: Array(output.path.utf8CString)), written.contains(file) {
        throw CommandError("-o and \(output.option) name the same file")
      }
      if index == outputs.count - 1 { try list?(others + outputs.dropLast().map(\.path)) }
      try output.buffer.flush()
      try output.file.finish()
    }
  }
}
