import Basics
import Foundation
import Testing

/// The command that is tested.
package enum Command {
  /// APNSIFT in the environment, else the one that was built with these tests: it is in the same directory. No
  /// dependency of the test target says so, as tests of a command link it in whole; `swift build` makes both.
  package static let path: String = {
    if let path = ProcessInfo.processInfo.environment["APNSIFT"], !path.isEmpty {
      return URL(fileURLWithPath: path).path
    }
    let paths: [String?] = [
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      Bundle(for: Anchor.self).bundlePath, CommandLine.arguments.first,
    ]
    let candidates = paths.compactMap { $0 }.map { path in
      URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("apnsift").path
    }
    return candidates.first { access($0, X_OK) == 0 } ?? candidates.first ?? "apnsift"
  }()

  /// The command for readers and clients, beside it.
  package static let lab = path + "-lab"

  private final class Anchor {}
}

/// What a program did.
package struct Outcome {
  package var ending: Ending
  package var output: [UInt8]
  package var errors: String

  package init(ending: Ending, output: [UInt8], errors: String) {
    (self.ending, self.output, self.errors) = (ending, output, errors)
  }

  /// The exit code; nil where a signal ended it.
  package var code: Int32? {
    if case .exit(let code) = ending { code } else { nil }
  }

  package var text: String { String(decoding: output, as: UTF8.self) }

  /// Lines of the output, without their ends.
  package var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The rows of CSV, without the header.
  package var rows: [[String]] { Array(parseCSV(text).dropFirst()) }

  /// Messages, without the command's name before each.
  package var messages: [String] {
    errors.split(separator: "\n").map { line in
      let name = ["apnsift: ", "apnsift-lab: "].first { line.hasPrefix($0) } ?? ""
      return String(line.dropFirst(name.count))
    }
  }

  /// Itself, with that exit code, and the message alone or in a longer one.
  @discardableResult
  package func exits(
    _ code: Int32, saying message: Message? = nil, at location: SourceLocation = #_sourceLocation
  ) -> Outcome {
    #expect(self.code == code, "\(errors)", sourceLocation: location)
    if let message { #expect(said(message), "\(errors)", sourceLocation: location) }
    return self
  }

  /// Whether the command said `message`, alone or in a longer message.
  package func said(_ message: Message) -> Bool { errors.contains(VisibleText.of(message.text)) }
}

extension String {
  /// The words of a command line without quotes.
  package var words: [String] { split(separator: " ").map(String.init) }
}

/// What a program reads as standard input.
package enum StandardInput {
  case nothing
  /// From a pipe.
  case bytes([UInt8])
  /// The file of that name.
  case file(String)
  case descriptor(Descriptor)
}

extension TestDirectory {
  /// The environment of a test's programs: nothing in it but what the test says changes their answers.
  private func environment(_ changes: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in ["APNSIFT_STORE", "NO_COLOR", "POSIXLY_CORRECT"] { environment[name] = nil }
    environment["TMPDIR"] = temporaryPath
    environment["LC_ALL"] = "C.UTF-8"
    environment["APNSIFT"] = Command.path
    environment["APNSIFT_LAB"] = Command.lab
    return environment.merging(changes) { $1 }
  }

  /// Starts a program; descriptors that are nil are closed.
  package func start(
    _ executable: String, _ arguments: [[UInt8]], input: Int32?, output: Int32?, errors: Int32?,
    environment changes: [String: String] = [:]
  ) throws -> ChildProcess {
    try ChildProcess(
      executable, arguments, descriptors: [input, output, errors],
      directory: path, environment: environment(changes))
  }

  /// Starts a command with its output going to the file `output` in the directory of the test.
  package func start(
    _ arguments: [String], command: String = Command.path, input: Int32? = nil, output: String = "/dev/null"
  ) throws -> ChildProcess {
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let target = try Descriptor(opening: path(of: output), O_WRONLY | O_CREAT | O_TRUNC)
    return try start(
      command, arguments.map { Array($0.utf8) }, input: input ?? null.number, output: target.number,
      errors: null.number)
  }

  /// Runs the command as a user does.
  package func apnsift(
    _ arguments: [String], input: StandardInput = .nothing, environment: [String: String] = [:]
  ) throws -> Outcome {
    try run(Command.path, arguments.map { Array($0.utf8) }, input: input, environment: environment)
  }

  package func apnsift(_ arguments: String..., input: StandardInput = .nothing) throws -> Outcome {
    try apnsift(arguments, input: input)
  }

  /// Runs apnsift-lab.
  package func lab(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try run(Command.lab, arguments.map { Array($0.utf8) }, environment: environment)
  }

  package func lab(_ arguments: String...) throws -> Outcome { try lab(arguments) }

  /// Runs a line of shell; `"$APNSIFT"` and `"$APNSIFT_LAB"` are the commands.
  package func shell(_ line: String, input: StandardInput = .nothing) throws -> Outcome {
    try run("/bin/sh", [Array("-c".utf8), Array(line.utf8)], input: input)
  }

  /// Runs a tool of the system, which must be there.
  package func tool(_ name: String, _ arguments: [String], input: StandardInput = .nothing) throws -> [UInt8]
  {
    let outcome = try run(
      "/usr/bin/env", ([name] + arguments).map { Array($0.utf8) }, input: input, environment: [:])
    try #require(outcome.code == 0, "\(name) \(arguments): \(outcome.errors)")
    return outcome.output
  }

  /// The digest of a file, by the system's tool.
  package func digest(_ name: String, by tool: String = "sha256sum") throws -> String {
    String(decoding: try self.tool(tool, ["-z", name]).prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  package func run(
    _ executable: String, _ arguments: [[UInt8]], input: StandardInput = .nothing,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    let id = UUID().uuidString
    let names = (output: "\(temporaryPath)/../\(id).out", errors: "\(temporaryPath)/../\(id).err")
    let output = try Descriptor(opening: names.output, O_RDWR | O_CREAT)
    let errors = try Descriptor(opening: names.errors, O_RDWR | O_CREAT)
    let (reading, bytes, writing) = try open(input)
    let child = try start(
      executable, arguments, input: reading.number, output: output.number, errors: errors.number,
      environment: environment)
    reading.close()
    try writing?.write(bytes)
    writing?.close()
    let ending = try child.wait()
    return Outcome(
      ending: ending, output: try self.bytes(of: names.output), errors: try text(of: names.errors))
  }

  private func open(
    _ input: StandardInput
  ) throws -> (reading: Descriptor, bytes: [UInt8], writing: Descriptor?) {
    switch input {
    case .nothing: return (try Descriptor(opening: "/dev/null", O_RDONLY), [], nil)
    case .file(let name): return (try Descriptor(opening: path(of: name), O_RDONLY), [], nil)
    case .descriptor(let descriptor): return (descriptor, [], nil)
    case .bytes(let bytes):
      let (reading, writing) = try CommandTestSupport.makePipe()
      return (reading, bytes, writing)
    }
  }
}
