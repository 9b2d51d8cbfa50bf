/// A record as it was sent.
struct SentRecord {
  let record: GeneratedRecord
  /// What is left of it, with what was put in.
  let bytes: [UInt8]
  /// Offset of its first byte, or of where that would be, in what is sent.
  let offset: Int
  var expectation: Expectation

  /// After a gap no more is promised than that decoding begins with a record that nothing touched.
  var canStart: Bool { expectation == .whole && record.canStart }
}

/// Records as they are sent, damage included.
///
/// A record is given out when it is known what to expect of it: damage after it can still make a decoder doubt it. A decoder
/// believes a boundary by the header after it and, where that has an unusual length, by the next one
/// (docs/spec/decoding-rules.md#plausible-boundaries): damage reaches two records back. How far it reaches forward is the record's
/// affair (DamageReach); there decoding begins again at the first record that it can begin with, which is flagged as
/// resynchronised (start).
struct SentRecords {
  /// What was done, and to which record, by its number from 0.
  private struct Deed {
    var kind: StaticString
    /// Offsets in what is sent.
    var range: Range<Int>
    var lost: Int
    var record: Int
  }

  private static var reachBack: Int { 2 }

  private var source: RecordSource
  private var damages: StreamDamageSource
  private var reach: DamageReach
  private var isNear = false
  /// The current record and those after it that are made.
  private var entries: [SentRecord] = []
  private var deeds: [Deed] = []
  /// Numbers of the current record and of the one to be made next.
  private var current = -1
  private var made = 0
  /// Bytes that were sent.
  private var count = 0
  /// What was made last, damage left out: what a reader's buffer still has.
  private var recent: [UInt8] = []
  /// Bytes that are yet to be lost, and where and how many all are.
  private var loss: (left: Int, offset: Int, count: Int, isBlock: Bool)?

  /// - Parameter connection: its number, from 0; 0 for a dump.
  init(_ source: RecordSource, _ scenario: Scenario, connection: Int = 0) {
    self.source = source
    reach = DamageReach(ofTuples: source.isFromServer)
    damages = StreamDamageSource(scenario, connection: connection)
  }

  var isFromServer: Bool { source.isFromServer }

  mutating func next() -> SentRecord? {
    if damages.isNone {
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

  /// Makes the next record; false where there is none.
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
    } else if damages.cutsTail, source.isAtEnd {
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
    case .lost(let place, let lost, let isBlock):
      loss = (lost, count + place, lost, isBlock)
      lose(record, from: place)
    case .flipped(let place, let changed): flip(record, place..<place + changed, damage.name)
    case .padded(let place, let read, let isStale):
      pad(record, at: place, read: read, isStale: isStale, damage.name)
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

  /// Adds a record with damage in it that ends at index `end` of `sent`.
  private mutating func add(_ record: GeneratedRecord, _ sent: [UInt8], damagedTo end: Int) {
    // Those before the current record are given out.
    for index in entries.indices.suffix(Self.reachBack) where entries[index].expectation == .whole {
      entries[index].expectation = .near
    }
    isNear = true
    reach.damage(endingAt: count + end)
    add(record, sent, isDamaged: true)
  }

  // MARK: - Kinds of damage

  /// Leaves out of a record, from index `start` on, what is still to be lost.
  private mutating func lose(_ record: GeneratedRecord, from start: Int) {
    guard var losing = loss else { return }
    let gone = min(losing.left, record.bytes.count - start)
    losing.left -= gone
    add(record, Array(record.bytes[..<start] + record.bytes[(start + gone)...]), damagedTo: start)
    loss = losing.left > 0 ? losing : nil
    if loss == nil { note(losing) }
  }

  private mutating func note(_ loss: (left: Int, offset: Int, count: Int, isBlock: Bool)) {
    let damage = StreamDamage.lost(at: 0, count: loss.count, isBlock: loss.isBlock)
    note(damage.name, loss.offset..<loss.offset, lost: loss.count - loss.left)
  }

  private mutating func note(_ kind: StaticString, _ range: Range<Int>, lost: Int = 0) {
    deeds.append(Deed(kind: kind, range: range, lost: lost, record: made))
  }

  private mutating func flip(_ record: GeneratedRecord, _ range: Range<Int>, _ kind: StaticString) {
    var bytes = record.bytes
    for place in range { bytes[place] ^= damages.change() }
    note(kind, count + range.lowerBound..<count + range.upperBound)
    add(record, bytes, damagedTo: range.upperBound)
  }

  private mutating func pad(
    _ record: GeneratedRecord, at place: Int, read: Int, isStale: Bool, _ kind: StaticString
  ) {
    let bytes = record.bytes
    let padding = padding(after: bytes[..<place], read: read, isStale: isStale)
    note(kind, count + place..<count + place + padding.count)
    add(record, Array(bytes[..<place] + padding + bytes[place...]), damagedTo: place + padding.count)
  }

  /// What a buffer of 38 bytes has after the `read` bytes that came last: bytes of the read before them, or
  /// zeros.
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

  /// Writes what damage was done to the records so far and was not written yet.
  /// - Parameter base: offset, as sent, of the stream's offset 0.
  mutating func writeDamage(
    of stream: TruthWriter.Stream, from base: Int, to truth: inout TruthWriter
  ) throws {
    // What was done to the record after it is known already, and written before the current one.
    while let deed = deeds.first, deed.record <= current + 1 || entries.isEmpty {
      deeds.removeFirst()
      guard deed.range.lowerBound >= base else { continue }
      try truth.damage(
        deed.kind, of: stream, isFromServer: isFromServer,
        deed.range.lowerBound - base..<deed.range.upperBound - base, lost: deed.lost)
    }
  }
}
