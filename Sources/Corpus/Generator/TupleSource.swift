/// The tuples that a server sends, one after the other. Two sources of the same scenario give the same ones:
/// one makes the bytes, the other the truth.
///
/// No place but a tuple's first byte looks like one: nowhere else stand two bytes that are a length of 0 to 100.
/// And no place looks like a TLS record. So nothing but written rules decides what of a damaged stream can be
/// read (decoding-rules.md, start), and the truth says it without a decoder. Bytes of zero are in tokens all
/// the same, before larger ones.
struct TupleSource {
  private let scenario: Scenario
  private var numbers: RandomNumbers
  /// Number of the next tuple among all of the scenario, from 0, and of the one behind the last.
  private var next: Int
  private let end: Int

  /// The tuple that was made last: header and token, as the wire has them.
  private(set) var bytes: [UInt8] = []
  private(set) var time: UInt32 = 0

  var tokenLength: Int { bytes.count &- Self.header }

  /// Whether no tuple is left.
  var isAtEnd: Bool { next >= end }

  /// Bytes of time and token length (protocol.md, Feedback tuple).
  static let header = 6

  /// - Parameter connection: its number, from 0, among `count` that share the tuples evenly.
  init(_ scenario: Scenario, connection: Int = 0, of count: Int = 1) {
    self.scenario = scenario
    numbers = RandomNumbers(seed: scenario.seed, .times, number: connection)
    let share = scenario.share(of: connection, among: count)
    next = share.lowerBound
    end = share.upperBound
  }

  /// Makes the next tuple; false where there is none.
  mutating func advance() -> Bool {
    guard next < end else { return false }
    let token = scenario.token(of: next, &numbers)
    next += 1
    time = drawTime()
    bytes.removeAll(keepingCapacity: true)
    appendBigEndian(time, to: &bytes)
    GeneratedToken.append(token, of: scenario, to: &bytes)
    return true
  }

  // MARK: - Values that are no other thing's beginning

  private mutating func drawTime() -> UInt32 {
    let span = Int(scenario.times.upperBound &- scenario.times.lowerBound) &+ 1
    var drawn = scenario.times.lowerBound
    // In a span of a day fewer than half of the times are refused: so many draws do not fail.
    for _ in 0..<128 {
      drawn = scenario.times.lowerBound &+ UInt32(truncatingIfNeeded: numbers.below(span))
      if Self.isUnambiguous(drawn) { break }
    }
    return drawn
  }

  /// Whether no two bytes of the time, nor its last one and the zero behind it, are a token's length, and no three
  /// the head of a TLS record.
  static func isUnambiguous(_ time: UInt32) -> Bool {
    let bytes = (
      UInt8(truncatingIfNeeded: time >> 16), UInt8(truncatingIfNeeded: time >> 8),
      UInt8(truncatingIfNeeded: time)
    )
    typealias Token = GeneratedToken
    if Token.looksLikeLength(bytes.0, bytes.1) || Token.looksLikeLength(bytes.1, bytes.2) || bytes.2 == 0 {
      return false
    }
    return !Token.looksLikeCiphertext(bytes.0, bytes.1, bytes.2)
      && !Token.looksLikeCiphertext(bytes.1, bytes.2, 0)
  }
}
