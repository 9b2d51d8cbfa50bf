import PacketCapture
import WireBytes

/// The content of a dump: turned from text into bytes, and freed of the marks of other tools.
struct DumpSource: StreamSource {
  /// Nil where the file holds the bytes themselves.
  private var decoder: (any TextDecoder)?
  private var decoded = DecodedText()
  private var splitter = GapMarkSplitter()
  /// Position in the dump, from 0, of the next byte; what the text says is missing counts.
  private var dumpOffset = 0
  /// What could not be read, in the order of the file.
  private(set) var faults: [InputFault] = []

  /// - Parameter head: the beginning of the content, all of it if `isWhole`: it tells the layouts of hex text apart.
  init(_ format: DumpFormat, side: Side, head: [UInt8], isWhole: Bool, maxExpansion: Int) {
    splitter.side = side
    decoder = format.textDecoder(head: head, isWhole: isWhole, maxExpansion: maxExpansion)
  }

  mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    guard decoder != nil else {
      let offset = windowOffset &+ start
      let origin = ByteOrigin(streamOffset: offset, fileOffset: offset, stride: 1)
      splitter.bytes(
        window.extracting(droppingFirst: start), in: .window, at: start, origins: [origin], to: &batch)
      return isLast ? .ended(nil) : .needsBytes(consumed: window.byteCount, needed: 1)
    }
    // A line may stand for many bytes, so that a batch ends when the decoder's own buffer has been full.
    let end = decoder?.decode(window, from: start, into: &decoded) ?? window.byteCount
    drain(into: &batch)
    if end < window.byteCount { return .isFull(consumed: end) }
    return isLast ? .ended(nil) : .needsBytes(consumed: end, needed: 1)
  }

  mutating func finish(into batch: inout EventBatch) -> Bool {
    let isDone = decoder?.finish(into: &decoded) ?? true
    drain(into: &batch)
    if isDone { splitter.flush(to: &batch) }
    return isDone
  }

  /// Emits what the text decoder has put out; bytes with nothing between them are one event.
  private mutating func drain(into batch: inout EventBatch) {
    guard !decoded.parts.isEmpty else { return }
    let chunk = batch.add(decoded.bytes)
    var origins: [ByteOrigin] = []
    var range = 0..<0
    for part in decoded.parts {
      if case .bytes(let count, let fileOffset, let spacing) = part {
        let offset = dumpOffset &+ range.count
        origins.append(ByteOrigin(streamOffset: offset, fileOffset: fileOffset, spacing: spacing))
        range = range.lowerBound..<range.upperBound + count
        continue
      }
      emit(&range, in: chunk, origins: &origins, to: &batch)
      switch part {
      case .gap(let length, let fileOffset):
        splitter.gap(dumpOffset: dumpOffset, length: length, fileOffset: fileOffset, to: &batch)
        dumpOffset &+= length
      case .fault(let fault): faults.append(fault)
      case .bytes: break
      }
    }
    emit(&range, in: chunk, origins: &origins, to: &batch)
    decoded.removeAll()
  }

  /// Emits the decoded bytes in `range`, and moves that to what comes after them.
  private mutating func emit(
    _ range: inout Range<Int>, in chunk: ByteEvent.Storage, origins: inout [ByteOrigin],
    to batch: inout EventBatch
  ) {
    guard !range.isEmpty else { return }
    let bytes = decoded.bytes[range]
    splitter.bytes(bytes.span.bytes, in: chunk, at: range.lowerBound, origins: origins, to: &batch)
    dumpOffset &+= range.count
    range = range.upperBound..<range.upperBound
    origins.removeAll(keepingCapacity: true)
  }
}

/// How the bytes of a stream are stored in a dump.
package enum DumpFormat: String, CaseIterable, Sendable {
  /// The bytes themselves.
  case raw
  /// Hex digits: plain, as `xxd` or as `hexdump -C` print them.
  case hex
  case base64
}

/// How the lines of a hex text are laid out.
enum HexLayout {
  case plain, xxd, hexdump

  /// The layout of the text that begins with `head`, which is all of it if `isWhole`; nil where it is no hex
  /// text.
  init?(of head: [UInt8], isWhole: Bool) {
    let head = head.span.bytes
    if XxdDecoder.recognises(head, isWhole: isWhole) {
      self = .xxd
    } else if HexdumpDecoder.recognises(head, isWhole: isWhole) {
      self = .hexdump
    } else if PlainHexDecoder.recognises(head, isWhole: isWhole) {
      self = .plain
    } else {
      return nil
    }
  }
}

extension DumpFormat {
  /// What turns text of this format into bytes; nil for raw bytes.
  /// - Parameters:
  ///   - head: the beginning of the text, which is all of it if `isWhole`.
  ///   - maxExpansion: how many bytes the `*` lines may stand for.
  func textDecoder(head: [UInt8], isWhole: Bool, maxExpansion: Int) -> (any TextDecoder)? {
    switch self {
    case .raw: nil
    case .base64: Base64Decoder()
    case .hex:
      switch HexLayout(of: head, isWhole: isWhole) {
      case .xxd: XxdDecoder(maxExpansion: maxExpansion)
      case .hexdump: HexdumpDecoder(maxExpansion: maxExpansion)
      case .plain, nil: PlainHexDecoder()
      }
    }
  }
}
