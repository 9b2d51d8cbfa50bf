/// Records that one side of a connection sends, one after the other. A copy of a source makes the same ones: one
/// makes the bytes, another tells the truth of them later, so that no record waits in between.
protocol RecordSource {
  /// Makes the next record; false where there is none.
  mutating func advance() -> Bool

  /// The record that was made last, as the wire has it.
  var bytes: [UInt8] { get }

  /// Whether no record is left behind the one that was made last.
  var isAtEnd: Bool { get }

  /// Whether decoding can begin with it behind a gap (decoding-rules.md, start).
  var canStart: Bool { get }

  /// Whether it was made that the capture has all of the record that was made last: an answer depends on it.
  var mustArrive: Bool { get }

  /// Who sends such records.
  static var isFromServer: Bool { get }

  /// How far damage can lead a decoder of such records.
  associatedtype Reach: DamageReach

  /// Writes what `export` says of the record.
  /// - Parameter place: nil in a dump.
  func tell(
    _ standing: Standing, of stream: TruthWriter.Stream, at offset: Int, _ place: CapturedPlace?,
    to truth: inout TruthWriter
  ) throws

  /// Writes what damage was done to the records so far and was not told yet.
  /// - Parameter base: offset, as sent, of the stream's offset 0.
  mutating func tellDamage(
    of stream: TruthWriter.Stream, from base: Int, to truth: inout TruthWriter
  ) throws
}

extension RecordSource {
  mutating func tellDamage(
    of stream: TruthWriter.Stream, from base: Int, to truth: inout TruthWriter
  ) throws {}
}

extension TupleSource: RecordSource {
  typealias Reach = TupleReach

  static var isFromServer: Bool { true }
  var mustArrive: Bool { false }

  /// An unusual length is believed only where it follows on something.
  var canStart: Bool { tokenLength == Scenario.normalLength }

  func tell(
    _ standing: Standing, of stream: TruthWriter.Stream, at offset: Int, _ place: CapturedPlace?,
    to truth: inout TruthWriter
  ) throws {
    try truth.tuple(standing, of: stream, at: offset, place, time: time, token: bytes[Self.header...])
  }
}

/// The bytes of a source, in pieces of any length.
struct RecordBytes<Source: RecordSource> {
  private var source: Source
  /// Bytes that were made, from `start` on not taken yet.
  private var made: [UInt8] = []
  private var start = 0
  /// Offset behind the bytes that were made.
  private var end = 0
  /// Where the record is that must arrive, once it was made.
  private(set) var important: Range<Int>?

  init(_ source: Source) { self.source = source }

  /// The next `count` bytes; fewer at the end, and none behind it.
  mutating func take(_ count: Int) -> [UInt8] {
    if start > 0, made.count - start < count {
      made.removeFirst(start)
      start = 0
    }
    while made.count - start < count, source.advance() { make() }
    let first = start
    start = min(start + count, made.count)
    return Array(made[first..<start])
  }

  private mutating func make() {
    made += source.bytes
    if source.mustArrive { important = end..<end + source.bytes.count }
    end += source.bytes.count
  }
}

/// The requests that a client sends over one connection, one after the other (protocol.md, Gateway requests).
struct RequestSource {
  private let scenario: Scenario
  /// Numbers of the connection's requests among all of the scenario, from 0.
  private let share: Range<Int>
  private var next: Int
  private let verdict: GatewayVerdict?

  /// The request that was made last.
  private(set) var bytes: [UInt8] = []
  private(set) var request = GeneratedRequest()
  private var outcome = GatewayVerdict.Outcome.unknown
  private(set) var mustArrive = false

  init(_ scenario: Scenario, connection: Int, of count: Int, verdict: GatewayVerdict?) {
    self.scenario = scenario
    self.verdict = verdict
    share = scenario.share(of: connection, among: count)
    next = share.lowerBound
  }
}

extension RequestSource: RecordSource {
  typealias Reach = RequestReach

  static var isFromServer: Bool { false }

  mutating func advance() -> Bool {
    guard next < share.upperBound else { return false }
    request = GeneratedRequest(next, of: scenario, inConnection: next - share.lowerBound)
    request.encode(to: &bytes)
    outcome = verdict?.outcome(of: next) ?? .unknown
    mustArrive = verdict?.request == next
    next += 1
    return true
  }

  var isAtEnd: Bool { next >= share.upperBound }

  var canStart: Bool { request.token.count == Scenario.normalLength }

  func tell(
    _ standing: Standing, of stream: TruthWriter.Stream, at offset: Int, _ place: CapturedPlace?,
    to truth: inout TruthWriter
  ) throws {
    try truth.request(
      standing, request, length: bytes.count, outcome, status: outcome == .rejected ? verdict?.status : nil,
      of: stream,
      at: offset, place)
  }
}

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
