import CommandTestSupport
import TestSupport
import Testing

/// `apnsift compare A B` (docs/spec/interface.md#compare).
@Suite("Differences of two sets of inputs")
struct CompareTests {
  private let directory = TestDirectory()

  init() throws {
    func tuple(_ number: Int, _ second: UInt32 = 0) -> Tuple { Tuple(1_400_000_000 + second, token(number)) }
    try directory.write(feedback([tuple(1), tuple(2), tuple(3)]), to: "a.bin")
    try directory.write(feedback([tuple(2, 1), tuple(3), tuple(4)]), to: "b.bin")
  }

  @Test("CSV has all differences, and the exit code is 1")
  func table() throws {
    let outcome = try directory.apnsift("compare -t csv a.bin b.bin".words).exits(1)
    let names =
      "difference,token,invalidated_at_a,invalidated_at_b,source_a,stream_a,offset_a,source_b,stream_b,offset_b"
    #expect(outcome.lines.first == names)
    let expected = [
      "only-a,\(hex(token(1))),2014-05-13T16:53:20Z,,a.bin,0,0,,,",
      "other-time,\(hex(token(2))),2014-05-13T16:53:20Z,2014-05-13T16:53:21Z,a.bin,0,38,b.bin,0,0",
      "only-b,\(hex(token(4))),,2014-05-13T16:53:20Z,,,,b.bin,0,76",
    ]
    #expect(outcome.lines.dropFirst().sorted() == expected.sorted())
  }

  @Test("text has the counts and the differences")
  func text() throws {
    let outcome = try directory.apnsift("compare", "a.bin", "b.bin")
    let counts = outcome.lines.prefix(6).map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      counts == [
        "A a.bin", "B b.bin", "only in A 1", "only in B 1", "in both, other times 1", "in both, same time 1",
      ])
    #expect(outcome.lines.contains("only-a  \(hex(token(1)))  2014-05-13T16:53:20Z"))
    #expect(outcome.errors.contains("a.bin: compared 1 input"))
  }

  @Test(
    "the same tokens in another order and in another format are no difference",
    arguments: ["text", "csv", "json"])
  func same(format: String) throws {
    try directory.write(
      hex(feedback([3, 1, 2].map { Tuple(1_400_000_000, token($0)) })) + "\n", to: "hex/a.txt")
    let outcome = try directory.apnsift("compare", "-t", format, "a.bin", "hex").exits(0)
    if format == "json" {
      let summary = try Evidence.object(outcome.text)["summary"] as? [String: Int]
      #expect(summary == ["only_a": 0, "only_b": 0, "other_time": 0, "same": 3])
    }
  }

  @Test("a tuple and a 410 of the same moment are no difference")
  func sameMoment() throws {
    let times = [1, 2, 3].map { number in
      #"{"token":"\#(hex(token(number)))","status":410,"reason":"Unregistered","timestamp":1400000000000}"#
        + "\n"
    }
    try directory.write(times.joined(), to: "410.log")
    try directory.apnsift("compare a.bin 410.log".words).exits(0)
    try directory.write(times.joined().replacing("00000}", with: "00001}"), to: "410.log")
    try directory.apnsift("compare a.bin 410.log".words).exits(1)
  }

  @Test("a missing input is a failure", arguments: [["a.bin", "missing.bin"], ["missing.bin", "a.bin"]])
  func missing(_ names: [String]) throws {
    try directory.apnsift(["compare"] + names).exits(2, saying: "missing.bin")
  }

  @Test("a report lists the differences, and those that became invalid last come first")
  func reported() throws {
    let page = try directory.report(["a.bin", "--compare", "b.bin"])
    let tokens = page.texts("span", "token", in: page.section("differences"))
    #expect(tokens.first == hex(token(2)) && Set(tokens) == Set([1, 2, 4].map { hex(token($0)) }))
    // Of the report itself only its own tokens.
    #expect(!page.section("tokens").contains(hex(token(4))))
    let cut = try directory.report(["a.bin", "--compare", "b.bin", "--max-tokens", "1"])
    #expect(cut.section("differences").contains("apnsift compare a.bin b.bin -t csv"))
    try directory.write("A key of 16 bytes or more.", to: "key")
    let redacted = try directory.report(["a.bin", "--compare", "b.bin", "--redact", "key"])
    #expect(redacted.section("differences").matches(of: /device-[0-9a-f]{16}/).count == 3)
    #expect(!redacted.html.contains(hex(token(4)).prefix(16)))
  }

  @Test(
    "an output in a directory that is compared is no input",
    arguments: [
      ("compare dir b.bin -t csv", "dir: compared 1 input;"),
      ("report b.bin --compare dir", "compared with 1 input;"),
    ])
  func ownOutput(_ line: String, _ side: String) throws {
    try directory.write(Tuples.of(token(1)), to: "dir/a.bin")
    let outcome = try directory.apnsift("\(line) -o dir/out.txt".words)
    #expect(!outcome.errors.contains("out.txt") && outcome.errors.contains(side), "\(outcome.errors)")
  }
}
