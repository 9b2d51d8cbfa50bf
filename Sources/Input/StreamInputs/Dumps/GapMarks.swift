import Basics
import PacketCapture

/// The text that tshark writes into stream data where bytes are missing from a capture:
/// `[76 bytes missing in capture file]`, with a NUL after it in some of its versions (docs/spec/decoding-rules.md#gap-marks).
struct GapMark: Equatable {
  /// Index of the `[`, and after the `]`.
  var range: Range<Int>
  /// The number of bytes missing.
  var length: Int

  /// tshark counts in 32 bits, so its marks have no more digits than this.
  private static let maxDigits = 10
  private static let open = UInt8(ascii: "[")
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private static let words = Array(" bytes missing in capture file]".utf8)

  /// Maximum length of a mark, in bytes.
  static let maxLength = 1 + maxDigits + words.count

  /// Result of matching at a `[`.
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

  /// The eight bytes at each index of the words but the last seven.
  private static let samples: [UInt64] = words.withUnsafeBytes { bytes in
    (0...bytes.count - MemoryLayout<UInt64>.size).map {
      bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
    }
  }

  /// The first whole mark from `start` on.
  ///
  /// Of the indices 24 apart, one always has eight bytes of a mark's words: one load per 24 bytes rules out nearly
  /// all of a binary dump, and a comparison with 24 numbers most texts in it.
  static func first(in bytes: RawSpan, from start: Int) -> GapMark? {
    let samples = samples
    var index = start
    while index &+ MemoryLayout<UInt64>.size <= bytes.byteCount {
      let sample = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      if mayBeWords(sample), let distance = samples.firstIndex(of: sample),
        let mark = mark(withWordsAt: index &- distance, in: bytes, from: start)
      {
        return mark
      }
      index &+= samples.count
    }
    return nil
  }

  /// Whether no byte is 0x80 or above, or below 0x40 and not a space: true for the words, and false for most other
  /// data.
  @inline(__always)
  private static func mayBeWords(_ sample: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let lowBytes = (~sample &>> 6 & ones) &* 0xff
    return sample & (ones &<< 7) == 0 && (sample ^ (ones &* 0x20)) & lowBytes == 0
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

/// Removes tshark's gap marks from a dump, or from one direction of an export, and emits their meaning: bytes and
/// gaps.
///
/// Incoming offsets are positions in the dump; in the events, a mark counts as the missing bytes, not as its own.
struct GapMarkSplitter {
  var slot: Int32 = 0
  var side = Side.first
  /// Emitted bytes, and bytes missing between them.
  private(set) var byteCount = 0
  private(set) var gapCount = 0
  /// Stream offset minus position in the dump.
  private var shift = 0
  /// The beginning of a possible mark, buffered until it is complete: at most `GapMark.maxLength` bytes.
  private var pending: [UInt8] = []
  private var pendingOrigins: [SourceExtent] = []
  /// Whether a NUL that follows belongs to the mark before it.
  private var swallowsNUL = false

  /// The dump's next bytes.
  /// - Parameters:
  ///   - start: index of the first byte in `storage`.
  ///   - origins: origins of the bytes; offsets are positions in the dump.
  mutating func bytes(
    _ bytes: RawSpan, in storage: ByteEvent.Storage, at start: Int, origins: [SourceExtent],
    to batch: inout EventBatch
  ) {
    guard let dumpOffset = origins.first?.streamOffset else { return }
    func emit(_ range: Range<Int>, _ splitter: inout GapMarkSplitter, _ batch: inout EventBatch) {
      guard !range.isEmpty else { return }
      let part = origins.slice(
        dumpOffset &+ range.lowerBound..<dumpOffset &+ range.upperBound, shiftedBy: splitter.shift)
      splitter.byteCount &+= range.count
      batch.bytes(
        storage, start &+ range.lowerBound..<start &+ range.upperBound, slot: splitter.slot,
        side: splitter.side,
        origins: part)
    }
    var index = completePending(with: bytes, origins: origins, to: &batch)
    while index < bytes.byteCount {
      swallowNUL(in: bytes, at: &index)
      guard let mark = GapMark.first(in: bytes, from: index) else { break }
      emit(index..<mark.range.lowerBound, &self, &batch)
      let offset = dumpOffset &+ mark.range.lowerBound
      var origin = origins[origins.index(of: offset)]
      origin.fileOffset = origin.fileOffset(of: offset)
      origin.streamOffset = offset
      gap(mark, at: origin, to: &batch)
      index = mark.range.upperBound
    }
    let cut = GapMark.cutMark(in: bytes, from: min(index, bytes.byteCount))
    emit(index..<max(cut, index), &self, &batch)
    if cut < bytes.byteCount {
      bytes.extracting(cut..<bytes.byteCount).withUnsafeBytes { pending.append(contentsOf: $0) }
      pendingOrigins = origins.slice(dumpOffset &+ cut..<dumpOffset &+ bytes.byteCount, shiftedBy: 0)
    }
  }

  /// The next bytes of a text without marks.
  mutating func pass(
    _ storage: ByteEvent.Storage, _ range: Range<Int>, origins: [SourceExtent], to batch: inout EventBatch
  ) {
    byteCount &+= range.count
    batch.bytes(storage, range, slot: slot, side: side, origins: origins)
  }

  /// The dump itself declares `length` missing bytes at `dumpOffset`.
  mutating func gap(
    dumpOffset: Int, length: Int, fileOffset: Int, packet: PacketReference? = nil, to batch: inout EventBatch
  ) {
    flush(to: &batch)
    swallowsNUL = false
    gapCount &+= length
    batch.gap(
      StreamGap(offset: dumpOffset &+ shift, length: length, fileOffset: fileOffset, packet: packet),
      slot: slot, side: side)
  }

  /// Ends a segment: neither a mark nor its NUL crosses this boundary.
  mutating func endSegment(to batch: inout EventBatch) {
    swallowsNUL = false
    flush(to: &batch)
  }

  /// The dump has ended: a pending beginning is not a mark.
  mutating func flush(to batch: inout EventBatch) {
    guard let first = pendingOrigins.first else { return }
    let end = first.streamOffset &+ pending.count
    byteCount &+= pending.count
    batch.bytes(
      pending, slot: slot, side: side,
      origins: pendingOrigins.slice(first.streamOffset..<end, shiftedBy: shift))
    pending = []
    pendingOrigins.removeAll(keepingCapacity: true)
  }

  /// Completes the pending mark as far as possible, and returns the number of bytes used.
  private mutating func completePending(
    with bytes: RawSpan, origins: [SourceExtent], to batch: inout EventBatch
  ) -> Int {
    guard let first = pendingOrigins.first else { return 0 }
    let own = pending.count
    let taken = min(bytes.byteCount, GapMark.maxLength - own)
    bytes.extracting(first: taken).withUnsafeBytes { pending.append(contentsOf: $0) }
    switch GapMark.match(at: 0, in: pending.span.bytes) {
    case .cut:
      pendingOrigins += origins.slice(
        first.streamOffset &+ own..<first.streamOffset &+ pending.count, shiftedBy: 0)
      return taken
    case .none:
      pending.removeLast(taken)
      flush(to: &batch)
      return 0
    case .mark(let mark):
      pending.removeAll(keepingCapacity: true)
      pendingOrigins.removeAll(keepingCapacity: true)
      gap(mark, at: first, to: &batch)
      return mark.range.upperBound - own
    }
  }

  private mutating func gap(_ mark: GapMark, at origin: SourceExtent, to batch: inout EventBatch) {
    gapCount &+= mark.length
    batch.gap(
      StreamGap(
        offset: origin.streamOffset &+ shift, length: mark.length, fileOffset: origin.fileOffset,
        packet: origin.packet), slot: slot, side: side)
    shift &+= mark.length &- mark.range.count
    swallowsNUL = true
  }

  private mutating func swallowNUL(in bytes: RawSpan, at index: inout Int) {
    guard swallowsNUL else { return }
    swallowsNUL = false
    if bytes.byte(at: index) == 0 {
      index += 1
      shift &-= 1
    }
  }
}
