import Foundation
import Testing

/// Cases as the tests of `verify` make them.
extension TestDirectory {
  /// Makes a case of `corpus`, without what is expected of it.
  func makeCase(
    _ name: String, _ bytes: [UInt8], more: String = "", input: String = "input.bin"
  ) throws {
    try write(bytes, to: "corpus/\(name)/\(input)")
    try write(
      "shows: What \(name) shows.\norigin: Made by a test.\n\(more)", to: "corpus/\(name)/case.yml")
  }

  /// Writes what is expected of a case by the export of its inputs in its directory: what the format promises.
  func expectExport(_ name: String, _ arguments: String = "input.*") throws {
    let outcome = try shell(
      "cd 'corpus/\(name)' && \"$APNSIFT\" export -t ndjson \(arguments) -o expected.ndjson")
    try #require(outcome.code == 0, "\(outcome.errors)")
  }

  /// Makes a whole case.
  /// - Parameter options: of export, words between blanks.
  func addCase(_ name: String, _ bytes: [UInt8], more: String = "", options: String = "") throws {
    let words = options.split(separator: " ").map { "- '\($0)'\n" }.joined()
    try makeCase(name, bytes, more: more + (words.isEmpty ? "" : "options:\n\(words)"))
    try expectExport(name, "\(options) input.*")
  }

  /// Changes a file of a case.
  func change(_ file: String, _ old: String, _ new: String) throws {
    let text = try text(of: "corpus/\(file)")
    try #require(text.contains(old), "\(file): \(text)")
    try write(text.replacingOccurrences(of: old, with: new), to: "corpus/\(file)")
  }

  func verify(_ arguments: String...) throws -> Outcome { try apnsift(["verify", "corpus"] + arguments) }

  /// The readings of a reader, from JSON.
  func readings(_ arguments: [String], code: Int32) throws -> [Evidence.Object] {
    let outcome = try apnsift(["verify", "corpus", "--json"] + arguments)
    #expect(outcome.code == code, "\(outcome.errors)")
    return try #require(try Evidence.object(outcome.text)["readers"] as? [Evidence.Object])
  }
}

/// The programs that read.
enum Readers {
  /// A faulty one, by the name of its model; it is built beside the command.
  static func model(_ name: String) -> String {
    let directory = URL(fileURLWithPath: Command.path).deletingLastPathComponent().path
    return "'\(directory)/reader-model' \(name)"
  }

  /// The right one, in Python.
  static let right = "python3 '\(Repository.path(of: "samples/readers/reader.py"))'"
}
