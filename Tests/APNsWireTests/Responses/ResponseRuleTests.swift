import APNsWire
import Testing

@Suite("docs/spec/decoding-rules.md#error-responses")
struct ResponseRuleTests {
  private static func response(_ status: UInt8 = 8, identifier: UInt8 = 1) -> [UInt8] {
    [8, status, 0, 0, 0, identifier]
  }
  private static let whole = response()

  static let steps: [ResponseCase] = [
    ResponseCase("an empty run says nothing", [], ""),
    ResponseCase("first byte 8: a record", whole, "response 0"),
    ResponseCase("and another after it", whole + whole, "response 0, response 6"),
    ResponseCase("fewer than 6 left: truncated-record", [8, 8, 0, 0, 0], "truncated 0+5"),
    ResponseCase("whatever they are", [0xff, 8, 8, 8, 8], "truncated 0+5"),
    ResponseCase("one byte after a whole one", whole + [8], "response 0, truncated 6+1"),
    ResponseCase("five bytes after a whole one", whole + [0, 0, 0, 0, 0], "response 0, truncated 6+5"),
    ResponseCase(
      "any other first byte: unknown-command", [7] + whole.dropFirst(), "undecodable 0, skipped 0+6"),
    ResponseCase(
      "a wrong first byte: skipped up to the first start", [1] + whole,
      "undecodable 0, skipped 0+1, response 1 resynchronised"),
    ResponseCase(
      "a wrong first byte after a whole one", whole + [1, 2, 3] + whole + whole,
      "response 0, undecodable 6, skipped 6+3, response 9 resynchronised, response 15"),
    ResponseCase(
      "skipped bytes end the run: no truncated-record of their tail", whole + [1, 2, 3, 4, 5, 6, 8, 8],
      "response 0, undecodable 6, skipped 6+8"),
    ResponseCase(
      "damage at two offsets", [9, 9] + whole + whole + [0] + whole + whole,
      "undecodable 0, skipped 0+2, response 2 resynchronised, response 8, undecodable 14, skipped 14+1, "
        + "response 15 resynchronised, response 21"),
  ]

  static let starts: [ResponseCase] = [
    ResponseCase("a start has byte 8", [1, 9, 1, 0, 0, 0, 1], "undecodable 0, skipped 0+7"),
    ResponseCase("a known status", [1] + response(9), "undecodable 0, skipped 0+7"),
    ResponseCase("is whole", [1, 2] + whole.dropLast(), "undecodable 0, skipped 0+7"),
    ResponseCase(
      "nothing after it", [1] + whole, "undecodable 0, skipped 0+1, response 1 resynchronised"),
    ResponseCase(
      "or a byte 8, whatever follows that", [1] + whole + [8, 9],
      "undecodable 0, skipped 0+1, response 1 resynchronised, truncated 7+2"),
    ResponseCase("not another byte", [1] + response(2) + [7], "undecodable 0, skipped 0+8"),
    ResponseCase(
      "an 8 that could be a status may begin one", [1, 8, 8, 0, 0, 0, 1, 0],
      "undecodable 0, skipped 0+2, response 2 resynchronised"),
    ResponseCase(
      "at the boundary a known status is not asked for", response(9) + response(9),
      "response 0 unknown-status, response 6 unknown-status"),
  ]

  static let flags: [ResponseCase] =
    (0...255).map { status in
      let isKnown = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255].contains(status)
      return ResponseCase(
        "status \(status) is \(isKnown ? "known" : "unknown-status")", response(UInt8(status)),
        isKnown ? "response 0" : "response 0 unknown-status")
    } + [
      // The 8 after the first of the two makes it a start; the second is no start, but is at a boundary.
      ResponseCase(
        "resynchronised: only the first one after skipped bytes", [1] + whole + response(9),
        "undecodable 0, skipped 0+1, response 1 resynchronised, response 7 unknown-status")
    ]

  static let beginnings: [ResponseCase] = [
    ResponseCase(
      "a run starts at its first start >= 0", whole + whole, "response 0, response 6", beginsStream: false),
    ResponseCase(
      "the bytes before it are skipped-bytes, not undecodable, and nothing is resynchronised",
      [0, 1] + whole + whole, "skipped 0+2, response 2, response 8", beginsStream: false),
    ResponseCase("all bytes if there is none", [8, 8, 0, 0, 0], "skipped 0+5", beginsStream: false),
    ResponseCase(
      "an unknown status is no start", response(9) + whole, "skipped 0+6, response 6", beginsStream: false),
    ResponseCase("an empty run says nothing", [], "", beginsStream: false),
  ]

  @Test(arguments: steps)
  func stepsRule(_ rule: ResponseCase) { rule.check() }

  @Test(arguments: starts)
  func startsRule(_ rule: ResponseCase) { rule.check() }

  @Test(arguments: flags)
  func flagsRule(_ rule: ResponseCase) { rule.check() }

  @Test(arguments: beginnings)
  func beginningsRule(_ rule: ResponseCase) { rule.check() }
}
