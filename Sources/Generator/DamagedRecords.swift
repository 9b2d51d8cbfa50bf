/// Records as they are sent when damage was done to them, in place of another source's.
///
/// A record is given out when it is known how it stands: damage behind it can still make a decoder doubt it. A decoder
/// believes a boundary by the header behind it and, where that has an unusual length, by the next one
/// (decoding-rules.md, believable): damage reaches two records back. How far it reaches forward is the record's
/// affair (DamageReach); there decoding begins again at the first record that it can begin with, which is flagged as
/// resynchronised (start).
struct DamagedRecords<Source: RecordSource> {
  private struct Entry {
    var source: Source
    /// What is left of it, with what was put in.
    var sent: [UInt8]
    /// Offset of its first byte, or of where that would be, in what is sent.
    var offset: Int
    var standing: Standing
  }

  /// What was done, and to which record, by its number from 0.
  private struct Deed {
    var kind: StaticString
    /// Offsets in what is sent.
    var range: Range<Int>
    var lost: Int
    var record: Int
  }

  private static var reachBack: Int { 2 }

  private var source: Source
  private var damages: StreamDamageSource
  private var reach = Source.Reach()
  private var isNear = false
  /// The current record and those behind it that are made.
  private var entries: [Entry] = []
  private var deeds: [Deed] = []
  /// Numbers of the current record and of the one to be made next.
  private var current = -1
  private var made = 0
  /// Bytes that were sent.
  private var count = 0
  /// What was made last, damage left out: what a reader's buffer still holds.
  private var recent: [UInt8] = []
  /// Bytes that are yet to be lost, and where and how many all are.
  private var loss: (left: Int, offset: Int, count: Int, isBlock: Bool)?

  /// - Parameter connection: its number, from 0; 0 for a dump.
  init(_ source: Source, _ scenario: Scenario, connection: Int = 0) {
    self.source = source
    damages = StreamDamageSource(scenario, connection: connection)
  }

  // MARK: - One record

  /// Makes the next record; false where there is none.
  private mutating func make() -> Bool {
    guard source.advance() else {
      made -= 1
      if let loss { note(loss) }
      made += 1
      loss = nil
      return false
    }
    let bytes = source.bytes
    if loss != nil {
      lose([], bytes[...])
    } else if damages.cutsTail, source.isAtEnd {
      cut(bytes)
    } else if let damage = damages.isNone ? nil : damages.next(length: bytes.count) {
      apply(damage, to: bytes)
    } else {
      add(bytes, isDamaged: false)
    }
    made += 1
    if !damages.isNone { recent = Array((recent + bytes).suffix(StreamDamage.readerBuffer)) }
    return true
  }

  private mutating func apply(_ damage: StreamDamage, to bytes: [UInt8]) {
    switch damage {
    case .lost(let place, let lost, let isBlock):
      loss = (lost, count + place, lost, isBlock)
      lose(bytes[..<place], bytes[place...])
    case .flipped(let place, let changed):
      flip(bytes, place..<place + changed, damage.name)
    case .padded(let place, let read, let isStale):
      pad(bytes, at: place, read: read, isStale: isStale, damage.name)
    }
  }

  private mutating func add(_ sent: [UInt8], isDamaged: Bool) {
    let wasNear = isNear
    if isNear, !isDamaged, source.canStart, reach.isClear(at: count) { isNear = false }
    entries.append(
      Entry(
        source: source, sent: sent, offset: count,
        standing: isDamaged ? .damaged : wasNear ? .near : .whole))
    reach.sent(sent)
    count += sent.count
  }

  /// Adds a record with damage in it that ends at index `end` of `sent`.
  private mutating func add(_ sent: [UInt8], damagedTo end: Int) {
    // Those before the current record are given out.
    for index in entries.indices.suffix(Self.reachBack) where entries[index].standing == .whole {
      entries[index].standing = .near
    }
    isNear = true
    reach.damage(in: count, endingAt: count + end)
    add(sent, isDamaged: true)
  }

  // MARK: - Kinds of damage

  /// Leaves out of `rest`, the end of a record, what is still to be lost.
  private mutating func lose(_ head: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) {
    guard var losing = loss else { return }
    let gone = min(losing.left, rest.count)
    losing.left -= gone
    add(Array(head + rest.dropFirst(gone)), damagedTo: head.count)
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

  private mutating func flip(_ bytes: [UInt8], _ range: Range<Int>, _ kind: StaticString) {
    var bytes = bytes
    for place in range { bytes[place] ^= damages.change() }
    note(kind, count + range.lowerBound..<count + range.upperBound)
    add(bytes, damagedTo: range.upperBound)
  }

  private mutating func pad(
    _ bytes: [UInt8], at place: Int, read: Int, isStale: Bool, _ kind: StaticString
  ) {
    let padding = padding(behind: bytes[..<place], read: read, isStale: isStale)
    note(kind, count + place..<count + place + padding.count)
    add(Array(bytes[..<place] + padding + bytes[place...]), damagedTo: place + padding.count)
  }

  /// What a buffer of 38 bytes holds behind the `read` bytes that came last: bytes of the read before them, or
  /// zeros.
  private func padding(behind head: ArraySlice<UInt8>, read: Int, isStale: Bool) -> [UInt8] {
    let missing = StreamDamage.readerBuffer - read
    let before = recent + head
    guard isStale, before.count >= StreamDamage.readerBuffer else {
      return Array(repeating: 0, count: missing)
    }
    return Array(before.suffix(StreamDamage.readerBuffer).prefix(missing))
  }

  private mutating func cut(_ bytes: [UInt8]) {
    let left = damages.tail(length: bytes.count)
    note("cut-tail", count + left..<count + left, lost: bytes.count - left)
    add(Array(bytes[..<left]), damagedTo: left)
  }
}

// MARK: - A source like the one without damage

extension DamagedRecords: RecordSource {
  typealias Reach = Source.Reach

  static var isFromServer: Bool { Source.isFromServer }

  mutating func advance() -> Bool {
    if !entries.isEmpty { entries.removeFirst() }
    while entries.count <= Self.reachBack, make() {}
    current += 1
    return !entries.isEmpty
  }

  var bytes: [UInt8] { entries.first?.sent ?? [] }
  var isAtEnd: Bool { source.isAtEnd && entries.count <= 1 }
  var mustArrive: Bool { false }

  /// Behind a gap no more is promised than that decoding begins with a record that nothing touched.
  var canStart: Bool { entries.first.map { $0.standing == .whole && $0.source.canStart } ?? false }

  /// Offset of the current record in what is sent.
  var offset: Int { entries.first?.offset ?? count }

  func tell(
    _ standing: Standing, of stream: TruthWriter.Stream, at offset: Int, _ place: CapturedPlace?,
    to truth: inout TruthWriter
  ) throws {
    guard let entry = entries.first else { return }
    let standing = entry.standing == .whole ? standing : entry.standing
    try entry.source.tell(standing, of: stream, at: offset, place, to: &truth)
  }

  mutating func tellDamage(
    of stream: TruthWriter.Stream, from base: Int, to truth: inout TruthWriter
  ) throws {
    // What was done to the record behind is known already, and told before the current one.
    while let deed = deeds.first, deed.record <= current + 1 || entries.isEmpty {
      deeds.removeFirst()
      guard deed.range.lowerBound >= base else { continue }
      try truth.damage(
        deed.kind, of: stream, isFromServer: Self.isFromServer,
        deed.range.lowerBound - base..<deed.range.upperBound - base, lost: deed.lost)
    }
  }
}
