/// A record as sent, damage included.
struct SentRecord {
  let record: GeneratedRecord
  let bytes: [UInt8]
  /// Offset in the sent bytes of the first byte, or of its position if it is lost.
  let offset: Int
  var expectation: Expectation

  /// Whether decoding must begin with it after a gap: only with a record far from damage.
  var canStart: Bool { expectation == .whole && record.canStart }
}

/// Records as they are sent, damage included.
///
/// A record is returned when its expectation is final: later damage can still make it doubtful. A decoder confirms
/// a boundary with the header after it and, if that has an unusual length, with the next header (docs/spec/decoding-rules.md#plausible-boundaries,
/// boundary). So damage affects up to two earlier records. `DamageReach` computes how far it affects later ones.
/// Decoding resumes at the first unaffected record with which it can begin, which is flagged as resynchronised
/// (start).
struct SentRecords {
  /// Applied damage, and the number of the damaged record, from 0.
  private struct Damage {
    var kind: String
    /// Offsets in the sent bytes.
    var range: Range<Int>
    var lost: Int
    var record: Int
  }

  private static var reachBack: Int { 2 }

  private var source: RecordSource
  private var damages: StreamDamageSource
  private var reach: DamageReach
  private var isNear = false
  /// The current record and the later ones generated so far.
  private var entries: [SentRecord] = []
  private var applied: [Damage] = []
  /// Numbers of the current record and of the next one to generate.
  private var current = -1
  private var made = 0
  /// The number of sent bytes.
  private var count = 0
  /// The last bytes before damage, as in the buffer of a reader.
  private var recent: [UInt8] = []
  /// A loss in progress: bytes still to lose, offset, total bytes, and the name of the damage.
  private var loss: (left: Int, offset: Int, count: Int, kind: String)?

  /// - Parameter connection: number of the connection, from 0; 0 for a dump.
  init(_ source: RecordSource, _ scenario: Scenario, connection: Int = 0) {
    self.source = source
    reach = DamageReach(ofTuples: source.isFromServer)
    damages = StreamDamageSource(scenario, connection: connection)
  }

  var isFromServer: Bool { source.isFromServer }

  mutating func next() -> SentRecord? {
    if damages.rates.isNone {
      guard let record = source.next() else { return nil }
      defer { count += record.bytes.count }
      return SentRecord(record: record, bytes: record.bytes, offset: count, expectation: .whole)
    }
    if !entries.isEmpty { entries.removeFirst() }
    while entries.count <= Self.reachBack, make() {}
    current += 1
    return entries.first
  }

  // MARK: - One record

  /// Generates the next record; false at the end.
  private mutating func make() -> Bool {
    guard let record = source.next() else {
      made -= 1
      if let loss { note(loss) }
      made += 1
      loss = nil
      return false
    }
    if loss != nil {
      lose(record, from: 0)
    } else if damages.rates.cutsTail, source.isAtEnd {
      cut(record)
    } else if let damage = damages.next(length: record.bytes.count) {
      apply(damage, to: record)
    } else {
      add(record, record.bytes, isDamaged: false)
    }
    made += 1
    recent = Array((recent + record.bytes).suffix(StreamDamage.readerBuffer))
    return true
  }

  private mutating func apply(_ damage: StreamDamage, to record: GeneratedRecord) {
    switch damage {
    case .lost(let index, let lost, _):
      loss = (lost, count + index, lost, damage.name)
      lose(record, from: index)
    case .flipped(let index, let changed): flip(record, index..<index + changed, damage.name)
    case .padded(let index, let read, let isStale):
      pad(record, at: index, read: read, isStale: isStale, damage.name)
    }
  }

  private mutating func add(_ record: GeneratedRecord, _ sent: [UInt8], isDamaged: Bool) {
    let wasNear = isNear
    if isNear, !isDamaged, record.canStart, reach.isClear(at: count) { isNear = false }
    entries.append(
      SentRecord(
        record: record, bytes: sent, offset: count,
        expectation: isDamaged ? .damaged : wasNear ? .near : .whole))
    reach.sent(sent)
    count += sent.count
  }

  /// Adds a record with damage that ends at index `end` of `sent`.
  private mutating func add(_ record: GeneratedRecord, _ sent: [UInt8], damagedTo end: Int) {
    // Records before the current one were returned already.
    for index in entries.indices.suffix(Self.reachBack) where entries[index].expectation == .whole {
      entries[index].expectation = .near
    }
    isNear = true
    reach.damage(endingAt: count + end)
    add(record, sent, isDamaged: true)
  }

  // MARK: - Kinds of damage

  /// Removes the bytes still to be lost from a record, from index `start` on.
  private mutating func lose(_ record: GeneratedRecord, from start: Int) {
    guard var losing = loss else { return }
    let gone = min(losing.left, record.bytes.count - start)
    losing.left -= gone
    add(record, Array(record.bytes[..<start] + record.bytes[(start + gone)...]), damagedTo: start)
    loss = losing.left > 0 ? losing : nil
    if loss == nil { note(losing) }
  }

  private mutating func note(_ loss: (left: Int, offset: Int, count: Int, kind: String)) {
    note(loss.kind, loss.offset..<loss.offset, lost: loss.count - loss.left)
  }

  private mutating func note(_ kind: String, _ range: Range<Int>, lost: Int = 0) {
    applied.append(Damage(kind: kind, range: range, lost: lost, record: made))
  }

  private mutating func flip(_ record: GeneratedRecord, _ range: Range<Int>, _ kind: String) {
    var bytes = record.bytes
    for index in range { bytes[index] ^= damages.change() }
    note(kind, count + range.lowerBound..<count + range.upperBound)
    add(record, bytes, damagedTo: range.upperBound)
  }

  private mutating func pad(
    _ record: GeneratedRecord, at index: Int, read: Int, isStale: Bool, _ kind: String
  ) {
    let bytes = record.bytes
    let padding = padding(after: bytes[..<index], read: read, isStale: isStale)
    note(kind, count + index..<count + index + padding.count)
    add(record, Array(bytes[..<index] + padding + bytes[index...]), damagedTo: index + padding.count)
  }

  /// The rest of a buffer of 38 bytes after a read of `read` bytes: bytes of the previous read, or zeros.
  private func padding(after head: ArraySlice<UInt8>, read: Int, isStale: Bool) -> [UInt8] {
    let missing = StreamDamage.readerBuffer - read
    let before = recent + head
    guard isStale, before.count >= StreamDamage.readerBuffer else {
      return Array(repeating: 0, count: missing)
    }
    return Array(before.suffix(StreamDamage.readerBuffer).prefix(missing))
  }

  private mutating func cut(_ record: GeneratedRecord) {
    let left = damages.tail(length: record.bytes.count)
    note("cut-tail", count + left..<count + left, lost: record.bytes.count - left)
    add(record, Array(record.bytes[..<left]), damagedTo: left)
  }

  // MARK: - Truth

  /// Writes the damage of the records so far, unless already written.
  /// - Parameter base: offset in the sent bytes of the stream's offset 0.
  mutating func writeDamage(
    of stream: TruthWriter.Stream, from base: Int, to truth: inout TruthWriter
  ) throws {
    // The damage of the next record is known as well, and written before the current record.
    while let damage = applied.first, damage.record <= current + 1 || entries.isEmpty {
      applied.removeFirst()
      guard damage.range.lowerBound >= base else { continue }
      try truth.damage(
        damage.kind, of: stream, isFromServer: isFromServer,
        damage.range.lowerBound - base..<damage.range.upperBound - base, lost: damage.lost)
    }
  }
}
