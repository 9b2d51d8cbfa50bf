/// Generates a dump of feedback tuples, damaged or not, and its truth. Memory does not grow with it.
struct DumpGenerator {
  private let scenario: Scenario
  private var source: TupleSource
  private var damages: DumpDamageSource
  private var neighbourhood = DamageNeighbourhood()
  private var dump: OutputPieces
  private var truth: TruthWriter
  /// What of the stream was made last, damage left out: what a reader's buffer still holds.
  private var recent: [UInt8] = []
  /// Bytes that are yet to be lost, and where and how many all are.
  private var loss: (left: Int, offset: Int, count: Int, isBlock: Bool)?
  private var tuples = 0

  /// - Parameter source: the dump, as `export` will be told its name.
  init(
    _ scenario: Scenario, source: String, to output: any GeneratorOutput, truth: any GeneratorOutput
  ) {
    self.scenario = scenario
    self.source = TupleSource(scenario)
    damages = DumpDamageSource(scenario)
    dump = OutputPieces(output)
    self.truth = TruthWriter(truth, source: source)
  }

  mutating func run() throws -> GeneratedCounts {
    while source.advance() {
      tuples += 1
      try writeTuple()
      remember()
    }
    if let loss { try tell(loss) }
    try neighbourhood.finish(&truth)
    // Of a damaged dump nobody but a decoder knows what records there are.
    if scenario.damage.isNone {
      var totals = TruthWriter.StreamTotals()
      totals.serverBytes = dump.count
      totals.records = tuples
      try truth.stream(TruthWriter.Stream(), totals)
    }
    try dump.flush()
    try truth.finish()
    return GeneratedCounts(bytes: dump.count)
  }

  private mutating func writeTuple() throws {
    let bytes = source.bytes
    if scenario.damage.cutsTail, source.isAtEnd, loss == nil {
      return try cut(bytes)
    }
    if loss != nil { return try lose(bytes[...], of: bytes) }
    guard !scenario.damage.isNone, let damage = damages.next(length: bytes.count) else {
      try neighbourhood.add(source, at: dump.count, isDamaged: false, to: &truth)
      return try dump.append(bytes)
    }
    switch damage {
    case .lost(let place, let count, let isBlock):
      let start = dump.count
      try dump.append(bytes[..<place])
      loss = (count, dump.count, count, isBlock)
      try lose(bytes[place...], of: bytes, from: start)
    case .flipped(let place, let count):
      try flip(bytes, place..<place + count, damage)
    case .padded(let place, let read, let isStale):
      try pad(bytes, at: place, read: read, isStale: isStale, damage)
    }
  }

  // MARK: - Kinds of damage

  /// Leaves out of `rest`, the end of a tuple, what is still to be lost.
  private mutating func lose(
    _ rest: ArraySlice<UInt8>, of tuple: [UInt8], from start: Int? = nil
  ) throws {
    guard var current = loss else { return }
    let gone = min(current.left, rest.count)
    current.left -= gone
    neighbourhood.damage(endingAt: dump.count)
    try neighbourhood.add(source, at: start ?? dump.count, isDamaged: true, to: &truth)
    try dump.append(rest.dropFirst(gone))
    loss = current.left > 0 ? current : nil
    if loss == nil { try tell(current) }
  }

  private mutating func tell(_ loss: (left: Int, offset: Int, count: Int, isBlock: Bool)) throws {
    let damage = DumpDamage.lost(at: 0, count: loss.count, isBlock: loss.isBlock)
    try truth.damage(damage.name, loss.offset..<loss.offset, lost: loss.count - loss.left)
  }

  private mutating func flip(_ tuple: [UInt8], _ range: Range<Int>, _ damage: DumpDamage) throws {
    let start = dump.count
    var bytes = tuple
    for place in range { bytes[place] ^= damages.change() }
    let damaged = start + range.lowerBound..<start + range.upperBound
    neighbourhood.damage(endingAt: damaged.upperBound)
    try neighbourhood.add(source, at: start, isDamaged: true, to: &truth)
    try truth.damage(damage.name, damaged, lost: 0)
    try dump.append(bytes)
  }

  private mutating func pad(
    _ tuple: [UInt8], at place: Int, read: Int, isStale: Bool, _ damage: DumpDamage
  ) throws {
    let start = dump.count
    try dump.append(tuple[..<place])
    let padding = padding(behind: tuple[..<place], read: read, isStale: isStale)
    let damaged = dump.count..<dump.count + padding.count
    try dump.append(padding)
    try dump.append(tuple[place...])
    neighbourhood.damage(endingAt: damaged.upperBound)
    try neighbourhood.add(source, at: start, isDamaged: true, to: &truth)
    try truth.damage(damage.name, damaged, lost: 0)
  }

  /// What a buffer of 38 bytes holds behind the `read` bytes that came last: bytes of the read before them, or
  /// zeros.
  private func padding(behind head: ArraySlice<UInt8>, read: Int, isStale: Bool) -> [UInt8] {
    let missing = DumpDamage.readerBuffer - read
    let before = recent + head
    guard isStale, before.count >= DumpDamage.readerBuffer else { return Array(repeating: 0, count: missing) }
    return Array(before.suffix(DumpDamage.readerBuffer).prefix(missing))
  }

  private mutating func cut(_ tuple: [UInt8]) throws {
    let start = dump.count
    let left = damages.tail(length: tuple.count)
    try dump.append(tuple[..<left])
    neighbourhood.damage(endingAt: dump.count)
    try neighbourhood.add(source, at: start, isDamaged: true, to: &truth)
    try truth.damage("cut-tail", dump.count..<dump.count, lost: tuple.count - left)
  }

  private mutating func remember() {
    guard !scenario.damage.isNone else { return }
    recent = Array((recent + source.bytes).suffix(DumpDamage.readerBuffer))
  }
}
