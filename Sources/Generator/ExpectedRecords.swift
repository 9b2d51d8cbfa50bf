/// Says what of one direction can be decoded, by what was sent and which of its bytes were captured: the decoding
/// rules for a stream in which nothing but a record's beginning looks like one (RecordSource).
struct ExpectedRecords {
  private var records: SentRecords
  private(set) var stream: TruthWriter.Stream
  /// What to expect of whole records.
  private let expectation: Expectation

  /// Offset, as sent, up to which all has been written.
  private var done = 0
  /// Offset, as sent, of the stream's offset 0; nil while it is not known.
  private var base: Int?
  /// The current record, and where it is, in offsets as sent.
  private var current: SentRecord?
  private var record = 0..<0
  /// Where the record's first byte is, if it was captured in the current run.
  private var recordPlace: CapturedPlace?
  /// Where the run began, while its first record is searched for; nil once decoding has begun.
  private var searchStart: (offset: Int, place: CapturedPlace)?

  private(set) var bytes = 0
  private(set) var gapBytes = 0
  private(set) var count = 0
  private(set) var findings = 0

  /// - Parameter isMidstream: whether the capture lacks the SYN: the stream begins with the first byte that is there.
  init(_ records: SentRecords, isMidstream: Bool, expectation: Expectation) {
    self.expectation = expectation
    self.records = records
    stream = TruthWriter.Stream()
    base = isMidstream ? nil : 0
  }

  /// Whether it is known where the stream begins.
  var hasBegun: Bool { base != nil }

  /// The capture has a packet without its last bytes, which begin at `start`, as sent.
  mutating func writeTruncated(
    _ start: Int, _ length: Int, _ place: CapturedPlace, to truth: inout TruthWriter
  ) throws {
    try find("truncated-packet", start..<start + length, place, isError: false, to: &truth)
  }

  /// The number that the stream got with its first packet, and who its peers are.
  mutating func name(_ stream: TruthWriter.Stream) { self.stream = stream }

  /// The next bytes that were captured.
  mutating func take(_ stretch: CapturedStretches.Stretch, to truth: inout TruthWriter) throws {
    if base == nil {
      base = stretch.range.lowerBound
      done = stretch.range.lowerBound
      try find("midstream-start", done..<done, stretch.place, isError: false, to: &truth)
      searchStart = (done, stretch.place)
    } else if stretch.range.lowerBound > done {
      try endRun(&truth)
      try gap(to: stretch.range.lowerBound, stretch.place, to: &truth)
      searchStart = (done, stretch.place)
    }
    for conflict in stretch.conflicts {
      try find(
        "conflicting-overlap", conflict.range, packet: conflict.packet, nil, isError: false, to: &truth)
    }
    bytes += stretch.range.count
    while done < stretch.range.upperBound { try step(through: stretch, to: &truth) }
  }

  /// Goes to the end of the stretch or of the record there, whichever comes first.
  private mutating func step(through stretch: CapturedStretches.Stretch, to truth: inout TruthWriter) throws {
    while record.upperBound <= done, try advance(&truth) {}
    if record.lowerBound == done {
      recordPlace = place(of: done, in: stretch)
    }
    done = min(record.upperBound, stretch.range.upperBound)
    guard done == record.upperBound, let place = recordPlace, let current,
      searchStart == nil || current.canStart
    else { return }
    if let start = searchStart, start.offset < record.lowerBound {
      try find("skipped-bytes", start.offset..<record.lowerBound, start.place, to: &truth)
    }
    searchStart = nil
    count += 1
    try truth.record(current, expectation, of: stream, at: offset(record.lowerBound), place)
  }

  private mutating func advance(_ truth: inout TruthWriter) throws -> Bool {
    current = records.next()
    guard let current else { return false }
    try records.writeDamage(of: stream, from: base ?? 0, to: &truth)
    record = record.upperBound..<record.upperBound + current.bytes.count
    recordPlace = nil
    return true
  }

  private func place(of offset: Int, in stretch: CapturedStretches.Stretch) -> CapturedPlace {
    var place = stretch.place
    place.fileOffset += offset - stretch.range.lowerBound
    return place
  }

  /// Nothing more comes. `end` is the offset, as sent, behind the last byte: a FIN says it.
  mutating func finish(at end: Int, to truth: inout TruthWriter) throws {
    guard base != nil else { return }
    try endRun(&truth)
    if done < end { try gap(to: end, nil, to: &truth) }
    // What was done to bytes that the capture lacks at the end.
    while try advance(&truth) {}
  }

  // MARK: - Runs and findings

  /// The bytes up to `done` were the last of a run.
  private mutating func endRun(_ truth: inout TruthWriter) throws {
    defer {
      recordPlace = nil
      searchStart = nil
    }
    if let start = searchStart {
      guard start.offset < done else { return }
      return try find("skipped-bytes", start.offset..<done, start.place, to: &truth)
    }
    guard let place = recordPlace, done < record.upperBound else { return }
    try find("truncated-record", record.lowerBound..<done, place, to: &truth)
  }

  private mutating func gap(to end: Int, _ place: CapturedPlace?, to truth: inout TruthWriter) throws {
    try find("stream-gap", done..<end, place, to: &truth)
    gapBytes += end - done
    done = end
  }

  private mutating func find(
    _ code: StaticString, _ range: Range<Int>, _ place: CapturedPlace?, isError: Bool = true,
    to truth: inout TruthWriter
  ) throws {
    try find(code, range, packet: place?.packet, place?.fileOffset, isError: isError, to: &truth)
  }

  private mutating func find(
    _ code: StaticString, _ range: Range<Int>, packet: Int?, _ fileOffset: Int?, isError: Bool,
    to truth: inout TruthWriter
  ) throws {
    findings += 1
    try truth.finding(
      code, of: stream, isFromServer: records.isFromServer,
      offset(range.lowerBound)..<offset(range.upperBound), packet: packet, fileOffset: fileOffset,
      isError: isError)
  }

  private func offset(_ sent: Int) -> Int { sent - (base ?? 0) }
}
