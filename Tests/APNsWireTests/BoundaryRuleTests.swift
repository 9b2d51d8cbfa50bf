import TestSupport
import Testing

/// The predicates odd, tail, plausible and start for tuple boundaries. A tuple whose end is not plausible, and
/// without a start inside it, has the flag `unconfirmed-boundary`.
@Suite("docs/spec/decoding-rules.md#plausible-boundaries: plausible boundaries")
struct BoundaryRuleTests {
  private static let whole = Bytes.tuple()

  static let tail: [RuleCase] = [
    RuleCase("tail: no byte left can begin a header", whole, "record 0"),
    RuleCase("tail: one byte that begins a plausible time", whole + [0x53], "record 0, truncated 38+1"),
    RuleCase("tail: the first byte of the earliest time", whole + [0x4a], "record 0, truncated 38+1"),
    RuleCase("tail: the first byte of the latest time", whole + [0x60], "record 0, truncated 38+1"),
    RuleCase("tail: one byte below", whole + [0x49], "record 0 unconfirmed-boundary, skipped 38+1"),
    RuleCase("tail: one byte above", whole + [0x61], "record 0 unconfirmed-boundary, skipped 38+1"),
    RuleCase("tail: two bytes, the earliest", whole + [0x4a, 0x38], "record 0, truncated 38+2"),
    RuleCase(
      "tail: two bytes below", whole + [0x4a, 0x37], "record 0 unconfirmed-boundary, skipped 38+2"),
    RuleCase("tail: three bytes, the latest", whole + [0x60, 0x8b, 0x48], "record 0, truncated 38+3"),
    RuleCase(
      "tail: three bytes above", whole + [0x60, 0x8b, 0x49],
      "record 0 unconfirmed-boundary, skipped 38+3"),
    RuleCase(
      "tail: four bytes, the earliest", whole + [0x4a, 0x38, 0x32, 0x00], "record 0, truncated 38+4"),
    RuleCase(
      "tail: four bytes, a second before the earliest", whole + [0x4a, 0x38, 0x31, 0xff],
      "record 0 unconfirmed-boundary, skipped 38+4"),
    RuleCase(
      "tail: four bytes, the latest", whole + [0x60, 0x8b, 0x48, 0x80], "record 0, truncated 38+4"),
    RuleCase(
      "tail: four bytes, a second after the latest", whole + [0x60, 0x8b, 0x48, 0x81],
      "record 0 unconfirmed-boundary, skipped 38+4"),
    RuleCase(
      "tail: the fifth byte is at most longest >> 8", whole + Bytes.header(32).prefix(5),
      "record 0, truncated 38+5"),
    RuleCase(
      "tail: the fifth byte is more than longest >> 8", whole + Bytes.header(256).prefix(5),
      "record 0 unconfirmed-boundary, skipped 38+5"),
    RuleCase(
      "tail: longest 300 lets the fifth byte be 1", whole + Bytes.header(0x1ff).prefix(5),
      "record 0, truncated 38+5", .init(longest: 300)),
    RuleCase(
      "tail: longest 300 does not let it be 2", whole + Bytes.header(0x200).prefix(5),
      "record 0 unconfirmed-boundary, skipped 38+5", .init(longest: 300)),
    RuleCase(
      "tail: the fifth byte does not help an implausible time",
      whole + Bytes.header(32, time: Bytes.latest + 1).prefix(5),
      "record 0 unconfirmed-boundary, skipped 38+5"),
    RuleCase(
      "tail: all times, any byte begins one", whole + [0xff], "record 0, truncated 38+1",
      .init(earliest: 0, latest: Int(UInt32.max))),
  ]

  static let boundaries: [RuleCase] = [
    RuleCase(
      "plausible 2: L(o) is allowed: yes, whatever the time",
      whole + Bytes.tuple(time: 0), "record 0, record 38 implausible-timestamp"),
    RuleCase(
      "plausible 2: a header is enough, the tuple may end beyond n",
      whole + Bytes.header(32), "record 0, truncated 38+6"),
    RuleCase(
      "plausible: neither allowed nor odd", whole + Bytes.junk(6),
      "record 0 unconfirmed-boundary, skipped 38+6"),
    RuleCase(
      "plausible 3: odd(o) and end(o) > n", whole + Bytes.header(54) + Bytes.junk(53),
      "record 0, truncated 38+59"),
    RuleCase(
      "plausible 3: after it fewer than 6 bytes are left and tail(end(o))",
      whole + Bytes.tuple(54) + [0x53], "record 0, record 38 unexpected-token-length, truncated 98+1"),
    RuleCase(
      "plausible 3: after it fewer than 6 bytes are left and not tail(end(o))",
      whole + Bytes.tuple(54) + [0xff], "record 0 unconfirmed-boundary, skipped 38+61"),
    RuleCase(
      "plausible 3: after it L(end(o)) is allowed", whole + Bytes.tuple(54) + Bytes.header(32, time: 0),
      "record 0, record 38 unexpected-token-length, truncated 98+6"),
    RuleCase(
      "plausible 3: after it odd(end(o))", whole + Bytes.tuple(54) + Bytes.header(33),
      "record 0, record 38 unexpected-token-length, truncated 98+6"),
    RuleCase(
      "plausible 3: after it neither", whole + Bytes.tuple(54) + Bytes.header(33, time: 0),
      "record 0 unconfirmed-boundary, skipped 38+66"),
    RuleCase("odd: L(o) <= longest", Bytes.tuple(100), "record 0 unexpected-token-length"),
    RuleCase("odd: not where L(o) is longer", Bytes.tuple(101), "skipped 0+107"),
    RuleCase(
      "odd: the earliest time is plausible", Bytes.tuple(54, time: Bytes.earliest),
      "record 0 unexpected-token-length"),
    RuleCase("odd: not a second before it", Bytes.tuple(54, time: Bytes.earliest - 1), "skipped 0+60"),
    RuleCase(
      "odd: the latest time is plausible", Bytes.tuple(54, time: Bytes.latest),
      "record 0 unexpected-token-length"),
    RuleCase("odd: not a second after it", Bytes.tuple(54, time: Bytes.latest + 1), "skipped 0+60"),
    RuleCase(
      "longest is raised to the largest allowed length", Bytes.tuple(150), "record 0 unexpected-token-length",
      .init(allowed: [32, 200], longest: 100)),
  ]

  static let start: [RuleCase] = [
    RuleCase("start: a sound tuple", Bytes.junk(6) + whole, "skipped 0+6, record 6 resynchronised"),
    RuleCase("start: a whole header is there", Bytes.junk(6) + Bytes.header(32).prefix(5), "skipped 0+11"),
    RuleCase("start: L(p) is allowed, not odd", Bytes.junk(6) + Bytes.tuple(54), "skipped 0+66"),
    RuleCase("start: t(p) is plausible", Bytes.junk(6) + Bytes.tuple(time: 0), "skipped 0+44"),
    RuleCase(
      "start: the earliest time is", Bytes.junk(6) + Bytes.tuple(time: Bytes.earliest),
      "skipped 0+6, record 6 resynchronised"),
    RuleCase(
      "start: the latest time is", Bytes.junk(6) + Bytes.tuple(time: Bytes.latest),
      "skipped 0+6, record 6 resynchronised"),
    RuleCase(
      "start: a second after it is not", Bytes.junk(6) + Bytes.tuple(time: Bytes.latest + 1),
      "skipped 0+44"),
    RuleCase("start: end(p) <= n", Bytes.junk(6) + whole.dropLast(), "skipped 0+43"),
    RuleCase("start: boundary(end(p))", Bytes.junk(6) + whole + Bytes.junk(6), "skipped 0+50"),
    RuleCase(
      "start: a tail after it is plausible", Bytes.junk(6) + whole + [0x53, 0x72],
      "skipped 0+6, record 6 resynchronised, truncated 44+2"),
    RuleCase(
      "start: an odd tuple after it is plausible", Bytes.junk(6) + whole + Bytes.tuple(54),
      "skipped 0+6, record 6 resynchronised, record 44 unexpected-token-length"),
  ]

  @Test(arguments: tail)
  func tailRule(_ rule: RuleCase) throws { try rule.check() }

  @Test(arguments: boundaries)
  func boundaryRule(_ rule: RuleCase) throws { try rule.check() }

  @Test(arguments: start)
  func startRule(_ rule: RuleCase) throws { try rule.check() }
}
