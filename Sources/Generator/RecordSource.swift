/// A record that one side of a connection sends.
struct GeneratedRecord {
  enum Content {
    case tuple(time: UInt32)
    /// - Parameter status: of the error response that names it.
    case request(GeneratedRequest, GatewayVerdict.Outcome, status: UInt8?)
  }

  let content: Content
  /// As the wire has it.
  let bytes: [UInt8]
  let tokenLength: Int
  /// Whether it was made that the capture has all of it: an answer depends on it.
  var mustArrive = false

  /// Whether decoding can begin with it after a gap (docs/spec/decoding-rules.md#plausible-boundaries): an unusual length is plausible only where
  /// it follows on something.
  var canStart: Bool { tokenLength == Scenario.normalLength }
}

/// Records that one side of a connection sends, one after the other: a server tuples, or a client requests. A copy of
/// a source makes the same ones: one makes the bytes, another says what is true of them later, so that no record waits
/// in between.
///
/// No place but a tuple's first byte looks like one: nowhere else stand two bytes that are a length of 0 to 100.
/// And no place looks like a TLS record. So nothing but written rules decides what of a damaged stream can be
/// read (docs/spec/decoding-rules.md#plausible-boundaries), and the truth says it without a decoder. Bytes of zero are in tokens all
/// the same, before larger ones.
struct RecordSource {
  let isFromServer: Bool
  private let scenario: Scenario
  private let verdict: GatewayVerdict?
  private var numbers: RandomNumbers
  /// Numbers of the connection's records among all of the scenario, from 0.
  private let share: Range<Int>
  private var number: Int

  /// Bytes of time and token length (docs/spec/protocol.md#feedback-tuples).
  static let header = 6

  /// - Parameters:
  ///   - connection: its number, from 0, among `count` that share the records evenly.
  ///   - verdict: what a server answers to requests.
  init(
    _ scenario: Scenario, isFromServer: Bool, connection: Int = 0, of count: Int = 1,
    verdict: GatewayVerdict? = nil
  ) {
    self.isFromServer = isFromServer
    self.scenario = scenario
    self.verdict = verdict
    numbers = RandomNumbers(seed: scenario.seed, .times, number: connection)
    share = scenario.share(of: connection, among: count)
    number = share.lowerBound
  }

  /// Whether no record is left.
  var isAtEnd: Bool { number >= share.upperBound }

  mutating func next() -> GeneratedRecord? {
    guard !isAtEnd else { return nil }
    defer { number += 1 }
    return isFromServer ? tuple() : request()
  }

  private mutating func tuple() -> GeneratedRecord {
    let token = scenario.token(of: number, &numbers)
    let time = drawTime()
    var bytes: [UInt8] = []
    appendBigEndian(time, to: &bytes)
    GeneratedToken.append(token, of: scenario, to: &bytes)
    return GeneratedRecord(
      content: .tuple(time: time), bytes: bytes, tokenLength: bytes.count - Self.header)
  }

  private func request() -> GeneratedRecord {
    let request = GeneratedRequest(number, of: scenario, inConnection: number - share.lowerBound)
    let outcome = verdict?.outcome(of: number) ?? .unknown
    return GeneratedRecord(
      content: .request(request, outcome, status: outcome == .rejected ? verdict?.status : nil),
      bytes: request.bytes, tokenLength: request.token.count, mustArrive: verdict?.request == number)
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
  private static func isUnambiguous(_ time: UInt32) -> Bool {
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

/// What is sent, in chunks of any length.
struct RecordBytes {
  private var records: SentRecords
  /// Bytes that were made, from `start` on not taken yet.
  private var made: [UInt8] = []
  private var start = 0
  /// Offset after the bytes that were made.
  private var end = 0
  /// Where the record is that must arrive, once it was made.
  private(set) var important: Range<Int>?

  init(_ records: SentRecords) { self.records = records }

  /// The next `count` bytes; fewer at the end, and none after it.
  mutating func take(_ count: Int) -> [UInt8] {
    if start > 0, made.count - start < count {
      made.removeFirst(start)
      start = 0
    }
    while made.count - start < count, let record = records.next() { add(record) }
    let first = start
    start = min(start + count, made.count)
    return Array(made[first..<start])
  }

  private mutating func add(_ sent: SentRecord) {
    made += sent.bytes
    if sent.record.mustArrive { important = end..<end + sent.bytes.count }
    end += sent.bytes.count
  }
}
