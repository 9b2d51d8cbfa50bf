/// Writes the records and findings that a decoder must report for one direction, from the sent records and the
/// captured bytes. It applies the decoding rules to streams in which only the beginning of a record looks like one
/// (RecordSource).
struct ExpectedRecords {
  private var records: SentRecords
  /// With the number that it gets with its first packet.
  var stream = TruthWriter.Stream()
  /// The expectation for complete records.
  private let expectation: Expectation

  /// Offset in the sent bytes up to which everything is written.
  private var done = 0
  /// Offset in the sent bytes of the stream's offset 0; nil before the first captured byte.
  private var base: Int?
  /// The current record, and its offsets in the sent bytes.
  private var current: SentRecord?
  private var record = 0..<0
  /// The location of the record's first byte, if it is captured in the current run.
  private var recordLocation: CapturedLocation?
  /// The beginning of the run until its first record is found; nil afterwards.
  private var searchStart: (offset: Int, location: CapturedLocation)?

  private(set) var bytes = 0
  private(set) var gapBytes = 0
  private(set) var count = 0
  private(set) var findings = 0

  /// - Parameter isMidstream: whether the capture lacks the SYN, so that the stream begins with the first captured
  ///   byte.
  init(_ records: SentRecords, isMidstream: Bool, expectation: Expectation) {
    self.expectation = expectation
    self.records = records
    base = isMidstream ? nil : 0
  }

  /// Whether the beginning of the stream is known.
  var hasBegun: Bool { base != nil }

  /// Processes the next captured bytes.
  mutating func take(_ extent: CapturedExtents.Extent, to truth: inout TruthWriter) throws {
    if base == nil {
      base = extent.range.lowerBound
      done = extent.range.lowerBound
      try find("midstream-start", done..<done, extent.location, to: &truth)
      searchStart = (done, extent.location)
    } else if extent.range.lowerBound > done {
      try endRun(&truth)
      try gap(to: extent.range.lowerBound, extent.location, to: &truth)
      searchStart = (done, extent.location)
    }
    for conflict in extent.conflicts {
      try find("conflicting-overlap", conflict.range, at: (conflict.packet, nil), to: &truth)
    }
    bytes += extent.range.count
    while done < extent.range.upperBound { try step(through: extent, to: &truth) }
  }

  /// Advances to the end of the extent or of the current record, whichever comes first.
  private mutating func step(through extent: CapturedExtents.Extent, to truth: inout TruthWriter) throws {
    while record.upperBound <= done, try advance(&truth) {}
    if record.lowerBound == done { recordLocation = location(of: done, in: extent) }
    done = min(record.upperBound, extent.range.upperBound)
    guard done == record.upperBound, let location = recordLocation, let current,
      searchStart == nil || current.canStart
    else { return }
    if let start = searchStart, start.offset < record.lowerBound {
      try find("skipped-bytes", start.offset..<record.lowerBound, start.location, to: &truth)
    }
    searchStart = nil
    count += 1
    try truth.record(current, expectation, of: stream, at: offset(record.lowerBound), location)
  }

  private mutating func advance(_ truth: inout TruthWriter) throws -> Bool {
    current = records.next()
    guard let current else { return false }
    try records.writeDamage(of: stream, from: base ?? 0, to: &truth)
    record = record.upperBound..<record.upperBound + current.bytes.count
    recordLocation = nil
    return true
  }

  private func location(of offset: Int, in extent: CapturedExtents.Extent) -> CapturedLocation {
    var location = extent.location
    location.fileOffset += offset - extent.range.lowerBound
    return location
  }

  /// Ends the direction. `end` is the offset after the last sent byte, which is known from the FIN.
  mutating func finish(at end: Int, to truth: inout TruthWriter) throws {
    guard base != nil else { return }
    try endRun(&truth)
    if done < end { try gap(to: end, nil, to: &truth) }
    // Write the damage of bytes that are missing at the end of the capture.
    while try advance(&truth) {}
  }

  // MARK: - Runs and findings

  /// Ends a run at offset `done`.
  private mutating func endRun(_ truth: inout TruthWriter) throws {
    defer {
      recordLocation = nil
      searchStart = nil
    }
    if let start = searchStart {
      guard start.offset < done else { return }
      return try find("skipped-bytes", start.offset..<done, start.location, to: &truth)
    }
    guard let location = recordLocation, done < record.upperBound else { return }
    try find("truncated-record", record.lowerBound..<done, location, to: &truth)
  }

  private mutating func gap(to end: Int, _ location: CapturedLocation?, to truth: inout TruthWriter) throws {
    try find("stream-gap", done..<end, location, to: &truth)
    gapBytes += end - done
    done = end
  }

  mutating func find(
    _ code: String, _ range: Range<Int>, _ location: CapturedLocation?, to truth: inout TruthWriter
  ) throws {
    try find(code, range, at: (location?.packet, location?.fileOffset), to: &truth)
  }

  private mutating func find(
    _ code: String, _ range: Range<Int>, at location: (packet: Int?, fileOffset: Int?),
    to truth: inout TruthWriter
  ) throws {
    findings += 1
    let range = offset(range.lowerBound)..<offset(range.upperBound)
    try truth.finding(code, of: stream, isFromServer: records.isFromServer, range, at: location)
  }

  private func offset(_ sent: Int) -> Int { sent - (base ?? 0) }
}
