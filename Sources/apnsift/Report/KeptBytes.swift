import APNsWire
import Reports
import WireBytes

/// The last bytes of a direction of which not all has been said, and a few before them: what a window around a finding
/// is made of, which is told when its bytes have gone by.
struct RecentDirection {
  /// Bytes before what has not been said that are kept besides.
  static let before = 40
  /// Bytes kept from there on at most. Of a longer stretch its beginning is kept, and the last bytes for its end: more
  /// than a decoder of feedback holds back before it tells of that.
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

  /// Offset behind the last byte that came.
  private var end: Int { tail.isEmpty ? start &+ bytes.count : tailStart &+ tail.count }

  /// Takes the bytes that follow those before; behind a gap it begins anew.
  /// - Parameters:
  ///   - base: offset of the first byte of `more`.
  ///   - covered: offset up to which all has been said; nil where nothing more will be, and only what the direction
  ///     begins with is of use.
  mutating func append(_ more: RawSpan, at base: Int, covered: Int?) {
    let end = base &+ more.byteCount
    if self.end != base { self = RecentDirection(start: base) }
    forget(before: min(covered.map { max($0 &- Self.before, 0) } ?? 0, end))
    if tail.isEmpty {
      let first = max(start, base)
      let count = min(max(end &- first, 0), Self.most &- bytes.count)
      if count > 0 { Self.copy(more, first &- base, count, to: &bytes) }
    }
    if start &+ bytes.count < end { keepTail(more, at: base) }
  }

  /// What is kept begins at `offset`, or behind it.
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

  /// Hands what is kept to a window.
  func fill(_ window: inout KeptPlaceWindow) {
    window.take(bytes.span.bytes, at: start)
    if !tail.isEmpty { window.take(tail.span.bytes, at: tailStart) }
  }
}

/// The window around one finding while its bytes come.
struct KeptPlaceWindow {
  /// Bytes of a place that are kept, from its first one on, and bytes behind a place.
  private static let most = 64
  private static let behind = 24
  /// More bytes than a decoder of feedback holds back.
  private static let pastDistance = 1024

  /// A stretch that is wanted, and what has come of it.
  private struct Part {
    var range: Range<Int>
    /// Offset of the first byte that has come.
    var start: Int
    var bytes: [UInt8] = []

    init(_ range: Range<Int>) {
      self.range = range
      start = range.lowerBound
    }
  }

  /// A field of a record of feedback beside the place.
  private struct Field {
    var range: Range<Int>
    var kind: HexWindow.Kind
    /// Whether the record carries no flag: then the field is what it is taken for.
    var isSure: Bool
  }

  private let place: Range<Int>
  private var parts: [Part]
  private var fields: [Field] = []
  /// Records up to here have been told of.
  private var coveredEnd = 0
  /// Whether bytes come from so far behind the window that nothing more is said of it. Requests are told of much later, and
  /// have no fields here.
  private var isPast = false

  /// - Parameters:
  ///   - offset: where the place begins, from 0.
  ///   - length: bytes of the place.
  ///   - isGap: whether its bytes are missing.
  init(offset: Int, length: Int, isGap: Bool) {
    place = offset..<offset &+ max(length, 0)
    let front = max(offset &- RecentDirection.before, 0)
    if isGap {
      let end = place.upperBound
      parts = [Part(front..<offset), Part(end..<end &+ Self.behind)]
    } else if length > Self.most {
      let end = place.upperBound
      parts = [
        Part(front..<offset &+ Self.most), Part(max(end &- 8, offset &+ Self.most)..<end &+ Self.behind),
      ]
    } else {
      parts = [Part(front..<place.upperBound &+ Self.behind)]
    }
  }

  /// Offset behind the last byte that is wanted.
  var end: Int { parts.last?.range.upperBound ?? 0 }

  /// Whether all has come, records included.
  var isWhole: Bool {
    isPast || coveredEnd >= end && parts.allSatisfy { $0.start &+ $0.bytes.count >= $0.range.upperBound }
  }

  /// - Parameter base: offset of the first of `bytes`.
  mutating func take(_ bytes: RawSpan, at base: Int) {
    if base > end &+ Self.pastDistance { isPast = true }
    for index in parts.indices {
      if parts[index].bytes.isEmpty { parts[index].start = max(parts[index].range.lowerBound, base) }
      let next = parts[index].start &+ parts[index].bytes.count
      let last = min(parts[index].range.upperBound, base &+ bytes.byteCount)
      guard next >= base, next < last else { continue }
      bytes.extracting(next &- base..<last &- base).withUnsafeBytes {
        parts[index].bytes.append(contentsOf: $0)
      }
    }
  }

  /// Notes the fields of the records of a run that lie in the window.
  mutating func note(_ run: RecordRun) {
    let runEnd = run.offset &+ run.count &* run.stride
    coveredEnd = max(coveredEnd, runEnd)
    guard let front = parts.first?.range.lowerBound, runEnd > front, run.offset < end, run.stride > 0 else {
      return
    }
    let first = max(0, (front &- run.offset) / run.stride)
    let last = min(run.count &- 1, (end &- 1 &- run.offset) / run.stride)
    guard first <= last else { return }
    for index in first...last {
      let offset = run.offset &+ index &* run.stride
      let isSure = run.flags.isEmpty
      fields.append(Field(range: offset..<offset &+ 4, kind: .time, isSure: isSure))
      fields.append(Field(range: offset &+ 4..<offset &+ 6, kind: .length, isSure: isSure))
      fields.append(Field(range: offset &+ 6..<offset &+ run.stride, kind: .token, isSure: isSure))
    }
  }

  /// - Parameter redacts: shows times and lengths of sound records alone.
  func window(redacts: Bool) -> HexWindow? {
    let segments = parts.filter { !$0.bytes.isEmpty }.map { part in
      HexWindow.Segment(
        offset: part.start,
        bytes: part.bytes.enumerated().map { byte($0.element, at: part.start &+ $0.offset, redacts: redacts) }
      )
    }
    return segments.isEmpty ? nil : HexWindow(segments)
  }

  private func byte(_ value: UInt8, at offset: Int, redacts: Bool) -> HexWindow.Byte {
    if place.contains(offset) { return HexWindow.Byte(redacts ? nil : value, .place) }
    guard let field = fields.first(where: { $0.range.contains(offset) }) else {
      return HexWindow.Byte(redacts ? nil : value, .other)
    }
    let isShown = !redacts || field.isSure && field.kind != .token
    return HexWindow.Byte(isShown ? value : nil, field.kind)
  }
}
