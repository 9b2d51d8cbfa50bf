import APNsWire
import WireBytes

/// A finding with the bytes around it: some before it, its first and last ones, and some after it.
package struct Excerpt: Sendable {
  /// Bytes before a finding, from its first one on, and after its last one.
  fileprivate static let before = 40
  private static let most = 64
  private static let after = 24
  /// More bytes than a decoder of feedback holds back.
  private static let pastDistance = 1024

  /// Bytes in a row.
  package struct Part: Sendable {
    /// Offset of the first byte that has come.
    package fileprivate(set) var start: Int
    package fileprivate(set) var bytes: [UInt8] = []
    /// The bytes that are wanted.
    fileprivate var range: Range<Int>

    fileprivate init(_ range: Range<Int>) {
      self.range = range
      start = range.lowerBound
    }
  }

  /// A record of feedback beside the finding.
  package struct Tuple: Sendable {
    /// Its bytes in the direction.
    package var range: Range<Int>
    /// Whether it carries no flag: then its fields are what they are taken for.
    package var isSure: Bool
  }

  package let finding: Finding
  /// The order in which findings were made, from 1. They leave in that of their offsets.
  package let number: Int
  /// Where the finding is in its direction; nil where it concerns none.
  package let range: Range<Int>?
  private var wanted: [Part]
  package private(set) var tuples: [Tuple] = []
  /// Records up to here have been noted.
  private var notedEnd = 0
  /// Whether bytes come from so far after it that nothing more is said of those here. Requests are decided much later, but
  /// are not noted.
  private var isPast = false

  init(_ finding: Finding, number: Int) {
    self.finding = finding
    self.number = number
    guard finding.stream != nil, finding.direction != nil, let offset = finding.offset else {
      range = nil
      wanted = []
      return
    }
    let end = offset &+ max(finding.length ?? 0, 0)
    range = offset..<end
    let front = max(offset &- Self.before, 0)
    if finding.code == .streamGap {
      wanted = [Part(front..<offset), Part(end..<end &+ Self.after)]
    } else if end &- offset > Self.most {
      wanted = [
        Part(front..<offset &+ Self.most), Part(max(end &- 8, offset &+ Self.most)..<end &+ Self.after),
      ]
    } else {
      wanted = [Part(front..<end &+ Self.after)]
    }
  }

  /// The bytes that have come, in the order of their offsets.
  package var parts: [Part] { wanted.filter { !$0.bytes.isEmpty } }

  /// Offset after the last byte that is wanted.
  private var end: Int { wanted.last?.range.upperBound ?? 0 }

  /// Whether all has come, records included.
  var isWhole: Bool {
    isPast || notedEnd >= end && wanted.allSatisfy { $0.start &+ $0.bytes.count >= $0.range.upperBound }
  }

  /// Takes what it wants of bytes of its direction.
  /// - Parameter base: offset of the first of them.
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

  /// Notes the records of a run that have bytes in it.
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

/// Makes the excerpts of one direction: remembers its last bytes and records until findings about them have come.
///
/// Memory: up to some 1.5 KiB, mostly 40 bytes.
final class ExcerptMaker {
  private var recent = RecentBytes()
  /// What is before a finding.
  private var lastRun: RecordRun?
  /// Excerpts that still want bytes or records.
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

  /// Takes the direction's next bytes, which have been decoded.
  /// - Parameters:
  ///   - base: offset of the first of them.
  ///   - covered: offset up to which all has been said; nil where nothing more will be.
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

  /// The direction has a gap, or more of its bytes were decided at its end.
  func fill(in log: EvidenceLog) throws {
    try update(in: log) { recent.fill(&$0) }
  }

  /// The direction has ended.
  func finish(in log: EvidenceLog) throws {
    try fill(in: log)
    for excerpt in open { try log.add(excerpt) }
    open = []
  }

  private func update(in log: EvidenceLog, _ change: (inout Excerpt) -> Void) throws {
    if open.isEmpty { return }
    for index in open.indices { change(&open[index]) }
    for excerpt in open where excerpt.isWhole { try log.add(excerpt) }
    open.removeAll(where: \.isWhole)
  }
}

/// The last bytes of a direction of which not all has been said, and a few before them.
private struct RecentBytes {
  /// Bytes kept at most from the first one on of which not all has been said. Of more, the first ones are kept, and the
  /// last ones for the end: more than a decoder of feedback holds back before it decides.
  private static let most = 1024
  private static let tailLength = 512

  /// Offset of the first byte kept, from 0.
  private var start = 0
  private var bytes: [UInt8] = []
  /// Offset of the first of the last few, where those do not go on from `bytes`.
  private var tailStart = 0
  private var tail: [UInt8] = []

  init() {}

  private init(start: Int) { self.start = start }

  /// Offset after the last byte that came.
  private var end: Int { tail.isEmpty ? start &+ bytes.count : tailStart &+ tail.count }

  /// Takes the bytes that follow those before; after a gap it begins anew.
  /// - Parameters:
  ///   - base: offset of the first byte of `more`.
  ///   - covered: offset up to which all has been said; nil where nothing more will be, and only what the direction
  ///     begins with is of use.
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

  /// What is kept begins at `offset`, or after it.
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
