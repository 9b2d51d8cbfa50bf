import Analysis
import Basics
import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// Messages, findings and failures of reading several inputs.
@Suite("An examination") struct ExaminationTests {
  private let files = TemporaryFiles()

  private static let tuples = Tuples.one() + Tuples.one()

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Files by their names, which may have directories.
    var files: [(name: String, bytes: [UInt8])]
    /// The named paths, relative to the directory.
    var named: [String]
    var hashing = Examination.Hashing.possibleCopies
    var mayRepeat = false
    /// Their beginnings.
    var messages: [String] = []
    var codes: [FindingCode] = []
    var failures = 0
    var inputs = 1
  }

  private static let repeatsNothing = "allowed copies and empty inputs are not reported as copies"

  static let cases: [Case] = [
    Case(testDescription: "a dump", files: [("a", tuples)], named: ["a"]),
    Case(
      testDescription: "no file", files: [], named: ["a"],
      messages: ["a: cannot be opened: No such file or directory"], codes: [.unreadableInput], failures: 1,
      inputs: 0),
    Case(
      testDescription: "a copy", files: [("a", tuples), ("b", tuples)], named: ["a", "b"],
      messages: ["b: warning: same bytes as a"], codes: [.duplicateInput], inputs: 2),
    Case(
      testDescription: "a file twice, unhashed", files: [("a", tuples)], named: ["a", "a"], hashing: .none,
      messages: ["a: warning: same bytes as a"], codes: [.duplicateInput], inputs: 2),
    Case(
      testDescription: repeatsNothing, files: [("a", tuples), ("b", tuples)], named: ["a", "b"],
      mayRepeat: true, inputs: 2),
    Case(
      testDescription: "no bytes", files: [("a", []), ("b", [])], named: ["a", "b"],
      messages: ["a: is empty", "b: is empty"], inputs: 2),
    Case(
      testDescription: "text of no known format", files: [("a", Array("Dear reader, ".utf8))], named: ["a"],
      messages: ["a: warning: no known format; read as raw feedback"],
      codes: [.skippedBytes, .unrecognisedInput]),
    Case(
      testDescription: "a directory with a dump, text and another format",
      files: [
        ("d/a", tuples), ("d/b", Array("Dear reader, ".utf8)), ("d/c", Array("SQLite format 3\0".utf8)),
      ], named: ["d"],
      messages: ["d/b: skipped: no known format", "d/c: skipped: an SQLite database, not searched inside"],
      codes: [.unrecognisedInput, .unrecognisedInput]),
    Case(
      testDescription: "a directory with nothing but text", files: [("d/b", Array("Dear reader, ".utf8))],
      named: ["d"], messages: ["d/b: skipped: no known format", "d: no input in this directory"],
      codes: [.unrecognisedInput], failures: 1, inputs: 0),
  ]

  /// Runs an examination, and returns its messages without the path of the files.
  private func run(
    _ walk: InputWalk, _ sink: EvidenceRecording,
    _ options: Examination.Options = .init(), skips: ((Input) -> Bool)? = nil
  ) throws -> (Examination, messages: [String]) {
    var examination = Examination(walk, options)
    examination.skips = skips
    let log = MessageLog()
    try Console.$log.withValue(log) { try examination.run([sink, nil]) }
    return (examination, log.lines.map { $0.replacing("\(files.path)/", with: "") })
  }

  @Test("reports problems of inputs", arguments: cases) func inputs(_ one: Case) throws {
    for (name, bytes) in one.files { try files.write(bytes, to: name) }
    var options = Examination.Options()
    (options.hashing, options.mayRepeat) = (one.hashing, one.mayRepeat)
    let sink = EvidenceRecording()
    let walk = InputWalk(one.named.map { "\(files.path)/\($0)" })
    let (examination, messages) = try run(walk, sink, options)
    #expect(messages.count == one.messages.count)
    #expect(zip(messages, one.messages).allSatisfy { $0.hasPrefix($1) }, "\(messages)")
    #expect(sink.findings.map(\.code) == one.codes)
    #expect(examination.failures == one.failures)
    #expect(examination.inputs.count == one.inputs)
    #expect(examination.inputs.allSatisfy { ($0.sha256 == nil) || one.hashing != .none })
  }

  @Test("a hint for two dumps without the expected content: they are probably swapped") func swapped() throws
  {
    // An error response, and the beginning of a request with command 0.
    let response = Input(try files.write([8, 8, 0, 0, 0, 1], to: "a"))
    var (requests, responses) = (response, Input(try files.write([0, 0, 32, 1, 2, 3], to: "b")))
    (requests.half, responses.half) = (.requests, .responses)
    let (_, messages) = try run(InputWalk([], paired: [requests, responses]), EvidenceRecording())
    #expect(
      messages == ["hint: neither file has the expected content; are --requests and --responses swapped?"])
  }

  @Test("an input can be skipped before it is read") func skipped() throws {
    let inputs = [Input(try files.write(Self.tuples, to: "a")), Input(try files.write(Self.tuples, to: "b"))]
    let sink = EvidenceRecording()
    let (examination, messages) = try run(InputWalk(inputs), sink) { $0.name.hasSuffix("a") }
    #expect(messages.isEmpty)
    #expect(examination.inputs.map(\.source) == [inputs[1].name])
    #expect(sink.records.count == 2)
  }

  @Test("finds inputs by file or directory, under any name") func outputs() throws {
    let input = try files.write(Self.tuples, to: "d/a")
    try files.write(Self.tuples, to: "e/a")
    let examination = Examination(InputWalk(["\(files.path)/d"]), Examination.Options())
    #expect(examination.walk.inputs.count == 1)
    #expect(ReadFiles.use(of: "\(files.path)/e/../d/a") == ReadFiles.input)
    #expect(ReadFiles.use(of: "\(files.path)/e/a") == nil)
    #expect(ReadFiles.use(of: "\(files.path)/d") == nil)
    #expect(examination.input(in: "\(files.path)/e/../d/") == input)
    #expect(examination.input(in: "\(files.path)/e") == nil)
    #expect(examination.input(in: "\(files.path)/none") == nil)
  }

  @Test("a filter that does not compile is wrong usage") func filter() {
    var options = Examination.Options()
    options.reading.capture.filter = "port ("
    var examination = Examination(InputWalk([String]()), options)
    let error = #expect(throws: UsageError.self) { try examination.run([]) }
    #expect(error?.message.text.hasPrefix(Message.about("--filter", .verbatim("")).text) == true)
  }
}
