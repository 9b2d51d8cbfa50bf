import TestSupport
import Testing

/// Extents, boundaries and starts of requests, and how decoding continues elsewhere.
@Suite("docs/spec/decoding-rules.md#gateway-requests: decoding requests")
struct RequestRuleTests {
  private typealias Wire = RequestBytes

  /// 52 bytes: 3 + 32 + 2 + 15.
  private static let simple = Wire.simple()
  /// 60 bytes.
  private static let enhanced = Wire.enhanced()
  /// 58 bytes: 5 + 35 + 18.
  private static let frame = Wire.framed()

  static let extents: [RequestCase] = [
    RequestCase("an empty run says nothing", [], ""),
    RequestCase(
      "a request of each command", simple + enhanced + frame, "request 0+52, request 52+60, request 112+58"),
    RequestCase(
      "another command is undecodable", [3] + simple,
      "undecodable 0, skipped 0+1, request 1+52 resynchronised"),
    RequestCase("other commands alone", Wire.junk(9), "undecodable 0, skipped 0+9"),
    RequestCase("command 0 with both lengths 0 is zero fill", [0, 0, 0, 0, 0], "undecodable 0, skipped 0+5"),
    RequestCase("and so are zeros without end", Wire.token(300, fill: 0), "undecodable 0, skipped 0+300"),
    RequestCase(
      "zeros after a request are no boundary: it is unconfirmed", simple + Wire.token(40, fill: 0),
      "request 0+52 unconfirmed-boundary, undecodable 52, skipped 52+40"),
    RequestCase("four zeros are a cut request", [0, 0, 0, 0], "truncated 0+4"),
    RequestCase(
      "command 0 with an empty token alone is none", Wire.simple([], [0x7b, 0x7d]),
      "request 0+7 zero-length-token"),
    RequestCase(
      "command 0 with an empty payload alone is none", Wire.simple(Wire.token(), []),
      "request 0+37 payload-not-json"),
    RequestCase(
      "command 1 with both lengths 0 is a request", Wire.enhanced([], []),
      "request 0+13 payload-not-json zero-length-token"),
    RequestCase(
      "a frame of length 0 is a request", [2, 0, 0, 0, 0], "request 0+5 malformed-items"),
    RequestCase(
      "a token of the longest length", Wire.simple(Wire.token(100)), "request 0+120 unexpected-token-length"),
    RequestCase(
      "a token beyond it", Wire.simple(Wire.token(101)), "undecodable 0, skipped 0+121"),
    RequestCase(
      "a token beyond it, of command 1", Wire.enhanced(Wire.token(101)), "undecodable 0, skipped 0+129"),
    RequestCase(
      "a token item may have any length", Wire.framed(Wire.token(101)),
      "request 0+127 unexpected-token-length"),
    RequestCase(
      "the longest token is raised to the longest allowed", Wire.simple(Wire.token(101)), "request 0+121",
      .init(allowed: [101])),
    RequestCase(
      "the longest token is lowered", Wire.simple(Wire.token(33)), "undecodable 0, skipped 0+53",
      .init(longest: 0)),
    RequestCase(
      "a payload of the longest length", Wire.simple(Wire.token(), Wire.json(4096)),
      "request 0+4133 payload-too-large"),
    RequestCase(
      "a payload beyond it", Wire.simple(Wire.token(), Wire.json(4097)), "undecodable 0, skipped 0+4134"),
    RequestCase(
      "payloads of 16", Wire.simple(Wire.token(), Wire.json(16)), "request 0+53", .init(payload: 16)),
    RequestCase(
      "payloads of 16, one of 17", Wire.enhanced(Wire.token(), Wire.json(17)), "undecodable 0, skipped 0+62",
      .init(payload: 16)),
    RequestCase(
      "a payload item has no limit but the frame's", Wire.framed(Wire.token(), Wire.json(65_497)),
      "request 0+65540 payload-too-large", .init(payload: 16)),
    RequestCase(
      "a frame beyond it", Wire.framed(Wire.token(), Wire.json(65_498)), "undecodable 0, skipped 0+65541"),
  ]

  static let steps: [RequestCase] = [
    RequestCase(
      "3. bytes were lost inside: the first start in (o, end(o))", simple.dropLast(9) + simple + simple,
      "skipped 0+43, request 43+52 resynchronised, request 95+52"),
    RequestCase(
      "3. one byte of a frame was lost", frame + frame.dropLast() + frame + frame,
      "request 0+58, skipped 58+57, request 115+58 resynchronised, request 173+58"),
    RequestCase(
      "3. a start at end(o) does not count, only inside", simple + Wire.junk(3) + simple,
      "request 0+52 unconfirmed-boundary, undecodable 52, skipped 52+3, request 55+52 resynchronised"),
    RequestCase(
      "3. not found: unconfirmed-boundary", frame + Wire.junk(2),
      "request 0+58 unconfirmed-boundary, undecodable 58, skipped 58+2"),
    RequestCase(
      "3. a whole request with a boundary after it is a request, whatever its content",
      Wire.frame(simple + simple) + simple,
      "request 0+109 malformed-items unknown-item, request 109+52"),
    RequestCase(
      "2. cut, the first start in (o, n): skipped", Array(frame.prefix(20)) + simple,
      "skipped 0+20, request 20+52 resynchronised"),
    RequestCase(
      "2. cut in its lengths, the first start in (o, n)", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100] + simple,
      "skipped 0+11, request 11+52 resynchronised"),
    RequestCase("2. cut, no start: truncated-record", frame.dropLast(), "truncated 0+57"),
    RequestCase(
      "5. the first start in (o, n)", Wire.junk(5) + enhanced + Wire.junk(1) + simple,
      "undecodable 0, skipped 0+66, request 66+52 resynchronised"),
    RequestCase(
      "5. a length beyond its limit is undecodable at its command", [0, 0xff, 0xff] + simple,
      "undecodable 0, skipped 0+3, request 3+52 resynchronised"),
    RequestCase(
      "resynchronised: only the first request after skipped bytes", [9] + simple + simple,
      "undecodable 0, skipped 0+1, request 1+52 resynchronised, request 53+52"),
    RequestCase("plausible: no byte left", simple, "request 0+52"),
    RequestCase(
      "plausible: extent known, the frame ends beyond n", simple + enhanced.prefix(50),
      "request 0+52, truncated 52+50"),
    RequestCase(
      "plausible: another command is not", simple + [8],
      "request 0+52 unconfirmed-boundary, undecodable 52, skipped 52+1"),
    RequestCase(
      "plausible: a length there that is beyond its limit is not, cut or whole", simple + [0, 0, 101],
      "request 0+52 unconfirmed-boundary, undecodable 52, skipped 52+3"),
  ]

  /// Every proper prefix of a request is truncated, alone or after a whole request.
  static let cuts: [RequestCase] = [("0", simple), ("1", enhanced), ("2", frame)].flatMap { name, bytes in
    (1..<bytes.count).flatMap { count in
      [
        RequestCase("command \(name) cut at \(count)", Array(bytes.prefix(count)), "truncated 0+\(count)"),
        RequestCase(
          "command \(name) cut at \(count) after a request", simple + bytes.prefix(count),
          "request 0+52, truncated 52+\(count)"),
      ]
    }
  }

  static let beginnings: [RequestCase] = [
    RequestCase(
      "a run starts at its first start >= 0", simple + frame, "request 0+52, request 52+58",
      beginsStream: false),
    RequestCase(
      "the bytes before it are skipped-bytes, not undecodable, and nothing is resynchronised",
      Wire.junk(5) + simple + simple, "skipped 0+5, request 5+52, request 57+52", beginsStream: false),
    RequestCase("all bytes if there is none", Wire.junk(50), "skipped 0+50", beginsStream: false),
    RequestCase("a cut request is no start", simple.dropLast(), "skipped 0+51", beginsStream: false),
    RequestCase("an empty run says nothing", [], "", beginsStream: false),
    RequestCase(
      "a request after a later skip is resynchronised", simple + [9] + simple,
      "skipped 0+53, request 53+52", beginsStream: false),
    RequestCase(
      "a request after a skip after a start is resynchronised", simple + simple + [9] + simple,
      "request 0+52, request 52+52 unconfirmed-boundary, undecodable 104, skipped 104+1, "
        + "request 105+52 resynchronised", beginsStream: false),
  ]

  @Test(arguments: extents)
  func extentsRule(_ rule: RequestCase) throws { try rule.check() }

  @Test(arguments: steps)
  func stepsRule(_ rule: RequestCase) throws { try rule.check() }

  @Test("a request that is cut, at every length", arguments: cuts)
  func cutRule(_ rule: RequestCase) throws { try rule.check() }

  @Test(arguments: beginnings)
  func beginningsRule(_ rule: RequestCase) throws { try rule.check() }
}
