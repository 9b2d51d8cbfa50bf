import CaptureWriting
import CommandTestSupport
import Testing

/// `verify --reader`: an external reader, judged on a corpus.
@Suite("External readers") struct VerifyReaderTests {
  private let directory = TestDirectory()

  /// Records, correct, wrong, missed and the outcome.
  private func counts(_ arguments: [String], code: Int32 = 1) throws -> [String: String] {
    let rows = try directory.readings(arguments, code: code).map { (name($0), Readers.counts($0)) }
    return Dictionary(rows) { "\($0), \($1)" }
  }

  private func name(_ row: Evidence.Object) -> String { row["case"] as? String ?? "" }

  /// Three tuples in reads of one byte.
  private func addSmallCase() throws {
    try directory.addCase("small", feedback(tuples(3)), more: "chunks: [1]\n")
  }

  // MARK: - The models

  /// The outcomes of a reader in the cases of samples/corpus/readers, except for those that it read correctly.
  private func errors(_ arguments: [String], code: Int32 = 1) throws -> [String: Set<String>] {
    let rows = try directory.allReadings(Readers.samples, arguments, code: code)
    let wrong = rows.filter { !($0["first_difference"] is Null) || $0["outcome"] as? String != "completed" }
    return Dictionary(wrong.map { (name($0), [$0["outcome"] as? String ?? ""]) }) { $0.union($1) }
  }

  @Test("the sample corpus detects the faults of each model, and none of a right reader")
  func samples() throws {
    #expect(try directory.apnsift("verify", Repository.path(of: "samples/corpus")).code == 0)
    let right = try errors(["--reader", Readers.right], code: 0)
    #expect(right.values.allSatisfy { $0 == ["not-judged"] }, "\(right)")
    for (model, options, completed) in [
      ("cookbook", [], ["cookbook-stale-bytes", "fixed-reads-of-a-short-token", "signed-times"]),
      ("java", [], ["java-short-read", "fixed-reads-of-a-long-token", "signed-times"]),
      ("node", [], ["node-length-of-32", "node-tail-of-3", "node-tail-of-100"]),
      ("csharp", ["--damaged", "--timeout", "3"], ["csharp-short-last-tuple"]),
      (
        "php", ["--damaged", "--reader-of", "responses"],
        ["php-error-in-two-pieces", "php-only-the-first", "php-command-unchecked"]
      ),
    ] {
      let errors = try errors(options + ["--reader", Readers.model(model)])
      for one in completed { #expect(errors[one] == ["completed"], "\(model), \(one): \(errors)") }
      if model != "csharp" { continue }
      #expect(errors["csharp-spins"] == ["hangs"] && errors["csharp-throws"] == ["throws"], "\(errors)")
    }
  }

  @Test("error responses") func responses() throws {
    try directory.addPair("at-once", more: "chunks: [6]\n")
    try directory.addPair("in-parts", more: "chunks: [2, 4]\n")
    let arguments = ["--reader-of", "responses", "--reader"]
    #expect(
      try counts(arguments + [Readers.model("php")]) == [
        "at-once": "1 1 0 0 completed", "in-parts": "0 0 0 1 completed",
      ])
    let right =
      #"python3 -c "import sys; b = sys.stdin.buffer.read(); print(b[1], int.from_bytes(b[2:6], 'big'), sep=',')""#
    #expect(try counts(arguments + [right], code: 0).values.allSatisfy { $0 == "1 1 0 0 completed" })
    // They have no feedback, so nothing says that a reader of it is right.
    #expect(try counts(["--reader", "false"], code: 2).isEmpty)
  }

  // MARK: - Faults

  /// A right reader of error responses, but for the error that is its argument.
  private static let errorReader = """
    import os, struct, sys
    fault = sys.argv[1]
    chunks = list(iter(lambda: os.read(0, 1 << 20), b""))
    data = b"".join(chunks[:1] if fault == "one-read" else chunks)
    for at in range(0, len(data) - 5, 6):
        command, status, identifier = struct.unpack_from(">BBi" if fault == "signed" else ">BBI", data, at)
        if command == 8 or fault == "any-command" or fault == "four-bits" and command & 15 == 8:
            print(status, identifier & 0xFFFF if fault == "16-bits" else identifier, sep=",")

    """

  private static let long: Set = ["thousands-of-tuples", "thousands-of-tuples-in-segments"]
  private static let identifiers: Set = ["identifiers-of-four-bytes", "errors-in-pieces"]
  private static let otherCommands: Set = ["another-command", "another-command-behind-an-error"]

  /// Changes of the right reader that show when much comes, and the cases of samples/corpus/readers that detect them.
  static let faults: [(old: String, new: String, detectedBy: Set<String>)] = [
    ("tuples(chunks())", "list(tuples(chunks()))[:100]", long),
    ("tuples(chunks())", "dict.fromkeys(tuples(chunks()))", long),
    ("for chunk in stream:", "for chunk in [b''.join(stream)[:65536]]:", long),
    ("os.read(0, 65536)", "os.read(0, 1 << 20)[:65536]", ["thousands-of-tuples"]),
  ]

  @Test("each fault of a reader is detected", arguments: faults)
  func detected(_ old: String, _ new: String, _ cases: Set<String>) throws {
    try expectDetected(["--reader", directory.changed("reader.py", old, new)], by: cases)
  }

  /// The same of readers of error responses.
  static let errorFaults: [(fault: String, detectedBy: Set<String>)] = [
    ("none", []), ("signed", identifiers), ("16-bits", identifiers), ("one-read", ["errors-in-pieces"]),
    ("any-command", otherCommands), ("four-bits", otherCommands),
  ]

  @Test(
    "each fault of a reader of error responses is detected, and a right one has none", arguments: errorFaults)
  func detectedErrors(_ fault: String, _ cases: Set<String>) throws {
    try directory.write(Self.errorReader, to: "errors.py")
    let reader = ["--reader", "python3 -S errors.py \(fault)"]
    try expectDetected(reader + ["--reader-of", "responses", "--damaged"], by: cases)
  }

  private func expectDetected(_ arguments: [String], by cases: Set<String>) throws {
    let rows = try directory.allReadings(Readers.samples, arguments, code: cases.isEmpty ? 0 : 1)
    let wrong = rows.filter { !($0["first_difference"] is Null) }.compactMap { $0["case"] as? String }
    let names = Set(wrong.map { String($0.split(separator: "/").last ?? "") })
    #expect(names.isSuperset(of: cases) && names.isEmpty == cases.isEmpty, "\(names)")
  }

  // MARK: - Chunks

  @Test("a read never returns bytes of two chunks") func chunks() throws {
    try directory.addCase("sizes", feedback(tuples(5)), more: "chunks: [1, 2, 50]\n")
    let conversation = Conversation(serverSends: feedback(tuples(5)), in: [38, 19, 5])
    try directory.addCase("capture", capture: conversation.segments())
    try directory.addCase("usual", feedback(tuples(200)))
    let script = """
      import os, sys, time
      sizes = []
      while chunk := os.read(0, 1 << 20):
          sizes.append(len(chunk))
          time.sleep(0.002)
      print(sizes, file=sys.stderr)
      sys.exit(3)
      """
    try directory.write(script, to: "sizes.py")
    let outcome = try directory.testReader("--reader", "python3 sizes.py").exits(1)
    for sizes in [
      "[1, 2, 50, 1, 2, 50, 1, 2, 50, 1, 2, 28]", "[38, 19, 5, 38, 19, 5, 38, 19, 5, 4]", "[4096, 3504]",
    ] { #expect(outcome.text.contains("  \(sizes)\n"), "\(outcome.text)\(outcome.errors)") }
  }

  @Test("a chunk larger than a pipe arrives whole") func largeChunks() throws {
    try directory.addCase("large", feedback(tuples(8000)), more: "chunks: [300000]\n")
    #expect(try counts(["--reader", Readers.right], code: 0) == ["large": "8000 8000 0 0 completed"])
  }

  // MARK: - Judged streams

  @Test("streams with gaps are not judged; those with bytes outside records only with --damaged")
  func notJudged() throws {
    try directory.addCase("cut-tail", feedback(tuples(3)).dropLast(5))
    try directory.addCase("skipped", feedback(tuples(2)) + [1, 2, 3] + feedback(tuples(2, from: 5)))
    let conversation = Conversation(serverSends: feedback(tuples(9)), in: [38])
    var segments = conversation.segments()
    segments.removeAll { $0.payload == Array(conversation.bytes(of: .server)[76..<114]) }
    try directory.addCase("gap", capture: segments)
    #expect(
      try counts(["--reader", Readers.right], code: 0) == [
        "cut-tail": "2 2 0 0 completed", "skipped": "- - - - not-judged", "gap": "- - - - not-judged",
      ])
    let damaged = try counts(["--damaged", "--reader", Readers.right])
    #expect(damaged["gap"] == "- - - - not-judged")
    #expect(damaged["skipped"]?.hasSuffix("completed") == true)
  }

  @Test("a case whose expectation fails is broken") func different() throws {
    try addSmallCase()
    try directory.change("small/expected.ndjson", "\"feedback\":3", "\"feedback\":4")
    let outcome = try directory.testReader("--reader", Readers.right).exits(2)
    #expect(outcome.text.contains("broken small: its own expectation fails"), "\(outcome.text)")
  }

  // MARK: - Outputs

  @Test("text output has a table, the first difference counted from 0, the ending and standard error")
  func text() throws {
    try addSmallCase()
    let reader = "cat >/dev/null; echo hello; echo sorry >&2; exit 3"
    let outcome = try directory.testReader("--reader", reader).exits(1)
    for part in [
      "case   stream  records  correct  wrong  missed  outcome",
      "small       0        1        0      1       3  throws", "record 0: the line is not a record",
      "expected 1400000000,", "reported 'hello'", "exit code 3", "  sorry",
    ] { #expect(outcome.text.contains(part), "\(part): \(outcome.text)") }
    #expect(outcome.messages.last == "read 1 case: 0 of 1 stream right, 0 not judged, 0 broken cases")
    let described = try directory.testReader("-v", "--reader", Readers.right)
    #expect(described.text.contains("\nsmall stream 0\n  shows: What small shows.\n"), "\(described.text)")
  }

  @Test("what no stream had is said") func untried() throws {
    try addSmallCase()
    let first = try #require(try directory.testReader("--reader", Readers.right).messages.first)
    #expect(first.hasPrefix("not tried: several tuples in one read, repeated tuples, "))
    #expect(first.split(separator: ", ").count == 10)
  }

  @Test("JUnit has readings too") func machines() throws {
    try addSmallCase()
    try directory.addCase("a-damaged", [1, 2, 3] + feedback(tuples(3)))
    try directory.testReader("--reader", Readers.model("node"), "--junit", "out.xml").exits(1)
    let xml = try directory.text(of: "out.xml")
    #expect(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\""))
    #expect(xml.contains(" node (feedback, stdin)\" tests="), "\(xml)")
  }

  @Test("the output order does not depend on which reader ends first") func order() throws {
    for number in 0..<6 { try directory.addCase("case-\(number)", feedback(tuples(6 - number))) }
    // The first ones take longest.
    let slow = "n=$(wc -c); sleep 0.$((n / 38)); echo $n"
    let outputs = try ["1", "6"].map { try directory.testReader("--reader", slow, "--jobs", $0).text }
    #expect(outputs[0] == outputs[1])
  }
}
