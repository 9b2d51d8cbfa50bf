import PacketCapture
import WireBytes

/// Takes tshark's gap marks out of a dump, or of one direction of an export, and hands on what they mean: bytes
/// and gaps.
///
/// Upstream, offsets are positions in the dump; downstream a mark counts as the bytes that are missing, not
/// as its own.
struct GapMarkSplitter {
  var direction = StreamDirection.dump
  /// Bytes that were handed on, and bytes that are missing between them.
  private(set) var byteCount = 0
  private(set) var gapCount = 0
  /// What to add to a position in the dump for its offset in the stream.
  private var shift = 0
  /// The beginning of what may be a mark: it waits for its rest, in at most `GapMark.maxLength` bytes.
  private var pending: [UInt8] = []
  private var pendingOrigins: [ByteOrigin] = []
  /// Whether a NUL that comes next belongs to the mark before it.
  private var swallowsNUL = false

  /// The dump's next bytes; `origins` count positions in the dump.
  mutating func bytes(
    _ bytes: RawSpan, origins: [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws {
    guard let dumpOffset = origins.first?.streamOffset else { return }
    var place = try completePending(with: bytes, origins: origins, to: &receiver)
    while place < bytes.byteCount {
      swallowNUL(in: bytes, at: &place)
      guard let mark = GapMark.first(in: bytes, from: place) else { break }
      try hand(on: place..<mark.range.lowerBound, of: bytes, origins: origins, to: &receiver)
      let start = dumpOffset &+ mark.range.lowerBound
      var origin = origins[origins.index(of: start)]
      origin.fileOffset = origin.fileOffset(of: start)
      origin.streamOffset = start
      try gap(mark, at: origin, to: &receiver)
      place = mark.range.upperBound
    }
    let cut = GapMark.cutMark(in: bytes, from: min(place, bytes.byteCount))
    try hand(on: place..<max(cut, place), of: bytes, origins: origins, to: &receiver)
    if cut < bytes.byteCount {
      bytes.extracting(cut..<bytes.byteCount).withUnsafeBytes { pending.append(contentsOf: $0) }
      pendingOrigins = origins.slice(dumpOffset &+ cut..<dumpOffset &+ bytes.byteCount, shiftedBy: 0)
    }
  }

  mutating func bytes(
    _ bytes: ArraySlice<UInt8>, origins: [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws {
    try self.bytes(bytes.span.bytes, origins: origins, to: &receiver)
  }

  /// The next bytes of a text that no tool writes marks into.
  mutating func pass(
    _ bytes: ArraySlice<UInt8>, origins: [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws {
    byteCount &+= bytes.count
    try receiver.bytes(bytes.span.bytes, of: direction, origins: origins.span)
  }

  /// The dump itself says that `length` bytes are missing at `dumpOffset`.
  mutating func gap(
    dumpOffset: Int, length: Int, fileOffset: Int, packet: PacketReference? = nil,
    to receiver: inout some StreamReceiver
  ) throws {
    try flush(to: &receiver)
    swallowsNUL = false
    gapCount &+= length
    try receiver.gap(
      StreamGap(offset: dumpOffset &+ shift, length: length, fileOffset: fileOffset, packet: packet),
      in: direction)
  }

  /// What comes next stands apart from what came before: a mark goes over no such place, nor does its NUL.
  mutating func endSegment(to receiver: inout some StreamReceiver) throws {
    swallowsNUL = false
    try flush(to: &receiver)
  }

  /// The dump has ended: what waited for its rest is no mark.
  mutating func flush(to receiver: inout some StreamReceiver) throws {
    guard let first = pendingOrigins.first else { return }
    let end = first.streamOffset &+ pending.count
    let origins = pendingOrigins.slice(first.streamOffset..<end, shiftedBy: shift)
    byteCount &+= pending.count
    try receiver.bytes(pending.span.bytes, of: direction, origins: origins.span)
    pending.removeAll(keepingCapacity: true)
    pendingOrigins.removeAll(keepingCapacity: true)
  }

  /// Decides what waits, as far as `bytes` do, and returns how many of them that took.
  private mutating func completePending(
    with bytes: RawSpan, origins: [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws -> Int {
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
      try flush(to: &receiver)
      return 0
    case .mark(let mark):
      pending.removeAll(keepingCapacity: true)
      pendingOrigins.removeAll(keepingCapacity: true)
      try gap(mark, at: first, to: &receiver)
      return mark.range.upperBound - own
    }
  }

  private mutating func gap(
    _ mark: GapMark, at origin: ByteOrigin, to receiver: inout some StreamReceiver
  ) throws {
    gapCount &+= mark.length
    try receiver.gap(
      StreamGap(
        offset: origin.streamOffset &+ shift, length: mark.length, fileOffset: origin.fileOffset,
        packet: origin.packet), in: direction)
    shift &+= mark.length &- mark.range.count
    swallowsNUL = true
  }

  private mutating func swallowNUL(in bytes: RawSpan, at place: inout Int) {
    guard swallowsNUL else { return }
    swallowsNUL = false
    if bytes.byte(at: place) == 0 {
      place += 1
      shift &-= 1
    }
  }

  private mutating func hand(
    on range: Range<Int>, of bytes: RawSpan, origins: [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws {
    guard !range.isEmpty, let dumpOffset = origins.first?.streamOffset else { return }
    let part = origins.slice(
      dumpOffset &+ range.lowerBound..<dumpOffset &+ range.upperBound, shiftedBy: shift)
    byteCount &+= range.count
    try receiver.bytes(bytes.extracting(range), of: direction, origins: part.span)
  }
}
