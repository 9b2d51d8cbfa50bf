import TestSupport
import Testing

/// The decoding steps, the flags, and where a run begins.
@Suite("docs/spec/decoding-rules.md#plausible-boundaries: decoding steps")
struct StepRuleTests {
  private static let whole = Bytes.tuple()

  /// A tuple whose token has `zeros` zero bytes from `start` on.
  private static func zeroed(_ count: Int = 32, from start: Int, zeros: Int, time: UInt32 = Tuples.time)
    -> [UInt8]
  {
    var token = [UInt8](repeating: 0xaa, count: count)
    for index in start..<(start + zeros) { token[index] = 0 }
    return Tuples.of(token, time: time)
  }

  static let steps: [RuleCase] = [
    RuleCase("an empty run says nothing", [], ""),
    RuleCase("1. fewer than 6 bytes left, tail(o): truncated-record", [0x53, 0x72, 0x4e], "truncated 0+3"),
    RuleCase("1. not tail(o): skipped", [0xff], "skipped 0+1"),
    RuleCase(
      "2. allowed and end(o) > n, no start after it: truncated-record", whole.dropLast(), "truncated 0+37"),
    RuleCase("2. a header alone", Bytes.header(32), "truncated 0+6"),
    RuleCase("2. with an implausible time as well", Bytes.header(32, time: 0), "truncated 0+6"),
    RuleCase("2. odd and end(o) > n", Bytes.header(54) + Bytes.junk(10), "truncated 0+16"),
    RuleCase(
      "2. odd, the first start in (o, n): skipped, go on there", Bytes.header(100) + Bytes.junk(4) + whole,
      "skipped 0+10, record 10 resynchronised"),
    RuleCase(
      "2. allowed, the first start in (o, n): skipped, go on there",
      Bytes.header(90) + Bytes.junk(4) + whole + whole, "skipped 0+10, record 10 resynchronised, record 48",
      .init(allowed: [32, 90])),
    RuleCase(
      "3. allowed and boundary(end(o)): a record", whole + whole + whole, "record 0, record 38, record 76"),
    RuleCase(
      "3. bytes were lost inside this tuple: the first start in (o, end(o))",
      whole.dropLast(5) + whole + whole, "skipped 0+33, record 33 resynchronised, record 71"),
    RuleCase(
      "3. one byte was lost", whole + whole.dropLast() + whole + whole,
      "record 0, skipped 38+37, record 75 resynchronised, record 113"),
    RuleCase(
      "3. all but one of the token was lost", Bytes.header(32) + [0xaa] + whole + whole,
      "skipped 0+7, record 7 resynchronised, record 45"),
    RuleCase(
      "3. a start at end(o) does not count, only inside", whole + Bytes.junk(3) + whole,
      "record 0 unconfirmed-boundary, skipped 38+3, record 41 resynchronised"),
    RuleCase(
      "3. not found: a record with flag unconfirmed-boundary", whole + Bytes.junk(40),
      "record 0 unconfirmed-boundary, skipped 38+40"),
    RuleCase(
      "4. odd and boundary(o): unexpected-token-length", Bytes.tuple(5) + Bytes.tuple(5),
      "record 0 unexpected-token-length, record 11 unexpected-token-length"),
    RuleCase(
      "4. zero-length-token where L(o) = 0", Bytes.tuple(0) + whole, "record 0 zero-length-token, record 6"),
    RuleCase(
      "4. no flag where 0 is allowed", Bytes.tuple(0) + whole, "record 0, record 6", .init(allowed: [0, 32])),
    RuleCase("4. odd and not boundary(o): step 5", Bytes.tuple(54) + Bytes.junk(6), "skipped 0+66"),
    RuleCase("5. the first start in (o, n)", Bytes.junk(1) + whole, "skipped 0+1, record 1 resynchronised"),
    RuleCase("5. or n", Bytes.junk(50), "skipped 0+50"),
    RuleCase(
      "5. a zero length with an implausible time is no record", [UInt8](repeating: 0, count: 60),
      "skipped 0+60"),
  ]

  static let flags: [RuleCase] = [
    RuleCase("implausible-timestamp", Bytes.tuple(time: 10), "record 0 implausible-timestamp"),
    RuleCase("not at the earliest time", Bytes.tuple(time: Bytes.earliest), "record 0"),
    RuleCase("not at the latest time", Bytes.tuple(time: Bytes.latest), "record 0"),
    RuleCase(
      "a second before", Bytes.tuple(time: Bytes.earliest - 1), "record 0 implausible-timestamp"),
    RuleCase("a second after", Bytes.tuple(time: Bytes.latest + 1), "record 0 implausible-timestamp"),
    RuleCase(
      "zero-filled-token: 8 zero bytes in a row", zeroed(from: 12, zeros: 8), "record 0 zero-filled-token"),
    RuleCase("7 are not enough", zeroed(from: 12, zeros: 7), "record 0"),
    RuleCase("at the token's beginning", zeroed(from: 0, zeros: 8), "record 0 zero-filled-token"),
    RuleCase("at its end", zeroed(from: 24, zeros: 8), "record 0 zero-filled-token"),
    RuleCase(
      "zeros of the length field do not count", zeroed(from: 0, zeros: 7, time: 0x5372_0000), "record 0"),
    RuleCase(
      "zeros of the next header do not count", zeroed(from: 25, zeros: 7) + Bytes.tuple(time: 0),
      "record 0, record 38 implausible-timestamp"),
    RuleCase(
      "implausible-timestamp and zero-filled-token", zeroed(from: 3, zeros: 20, time: 0),
      "record 0 implausible-timestamp zero-filled-token"),
    RuleCase(
      "unexpected-token-length and zero-filled-token", zeroed(54, from: 3, zeros: 9),
      "record 0 unexpected-token-length zero-filled-token"),
    RuleCase(
      "implausible-timestamp, unconfirmed-boundary and zero-filled-token",
      zeroed(from: 3, zeros: 9, time: 0) + Bytes.junk(6),
      "record 0 implausible-timestamp unconfirmed-boundary zero-filled-token, skipped 38+6"),
    RuleCase(
      "resynchronised and zero-filled-token", Bytes.junk(7) + zeroed(from: 3, zeros: 9) + whole,
      "skipped 0+7, record 7 resynchronised zero-filled-token, record 45"),
    RuleCase(
      "resynchronised: only the first record after skipped bytes", Bytes.junk(7) + whole + whole,
      "skipped 0+7, record 7 resynchronised, record 45"),
    RuleCase(
      "a token of 8 zeros", zeroed(8, from: 0, zeros: 8), "record 0 unexpected-token-length zero-filled-token"
    ),
    RuleCase("a token of 7 zeros", zeroed(7, from: 0, zeros: 7), "record 0 unexpected-token-length"),
  ]

  static let beginnings: [RuleCase] = [
    RuleCase(
      "a run starts at its first start >= 0", whole + whole, "record 0, record 38", beginsStream: false),
    RuleCase(
      "the bytes before it are skipped-bytes, and no record is resynchronised", Bytes.junk(5) + whole + whole,
      "skipped 0+5, record 5, record 43", beginsStream: false),
    RuleCase("all bytes if there is none", Bytes.junk(50), "skipped 0+50", beginsStream: false),
    RuleCase("few bytes are skipped, not truncated", [0x53, 0x72], "skipped 0+2", beginsStream: false),
    RuleCase("an empty run says nothing", [], "", beginsStream: false),
    RuleCase(
      "an odd tuple is no start", Bytes.tuple(54) + whole, "skipped 0+60, record 60", beginsStream: false),
    RuleCase(
      "nor is one with an implausible time", Bytes.tuple(time: 0) + whole, "skipped 0+38, record 38",
      beginsStream: false),
    RuleCase("nor one that is cut", whole.dropLast(), "skipped 0+37", beginsStream: false),
    RuleCase(
      "a record after a later skip is resynchronised", Bytes.junk(5) + whole + whole.dropLast() + whole,
      "skipped 0+5, record 5, skipped 43+37, record 80 resynchronised", beginsStream: false),
    RuleCase(
      "a run that begins its stream starts at 0", Bytes.tuple(time: 0) + whole,
      "record 0 implausible-timestamp, record 38"),
  ]

  @Test(arguments: steps)
  func stepsRule(_ rule: RuleCase) throws { try rule.check() }

  @Test(arguments: flags)
  func flagsRule(_ rule: RuleCase) throws { try rule.check() }

  @Test(arguments: beginnings)
  func beginningsRule(_ rule: RuleCase) throws { try rule.check() }
}
