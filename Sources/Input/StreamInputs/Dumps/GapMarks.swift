import Basics
import PacketCapture
internal import WideBytes

/// The text that tshark writes into stream data where bytes are missing from a capture:
/// `[76 bytes missing in capture file]`, with a NUL after it in some of its versions (docs/spec/decoding-rules.md#gap-marks).
struct GapMark: Equatable {
  /// Index of the `[`, and after the `]`.
  var range: Range<Int>
  var length: Int

  /// tshark counts in 32 bits, so its marks have no more digits than this.
  private static let maxDigits = 10
  private static let open = UInt8(ascii: "[")
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private static let words = Array(" bytes missing in capture file]".utf8)

  /// Maximum length of a mark, in bytes.
  static let maxLength = 1 + maxDigits + words.count

  enum Match: Equatable {
    case mark(GapMark)
    /// The bytes end where a mark could continue.
    case cut
    case none
  }

  static func match(at start: Int, in bytes: RawSpan) -> Match {
    var index = start
    guard index < bytes.byteCount, bytes.byte(at: index) == open else { return .none }
    index += 1
    var length = 0
    while index < bytes.byteCount, index - start <= maxDigits, digits.contains(bytes.byte(at: index)) {
      length = length * 10 + Int(bytes.byte(at: index) - digits.lowerBound)
      index += 1
    }
    if index == bytes.byteCount { return .cut }
    guard index > start + 1 else { return .none }
    for word in words {
      if index == bytes.byteCount { return .cut }
      guard bytes.byte(at: index) == word else { return .none }
      index += 1
    }
    return .mark(GapMark(range: start..<index, length: length))
  }

  /// The eight bytes at each index of the words but the last seven, each in its slot; those at 0 in the others.
  private static let samples = {
    let all = (0..<Int(SAMPLE_STEP)).map { index in
      Sample(
        bytes: words.span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self), offset: index)
    }
    return (0..<32).map { slot in all.first { sample_slot($0.bytes) == slot } ?? all[0] }
  }()

  /// The first whole mark from `start` on.
  ///
  /// Of the indices 24 apart, one always has eight bytes of a mark's words: one load per 24 bytes rules out nearly
  /// all of a binary dump, and a comparison with the sample in its slot most texts in it.
  static func first(in bytes: RawSpan, from start: Int) -> GapMark? {
    var found = FoundSample(index: start, offset: 0)
    while true {
      found = bytes.withUnsafeBytes { bytes in
        samples.withUnsafeBufferPointer { slots in
          find_sample(bytes.baseAddress, found.index, bytes.count, slots.baseAddress)
        }
      }
      if found.index >= bytes.byteCount { return nil }
      if let mark = mark(withWordsAt: found.index &- found.offset, in: bytes, from: start) { return mark }
      found.index &+= Int(SAMPLE_STEP)
    }
  }

  /// The mark whose words begin at `index`, if it begins at `start` or after it.
  private static func mark(withWordsAt index: Int, in bytes: RawSpan, from start: Int) -> GapMark? {
    var open = index - 1
    while open > start, index - open <= maxDigits, digits.contains(bytes.byte(at: open)) { open -= 1 }
    guard open >= start, case .mark(let mark) = match(at: open, in: bytes) else { return nil }
    return mark
  }

  /// Start of a mark that may be cut by the end of the bytes; the end if there is none.
  static func cutMark(in bytes: RawSpan, from start: Int) -> Int {
    var index = bytes.byteCount - 1
    // A `[` can only be a mark's first byte, so the last one decides.
    while index >= max(start, bytes.byteCount - maxLength) {
      if bytes.byte(at: index) == open {
        return match(at: index, in: bytes) == .cut ? index : bytes.byteCount
      }
      index -= 1
    }
    return bytes.byteCount
  }
}

/// Emits the bytes and gaps of a dump, or of one direction of an export, with their offsets. tshark's gap marks become
/// gaps: a mark counts as the missing bytes, not as its own.
struct GapMarkSplitter: Sendable {
  /// Maximum stream length, including gaps, so that offsets can be added without overflow.
  private static let longest = 1 << 60

  var slot: Int32 = 0
  var side = Side.first
  var hasMarks = true
  /// The packet of the bytes and gaps from here on.
  var packet: PacketReference?
  /// Emitted bytes, and bytes missing between them.
  private(set) var byteCount = 0
  private(set) var gapCount = 0
  /// The beginning of a possible mark, buffered until it is complete: at most `GapMark.maxLength` bytes.
  private var pending: [UInt8] = []
  private var pendingOrigins: [SourceExtent] = []
  /// Whether a NUL that follows belongs to the mark before it.
  private var swallowsNUL = false

  /// The offset in the stream of the next byte to be emitted.
  private var offset: Int { byteCount &+ gapCount }

  /// The text's next bytes are those of `text` in `range`.
  /// - Parameters:
  ///   - storage: stores `text`.
  ///   - origins: origins of the bytes; their offsets are indices of `text`.
  mutating func bytes(
    _ text: RawSpan, _ range: Range<Int>, in storage: ByteEvent.Storage, origins: [SourceExtent],
    to batch: inout EventBatch
  ) {
    guard hasMarks else { return emit(range, in: storage, origins: origins, to: &batch) }
    let bytes = text.extracting(first: range.upperBound)
    var index = completePending(with: bytes, from: range.lowerBound, origins: origins, to: &batch)
    while index < bytes.byteCount {
      if swallowsNUL, bytes.byte(at: index) == 0 { index += 1 }
      swallowsNUL = false
      guard let mark = GapMark.first(in: bytes, from: index) else { break }
      emit(index..<mark.range.lowerBound, in: storage, origins: origins, to: &batch)
      let origin = origins[origins.index(of: mark.range.lowerBound)]
      replace(mark, at: origin.fileOffset(of: mark.range.lowerBound), to: &batch)
      index = mark.range.upperBound
    }
    let cut = GapMark.cutMark(in: bytes, from: index)
    emit(index..<cut, in: storage, origins: origins, to: &batch)
    if cut < bytes.byteCount {
      bytes.extracting(cut..<bytes.byteCount).withUnsafeBytes { pending.append(contentsOf: $0) }
      pendingOrigins = slice(origins, cut..<bytes.byteCount, at: offset)
    }
  }

  /// The text itself declares `length` missing bytes.
  mutating func gap(_ length: Int, at fileOffset: Int, to batch: inout EventBatch) {
    endSegment(to: &batch)
    let length = min(length, max(0, Self.longest &- offset))
    if length > 0 { add(length, at: fileOffset, to: &batch) }
  }

  /// Ends a segment, or the dump: neither a mark nor its NUL crosses this boundary.
  mutating func endSegment(to batch: inout EventBatch) {
    swallowsNUL = false
    guard !pending.isEmpty else { return }
    batch.bytes(pending, slot: slot, side: side, origins: pendingOrigins)
    byteCount &+= pending.count
    pending = []
    pendingOrigins.removeAll(keepingCapacity: true)
  }

  private mutating func emit(
    _ range: Range<Int>, in storage: ByteEvent.Storage, origins: [SourceExtent], to batch: inout EventBatch
  ) {
    guard !range.isEmpty else { return }
    batch.bytes(storage, range, slot: slot, side: side, origins: slice(origins, range, at: offset))
    byteCount &+= range.count
  }

  /// The origins of the bytes in `range`, the first of which has this offset in the stream.
  private func slice(_ origins: [SourceExtent], _ range: Range<Int>, at offset: Int) -> [SourceExtent] {
    var part = origins.slice(range, shiftedBy: offset &- range.lowerBound)
    guard let packet else { return part }
    for index in part.indices { part[index].packet = packet }
    return part
  }

  /// Completes the pending mark as far as possible, and returns the index after the bytes used.
  private mutating func completePending(
    with bytes: RawSpan, from start: Int, origins: [SourceExtent], to batch: inout EventBatch
  ) -> Int {
    guard let first = pendingOrigins.first else { return start }
    let own = pending.count
    let end = min(bytes.byteCount, start &+ GapMark.maxLength &- own)
    bytes.extracting(start..<end).withUnsafeBytes { pending.append(contentsOf: $0) }
    switch GapMark.match(at: 0, in: pending.span.bytes) {
    case .cut:
      pendingOrigins += slice(origins, start..<end, at: offset &+ own)
      return end
    case .none:
      pending.removeLast(end &- start)
      endSegment(to: &batch)
      return start
    case .mark(let mark):
      pending.removeAll(keepingCapacity: true)
      pendingOrigins.removeAll(keepingCapacity: true)
      replace(mark, at: first.fileOffset, to: &batch)
      return start &+ mark.range.upperBound &- own
    }
  }

  private mutating func replace(_ mark: GapMark, at fileOffset: Int, to batch: inout EventBatch) {
    add(mark.length, at: fileOffset, to: &batch)
    swallowsNUL = true
  }

  private mutating func add(_ length: Int, at fileOffset: Int, to batch: inout EventBatch) {
    batch.gap(
      StreamGap(offset: offset, length: length, fileOffset: fileOffset, packet: packet), slot: slot,
      side: side)
    gapCount &+= length
  }
}
