import CommandTestSupport
import Foundation
import Testing

/// Builds cases for the tests of `verify`.
extension TestDirectory {
  /// Creates a case of `corpus` without expectation.
  func makeCase(
    _ name: String, _ bytes: [UInt8], more: String = "", input: String = "input.bin"
  ) throws {
    try write(bytes, to: "corpus/\(name)/\(input)")
    try write(
      "shows: What \(name) shows.\norigin: Made by a test.\n\(more)", to: "corpus/\(name)/case.yml")
  }

  /// Writes the expectation of a case by exporting its inputs in its directory.
  func expectExport(_ name: String, _ arguments: String = "input.*") throws {
    let outcome = try shell(
      "cd 'corpus/\(name)' && \"$APNSIFT\" export -t ndjson \(arguments) -o expected.ndjson")
    try #require(outcome.code == 0, "\(outcome.errors)")
  }

  /// Creates a complete case.
  /// - Parameter options: options of export, separated by blanks.
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

  func testReader(_ arguments: String...) throws -> Outcome { try lab(["verify", "corpus"] + arguments) }

  /// The readings of a reader, from JSON, without those of certificates.
  func readings(_ arguments: [String], code: Int32) throws -> [Evidence.Object] {
    try allReadings(arguments, code: code).filter { !Self.isOfCertificate($0) }
  }

  /// The outcomes of a reader with certificates that it must refuse, by the names of their tests.
  func certificates(_ arguments: [String], code: Int32) throws -> [String: String] {
    let readings = try allReadings(["--over", "tls"] + arguments, code: code).filter(Self.isOfCertificate)
    return Dictionary(
      uniqueKeysWithValues: readings.map { ($0["case"] as? String ?? "", $0["outcome"] as? String ?? "") })
  }

  private func allReadings(_ arguments: [String], code: Int32) throws -> [Evidence.Object] {
    let outcome = try lab(["verify", "corpus", "--json"] + arguments)
    #expect(outcome.code == code, "\(outcome.text)\(outcome.errors)")
    return try #require(try Evidence.object(outcome.text)["readers"] as? [Evidence.Object])
  }

  private static func isOfCertificate(_ reading: Evidence.Object) -> Bool {
    (reading["case"] as? String)?.hasPrefix("certificate-") == true
  }
}

/// The external readers.
enum Readers {
  /// A faulty one, by the name of its model; it is built next to the command.
  static func model(_ name: String) -> String {
    let directory = URL(fileURLWithPath: Command.path).deletingLastPathComponent().path
    return "'\(directory)/reader-model' \(name)"
  }

  /// The right one, in Python.
  static let right = "python3 '\(Repository.path(of: "samples/readers/reader.py"))'"
  /// A right client of pushes.
  static let pushes = "python3 '\(Repository.path(of: "samples/readers/push_client.py"))'"
}
