import PacketCapture

/// Bytes of one side of a stream, kept in case no record holds them.
struct KeptWindow {
  var side: Side
  /// Offset in the direction of the first byte, from 0.
  var offset: Int
  var fileOffset: Int
  var packet: Int?
  var bytes: [UInt8]
}

/// Keeps of each side the bytes at the place that is asked for, up to a limit.
struct WindowKeeper {
  private let target: ShowTarget
  private let stream: Int?
  private let maxBytes: Int
  private let maxWindows: Int
  private var windows: [StreamDirection: KeptWindow] = [:]

  init(_ target: ShowTarget, stream: Int?, maxBytes: Int, maxWindows: Int) {
    self.target = target
    self.stream = stream
    self.maxBytes = maxBytes
    self.maxWindows = maxWindows
  }

  mutating func keep(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) {
    guard (stream ?? direction.stream) == direction.stream, !origins.isEmpty else { return }
    let base = origins[0].streamOffset
    switch target {
    case .record: return
    case .offset(let offset):
      let range = max(offset, base)..<max(base + bytes.byteCount, max(offset, base))
      guard range.lowerBound - offset < maxBytes, !range.isEmpty else { return }
      add(range, of: direction, bytes, base, origins)
    case .packet(let number):
      for index in origins.indices where origins[index].packet?.number == number {
        let end = index + 1 < origins.count ? origins[index + 1].streamOffset : base + bytes.byteCount
        add(origins[index].streamOffset..<end, of: direction, bytes, base, origins)
      }
    }
  }

  /// - Parameter base: offset of the first of `bytes`.
  private mutating func add(
    _ range: Range<Int>, of direction: StreamDirection, _ bytes: RawSpan, _ base: Int,
    _ origins: Span<ByteOrigin>
  ) {
    if windows[direction] == nil {
      guard windows.count < maxWindows else { return }
      var origin = origins[0]
      for index in origins.indices where origins[index].streamOffset <= range.lowerBound {
        origin = origins[index]
      }
      windows[direction] = KeptWindow(
        side: direction.side, offset: range.lowerBound, fileOffset: origin.fileOffset(of: range.lowerBound),
        packet: origin.packet?.number, bytes: [])
    }
    guard var window = windows.removeValue(forKey: direction) else { return }
    // Only what goes on where the window ends: a gap ends it.
    if range.lowerBound == window.offset + window.bytes.count {
      let count = min(range.count, maxBytes - window.bytes.count)
      let part = bytes.extracting(range.lowerBound - base..<range.lowerBound - base + count)
      part.withUnsafeBytes { window.bytes.append(contentsOf: $0) }
    }
    windows[direction] = window
  }

  /// What was kept of a stream that has ended.
  mutating func take(_ stream: Int) -> [KeptWindow] {
    let directions = windows.keys.filter { $0.stream == stream }
    let taken = directions.compactMap { windows.removeValue(forKey: $0) }.filter { !$0.bytes.isEmpty }
    return taken.sorted { $0.side == .first && $1.side != .first }
  }
}
