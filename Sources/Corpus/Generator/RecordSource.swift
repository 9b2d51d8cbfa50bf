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
