import CaptureWriting
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
  func addCase(_ name: String, _ bytes: [UInt8], more: String = "", input: String = "input.bin") throws {
    try makeCase(name, bytes, more: more, input: input)
    try expectExport(name)
  }

  /// Creates a complete case of a capture.
  func addCase(_ name: String, capture segments: [Segment]) throws {
    try addCase(name, PcapWriter().file(FrameWriter().packets(segments)), input: "input.pcap")
  }

  /// Creates a complete case of a request, and the response to it.
  func addPair(_ name: String, more: String = "") throws {
    let push = Push(1, 7, token: token(1)).bytes
    let options = "options: [--requests, input.requests.bin, --responses=input.responses.bin]\n"
    try makeCase(name, push, more: options + more, input: "input.requests.bin")
    try write(refusal(8, 7), to: "corpus/\(name)/input.responses.bin")
    try expectExport(name, "--requests input.requests.bin --responses input.responses.bin")
  }

  /// Changes a file of a case.
  func change(_ file: String, _ old: String, _ new: String) throws {
    let text = try text(of: "corpus/\(file)")
    try #require(text.contains(old), "\(file): \(text)")
    try write(text.replacingOccurrences(of: old, with: new), to: "corpus/\(file)")
  }

  /// The command of a reader of samples/readers with a change.
  func changed(_ reader: String, _ old: String, _ new: String) throws -> String {
    let text = try text(of: Repository.path(of: "samples/readers/\(reader)"))
    try #require(text.contains(old))
    try write(text.replacing(old, with: new), to: reader)
    return "python3 -S \(reader)"
  }

  func verify(_ arguments: String...) throws -> Outcome { try apnsift(["verify", "corpus"] + arguments) }

  func testReader(_ arguments: String...) throws -> Outcome { try lab(["verify", "corpus"] + arguments) }

  /// The readings of a reader, from JSON, without those of certificates.
  func readings(_ arguments: [String], code: Int32) throws -> [Evidence.Object] {
    try allReadings("corpus", arguments, code: code).filter { !Self.isOfCertificate($0) }
  }

  /// The outcomes of a reader with certificates that it must refuse, by the names of their tests.
  func certificates(_ arguments: [String], code: Int32) throws -> [String: String] {
    let readings = try allReadings("corpus", ["--over", "tls"] + arguments, code: code)
      .filter(Self.isOfCertificate)
    return Dictionary(
      uniqueKeysWithValues: readings.map { ($0["case"] as? String ?? "", $0["outcome"] as? String ?? "") })
  }

  func allReadings(_ corpus: String, _ arguments: [String], code: Int32) throws -> [Evidence.Object] {
    let outcome = try lab(["verify", corpus, "--json"] + arguments)
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

  /// The corpus that is made for them.
  static let samples = Repository.path(of: "samples/corpus/readers")

  /// Records, correct, wrong, missed and the outcome of a reading in JSON.
  static func counts(_ row: Evidence.Object) -> String {
    let counts = ["records", "correct", "wrong", "missed"].map { (row[$0] as? Int).map(String.init) ?? "-" }
    return (counts + ["\(row["outcome"] ?? "")"]).joined(separator: " ")
  }

  /// The right one, in Python, which without the modules of the site (-S) starts four times as fast.
  static let right = "python3 -S '\(Repository.path(of: "samples/readers/reader.py"))'"
  /// A right client of pushes.
  static let pushes = "python3 -S '\(Repository.path(of: "samples/readers/push_client.py"))'"
}
