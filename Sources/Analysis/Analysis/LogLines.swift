import APNsWire
import Basics
import PacketCapture
import ProviderLogs

/// Counts of log lines that are not pushes.
struct LogLineCounts {
  /// The maximum number of findings about malformed lines. Further lines are only counted.
  static let mostListed = 1000

  var listed = 0
  /// Malformed lines without a finding of their own.
  var more = 0
  /// Lines without a push, and their bytes.
  var unrelated = 0
  var unrelatedBytes = 0
  /// Line number of the first unrelated line, from 1.
  var firstUnrelated = 0
}

extension LogDecoder: DirectionDecoder {
  var content: DirectionContent { .providerLog }
  /// Its records have no indices.
  var carry: [UInt8]? { nil }
  func finish(atGap: Bool) { finish() }

  func emit(
    _ record: LogRecord, in _: RawSpan, at _: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    switch record {
    case .push(let offset, let length):
      guard let origin = direction.trail.origin(at: offset) else { return }
      direction.records &+= 1
      analysis.log.summary.recordBytes &+= length
      let push = PushRecord(
        fields, direction: .server, offset: offset, fileOffset: origin.fileOffset(of: offset), packet: nil)
      analysis.logCounts?.value.pushes.count(push.fields)
      try withTexts { try analysis.log.add(push, labels: analysis.labels(input: 0), in: $0) }
    case .passed(_, let length): analysis.log.summary.recordBytes &+= length
    case .skipped(let skip): try analysis.reportLines(skip, by: self, in: &direction)
    }
  }
}

/// Emits the findings of a log.
extension StreamAnalysis {
  fileprivate func reportLines(
    _ skip: LogSkip, by decoder: LogDecoder, in direction: inout DirectionAnalysis
  ) throws {
    log.summary.skippedBytes &+= skip.length
    let origin = direction.endSkip(at: skip.offset)
    guard let counts = logCounts else { return }
    guard let finding = skip.finding else {
      if counts.value.lines.unrelated == 0 { counts.value.lines.firstUnrelated = skip.firstLine }
      counts.value.lines.unrelated &+= skip.lines
      counts.value.lines.unrelatedBytes &+= skip.length
      return
    }
    guard counts.value.lines.listed < LogLineCounts.mostListed else {
      counts.value.lines.more &+= skip.lines
      return
    }
    counts.value.lines.listed &+= 1
    let text = finding.message(found: decoder.findingText)
    let last = skip.firstLine + skip.lines - 1
    let message: Message =
      skip.lines == 1
      ? "line \(last): \(text)" : "lines \(skip.firstLine) to \(last): \(text) (in the first of them)"
    try report(direction.finding(.malformedLine, skip.offset, skip.length, origin, message), in: &direction)
  }

  func reportCountedLines() throws {
    guard let counts = logCounts?.value.lines else { return }
    if counts.more > 0 {
      try report(
        StreamFinding(
          .malformedLine, side: nil,
          message:
            "\(Count.of(counts.more, "more line")) with errors; only \(LogLineCounts.mostListed) are "
            + "listed"))
    }
    guard case .decoded(let box as Box<LogDecoder>) = self[.first].content else { return }
    let decoder = box.value
    if counts.unrelated > 0 {
      let forms: Message = decoder.formsError.map { "; lines are not read by forms: \($0)" } ?? ""
      try report(
        StreamFinding(
          .unrelatedLines, side: nil,
          message: "\(Count.of(counts.unrelated, "line")) "
            + "(\(Count.of(counts.unrelatedBytes, "byte"))) without a push; the first is line "
            + "\(counts.firstUnrelated)\(forms)"
        ))
    }
    for areDoubtful in [true, false] {
      let lines = decoder.logTimes(areDoubtful: areDoubtful)
      guard lines.count > 0 else { continue }
      let message: Message =
        "the timestamp of \(Count.of(lines.count, "line")) with status 410 (the first is line "
        + "\(lines.first)) "
        + (areDoubtful ? "may be the log time: " : "seems to be the log time, and is not taken: ")
        + "--map timestamp=NAME names the time of the invalidation"
      try report(StreamFinding(areDoubtful ? .doubtfulTimes : .logTimes, side: nil, message: message))
    }
  }
}
