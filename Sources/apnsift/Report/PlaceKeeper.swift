import APNsWire
import Analysis
import PacketCapture
import Reports

/// Keeps the first few findings of each code, and the bytes around them, while an analysis goes by.
///
/// Memory: of each open direction up to some 1.5 KiB, mostly 40 bytes; of each place that is kept a window of some 130.
final class PlaceKeeper: EvidenceSink {
  private struct Kept {
    var finding: Finding
    var window: KeptPlaceWindow?
  }

  /// A direction by who sends it: findings and records name it so.
  private struct Sender: Hashable {
    var stream: Int
    var direction: Direction
  }

  private let maxPlaces: Int
  private let redacts: Bool
  private var kept: [FindingCode: [Kept]] = [:]
  private var recent: [StreamDirection: RecentDirection] = [:]
  /// Windows that still want bytes or records.
  private var open: [Sender: [(code: FindingCode, index: Int)]] = [:]
  /// The last run of records of each sender: what stands before a finding.
  private var lastRecords: [Sender: FeedbackRecords] = [:]

  /// - Parameters:
  ///   - maxPlaces: kept of each code.
  ///   - redacts: whether windows are to show nothing that may be of a token.
  init(maxPlaces: Int, redacts: Bool) {
    self.maxPlaces = maxPlaces
    self.redacts = redacts
  }

  // MARK: - What is found

  var takesEarlyFindings: Bool { true }

  /// Findings about no stream come here alone.
  func finding(_ finding: Finding) {
    if finding.stream == nil { keep(finding, window: nil) }
  }

  func found(_ finding: Finding) {
    guard let stream = finding.stream, let direction = finding.direction, let offset = finding.offset else {
      keep(finding, window: nil)
      return
    }
    var window = KeptPlaceWindow(
      offset: offset, length: finding.length ?? 0, isGap: finding.code == .streamGap)
    let sender = Sender(stream: stream, direction: direction)
    if let before = lastRecords[sender] { window.note(before.run) }
    guard let index = keep(finding, window: window) else { return }
    open[sender, default: []].append((finding.code, index))
  }

  /// The place of the finding among those of its code; nil where enough are kept.
  @discardableResult
  private func keep(_ finding: Finding, window: KeptPlaceWindow?) -> Int? {
    let count = kept[finding.code]?.count ?? 0
    guard count < maxPlaces else { return nil }
    kept[finding.code, default: []].append(Kept(finding: finding, window: window))
    return count
  }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    let sender = Sender(stream: records.labels.stream, direction: records.direction)
    lastRecords[sender] = records
    if !open.isEmpty { updateWindows(of: sender, records: records.run) }
  }

  /// What was found at the end of a stream gets what is kept of its last bytes.
  func stream(_ stream: StreamSummary) {
    for side in Side.allCases {
      let sender = Sender(stream: stream.number, direction: side == stream.serverSide ? .server : .client)
      let known = recent.removeValue(forKey: StreamDirection(stream: stream.number, side: side))
      if open[sender] != nil { updateWindows(of: sender, recent: known) }
      open[sender] = nil
      lastRecords[sender] = nil
    }
  }

  // MARK: - Bytes

  /// Takes a direction's next bytes, which the analyzer has had.
  func keep(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>, by analyzer: Analyzer)
  {
    guard !origins.isEmpty else { return }
    let base = origins[0].streamOffset
    var known = recent.removeValue(forKey: direction) ?? RecentDirection()
    if !open.isEmpty, let sender = sender(of: direction, analyzer) {
      updateWindows(of: sender, recent: known, bytes: bytes, at: base)
    }
    known.append(bytes, at: base, covered: analyzer.coveredOffset(direction))
    recent[direction] = known
  }

  /// A direction has a gap now, which the analyzer has had.
  func gap(in direction: StreamDirection, by analyzer: Analyzer) {
    guard !open.isEmpty, let known = recent[direction], let sender = sender(of: direction, analyzer) else {
      return
    }
    updateWindows(of: sender, recent: known)
  }

  private func sender(of direction: StreamDirection, _ analyzer: Analyzer) -> Sender? {
    analyzer.role(direction).map { Sender(stream: direction.stream, direction: $0) }
  }

  /// Hands what there is to the windows of a sender, and forgets those that have all they want.
  private func updateWindows(
    of sender: Sender, records: RecordRun? = nil, recent: RecentDirection? = nil, bytes: RawSpan = RawSpan(),
    at base: Int = 0
  ) {
    guard let places = open[sender] else { return }
    var rest: [(code: FindingCode, index: Int)] = []
    for place in places {
      guard var window = kept[place.code]?[place.index].window else { continue }
      if let records { window.note(records) }
      recent?.fill(&window)
      if bytes.byteCount > 0 { window.take(bytes, at: base) }
      kept[place.code]?[place.index].window = window
      if !window.isWhole { rest.append(place) }
    }
    open[sender] = rest.isEmpty ? nil : rest
  }

  // MARK: - The answers

  /// The places of each code in the order in which they were found.
  /// - Parameter command: shows a finding's place.
  func places(of code: FindingCode, command: (Finding) -> String?) -> [FoundPlace] {
    (kept[code] ?? []).map { kept in
      FoundPlace(
        kept.finding, window: kept.window.flatMap { $0.window(redacts: redacts) },
        command: command(kept.finding))
    }
  }
}
