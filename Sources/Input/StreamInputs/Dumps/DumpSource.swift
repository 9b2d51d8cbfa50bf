import PacketCapture

/// The one stream of a dump: decoded from text, without the marks of other tools. Or that of a provider's log, as it is.
package struct DumpSource: StreamSource {
  /// Nil for raw bytes.
  private var decoder: (any TextDecoder)?
  private var decoded = DecodedText()
  private var splitter = GapMarkSplitter()
  /// Unreadable parts, in the order of the file.
  package private(set) var errors: [InputError] = []

  /// - Parameter head: the beginning of the content, all of it if `isWhole`: it determines the layout of hex text.
  package init(_ format: DumpFormat, side: Side, head: [UInt8], isWhole: Bool, maxExpansion: Int) {
    splitter.side = side
    decoder = format.textDecoder(head: head, isWhole: isWhole, maxExpansion: maxExpansion)
  }

  /// The content of a log.
  package init() { splitter.hasMarks = false }

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    guard decoder != nil else {
      let origin = SourceExtent(streamOffset: start, fileOffset: windowOffset &+ start, stride: 1)
      splitter.bytes(window, start..<window.byteCount, in: .window, origins: [origin], to: &batch)
      return isLast ? .ended(nil) : .needsBytes(consumed: window.byteCount, needed: 1)
    }
    // A line may expand to many bytes, so a batch ends when the decoder's own buffer has been full.
    let end = decoder?.read(window, from: start, into: &decoded) ?? window.byteCount
    drain(into: &batch)
    if end < window.byteCount { return .isFull(consumed: end) }
    return isLast ? .ended(nil) : .needsBytes(consumed: end, needed: 1)
  }

  package mutating func finish(into batch: inout EventBatch) -> Bool {
    let isDone = decoder?.finish(into: &decoded) ?? true
    drain(into: &batch)
    if isDone { splitter.endSegment(to: &batch) }
    return isDone
  }

  private mutating func drain(into batch: inout EventBatch) {
    guard !decoded.parts.isEmpty else { return }
    let bytes = decoded.bytes
    let chunk = batch.add(bytes)
    for part in decoded.parts {
      switch part {
      case .bytes(let range):
        splitter.bytes(bytes.span.bytes, range, in: chunk, origins: decoded.origins, to: &batch)
      case .gap(let length, let fileOffset): splitter.gap(length, at: fileOffset, to: &batch)
      case .error(let error): errors.append(error)
      case .mark: break
      }
    }
    decoded.removeAll()
  }
}

package enum DumpFormat: String, CaseIterable, Sendable {
  case raw
  /// Hex digits: plain, or with offsets, as `xxd`, `hexdump -C` and others print them.
  case hex
  case base64

  /// The decoder for text of this format; nil for raw bytes.
  /// - Parameters:
  ///   - head: the beginning of the text, which is all of it if `isWhole`.
  ///   - maxExpansion: maximum number of bytes that the `*` lines may expand to.
  func textDecoder(head: [UInt8], isWhole: Bool, maxExpansion: Int) -> (any TextDecoder)? {
    if self == .raw { return nil }
    let head = TextHead(head, isWhole: isWhole)
    if self == .base64 { return DigitReader(base64: head) }
    return OffsetLayout(of: head)?.decoder(maxExpansion: maxExpansion) ?? DigitReader(hex: head)
  }
}
