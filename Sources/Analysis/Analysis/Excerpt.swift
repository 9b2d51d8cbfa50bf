import APNsWire

/// A finding with bytes of the stream: some before it, its first and last bytes, and some after it.
package struct Excerpt: Sendable {
  /// The most bytes before a finding, at its beginning, and after it.
  fileprivate static let before = 40
  private static let most = 64
  private static let after = 24
  /// More bytes than a feedback decoder carries over.
  private static let pastDistance = 1024

  package struct ReceivedBytes: Sendable {
    /// Offset of the first received byte.
    package fileprivate(set) var start: Int
    package fileprivate(set) var bytes: [UInt8] = []
    /// Offsets of the bytes to collect.
    fileprivate var range: Range<Int>

    fileprivate init(_ range: Range<Int>) {
      self.range = range
      start = range.lowerBound
    }
  }

  /// A feedback record near the finding.
  package struct Tuple: Sendable {
    /// Its offsets in the direction.
    package var range: Range<Int>
    /// Whether the record has no flags, so that its fields are certain.
    package var isSure: Bool
  }

  package let finding: Finding
  /// The number of its input, from 1, in the order of reading; 0 before the first.
  package let input: Int
  /// The number of the finding, from 1, in the order of detection. Excerpts are emitted in the order of their offsets.
  package let number: Int
  /// Offsets of the finding in its direction; nil if it concerns no direction.
  package let range: Range<Int>?
  /// Whether the bytes are decoded from text, and what the file has there; nil if that is no longer known.
  package var isDecoded = false
  package var fileText: FileExcerpt?
  private var wanted: [ReceivedBytes]
  package private(set) var tuples: [Tuple] = []
  /// Offset up to which records were added.
  private var notedEnd = 0
  /// Whether later bytes are so far away that no more feedback records of the excerpt can follow. Requests may
  /// follow much later, but are not part of excerpts.
  private var isPast = false

  init(_ finding: Finding, input: Int, number: Int) {
    (self.finding, self.input, self.number) = (finding, input, number)
    guard finding.stream != nil, finding.direction != nil, let offset = finding.offset else {
      range = nil
      wanted = []
      return
    }
    let end = offset &+ max(finding.length ?? 0, 0)
    range = offset..<end
    let front = max(offset &- Self.before, 0)
    if finding.code == .streamGap {
      wanted = [ReceivedBytes(front..<offset), ReceivedBytes(end..<end &+ Self.after)]
    } else if end &- offset > Self.most {
      wanted = [
        ReceivedBytes(front..<offset &+ Self.most),
        ReceivedBytes(max(end &- 8, offset &+ Self.most)..<end &+ Self.after),
      ]
    } else {
      wanted = [ReceivedBytes(front..<end &+ Self.after)]
    }
  }

  /// The received bytes, in the order of their offsets.
  package var parts: [ReceivedBytes] { wanted.filter { !$0.bytes.isEmpty } }

  /// The bytes of the finding that were received, from its first one on.
  package var findingBytes: ArraySlice<UInt8> {
    guard let range, let part = parts.first(where: { $0.start <= range.lowerBound }) else { return [] }
    return part.bytes.dropFirst(range.lowerBound &- part.start).prefix(range.count)
  }

  /// Offset after the last byte to collect.
  private var end: Int { wanted.last?.range.upperBound ?? 0 }

  var isWhole: Bool {
    isPast || notedEnd >= end && wanted.allSatisfy { $0.start &+ $0.bytes.count >= $0.range.upperBound }
  }

  /// Copies the bytes to collect from bytes of its direction.
  /// - Parameter base: offset of the first of `bytes`.
  mutating func take(_ bytes: RawSpan, at base: Int) {
    if base > end &+ Self.pastDistance { isPast = true }
    for index in wanted.indices {
      if wanted[index].bytes.isEmpty { wanted[index].start = max(wanted[index].range.lowerBound, base) }
      let next = wanted[index].start &+ wanted[index].bytes.count
      let last = min(wanted[index].range.upperBound, base &+ bytes.byteCount)
      guard next >= base, next < last else { continue }
      bytes.extracting(next &- base..<last &- base).withUnsafeBytes {
        wanted[index].bytes.append(contentsOf: $0)
      }
    }
  }

  /// Adds the records of a run that overlap the excerpt.
  mutating func note(_ run: RecordRun) {
    let runEnd = run.offset &+ run.count &* run.stride
    notedEnd = max(notedEnd, runEnd)
    guard let front = wanted.first?.range.lowerBound, runEnd > front, run.offset < end, run.stride > 0 else {
      return
    }
    let first = max(0, (front &- run.offset) / run.stride)
    let last = min(run.count &- 1, (end &- 1 &- run.offset) / run.stride)
    guard first <= last else { return }
    for index in first...last {
      let offset = run.offset &+ index &* run.stride
      tuples.append(Tuple(range: offset..<offset &+ run.stride, isSure: run.flags.isEmpty))
    }
  }
}

/// Collects the excerpts of one direction. Keeps its last bytes and records, because findings about them come later.
///
/// Memory: up to about 1.5 KiB, usually 40 bytes.
final class ExcerptMaker {
  private var recent = RecentBytes()
  /// The last run, which may be before a finding.
  private var lastRun: RecordRun?
  /// Incomplete excerpts.
  private var open: [Excerpt] = []

  func begin(_ excerpt: Excerpt) {
    var excerpt = excerpt
    if let lastRun { excerpt.note(lastRun) }
    open.append(excerpt)
  }

  func note(_ run: RecordRun, in log: EvidenceLog) throws {
    lastRun = run
    try update(in: log) { $0.note(run) }
  }

  /// Adds the next bytes of the direction, which were decoded before.
  /// - Parameters:
  ///   - base: offset of the first of `bytes`.
  ///   - covered: offset up to which the decoder has covered the bytes; nil if the direction is not decoded.
  func append(_ bytes: RawSpan, at base: Int, covered: Int?, in log: EvidenceLog) throws {
    if !open.isEmpty {
      for index in open.indices {
        recent.fill(&open[index])
        open[index].take(bytes, at: base)
      }
      try update(in: log) { _ in }
    }
    recent.append(bytes, at: base, covered: covered)
  }

  /// Completes excerpts from the kept bytes, at a gap or at the end.
  func fill(in log: EvidenceLog) throws { try update(in: log) { recent.fill(&$0) } }

  /// Emits all excerpts at the end of the direction.
  func finish(in log: EvidenceLog) throws {
    try fill(in: log)
    for excerpt in open { try log.add { try $0.excerpt(excerpt) } }
    open = []
  }

  private func update(in log: EvidenceLog, _ change: (inout Excerpt) -> Void) throws {
    if open.isEmpty { return }
    for index in open.indices { change(&open[index]) }
    for excerpt in open where excerpt.isWhole { try log.add { try $0.excerpt(excerpt) } }
    open.removeAll(where: \.isWhole)
  }
}

/// The undecided bytes of a direction, and a few bytes before them.
private struct RecentBytes {
  /// The most bytes kept from the first undecided one on. If there are more, the first `most` and the last
  /// `tailLength` are kept. A feedback decoder carries over fewer bytes.
  private static let most = 1024
  private static let tailLength = 512

  /// Offset of the first kept byte, from 0.
  private var start = 0
  private var bytes: [UInt8] = []
  /// Offset of the first byte of `tail`, the last bytes if they do not follow directly after `bytes`.
  private var tailStart = 0
  private var tail: [UInt8] = []

  /// Offset after the last byte.
  private var end: Int { tail.isEmpty ? start &+ bytes.count : tailStart &+ tail.count }

  /// Adds the next bytes. After a gap, the older bytes are dropped.
  /// - Parameters:
  ///   - base: offset of the first byte of `more`.
  ///   - covered: offset up to which the decoder has covered the bytes; nil if the direction is not decoded, so that
  ///     only its first bytes are useful.
  mutating func append(_ more: RawSpan, at base: Int, covered: Int?) {
    let end = base &+ more.byteCount
    if self.end != base { self = RecentBytes(start: base) }
    forget(before: min(covered.map { max($0 &- Excerpt.before, 0) } ?? 0, end))
    if tail.isEmpty {
      let first = max(start, base)
      let count = min(max(end &- first, 0), Self.most &- bytes.count)
      if count > 0 { Self.copy(more, first &- base, count, to: &bytes) }
    }
    if start &+ bytes.count < end { keepTail(more, at: base) }
  }

  private mutating func forget(before offset: Int) {
    if tailStart < offset, !tail.isEmpty, start &+ bytes.count <= offset {
      (start, bytes, tail) = (tailStart, tail, [])
    }
    guard offset > start else { return }
    let count = min(offset &- start, bytes.count)
    bytes.removeFirst(count)
    start = bytes.isEmpty ? offset : start &+ count
  }

  private mutating func keepTail(_ more: RawSpan, at base: Int) {
    let count = min(more.byteCount, Self.tailLength)
    if tailStart &+ tail.count != base { tail = [] }
    Self.copy(more, more.byteCount &- count, count, to: &tail)
    if tail.count > Self.tailLength { tail.removeFirst(tail.count &- Self.tailLength) }
    tailStart = base &+ more.byteCount &- tail.count
  }

  private static func copy(_ bytes: RawSpan, _ start: Int, _ count: Int, to array: inout [UInt8]) {
    bytes.extracting(start..<start &+ count).withUnsafeBytes { array.append(contentsOf: $0) }
  }

  func fill(_ excerpt: inout Excerpt) {
    excerpt.take(bytes.span.bytes, at: start)
    if !tail.isEmpty { excerpt.take(tail.span.bytes, at: tailStart) }
  }
}
