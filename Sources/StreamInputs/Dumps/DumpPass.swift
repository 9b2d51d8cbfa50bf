import PacketCapture
import WireBytes

/// The content of a file on its way from blocks to a stream: turned from text into bytes, and freed of the
/// marks of other tools.
struct DumpPass: ~Copyable {
  /// Bytes of the content so far.
  private var contentLength = 0

  /// Nil where the file holds the bytes themselves.
  private var decoder: (any TextDecoder)?
  private var decoded = DecodedText()
  private var splitter = GapMarkSplitter()
  /// Position in the dump, from 0, behind what was handed on; what the text says is missing counts.
  private var dumpOffset = 0
  private var faults: [InputFault] = []

  /// - Parameter head: the beginning of the content, all of it if `isWhole`: it tells the layouts of hex text
  ///   apart.
  init(
    _ format: DumpFormat, of direction: StreamDirection, head: [UInt8], isWhole: Bool, maxExpansion: Int
  ) {
    splitter.direction = direction
    decoder = format.textDecoder(head: head, isWhole: isWhole, maxExpansion: maxExpansion)
  }

  /// The content's next bytes.
  mutating func block(_ block: RawSpan, into receiver: inout some StreamReceiver) throws {
    let fileOffset = contentLength
    contentLength &+= block.byteCount
    guard decoder != nil else {
      let origin = ByteOrigin(streamOffset: fileOffset, fileOffset: fileOffset, stride: 1)
      return try splitter.bytes(block, origins: [origin], to: &receiver)
    }
    var place = 0
    while place < block.byteCount {
      place = decoder?.decode(block, from: place, into: &decoded) ?? block.byteCount
      try drain(into: &receiver)
    }
  }

  /// The content has ended. What it said of itself goes into the report.
  mutating func finish(into receiver: inout some StreamReceiver, report: inout InputReport) throws {
    while let isDone = decoder?.finish(into: &decoded) {
      try drain(into: &receiver)
      if isDone { break }
    }
    try splitter.flush(to: &receiver)
    report.faults += faults
  }

  /// Hands on what the text decoder has put out; stretches of bytes with nothing between them go together.
  private mutating func drain(into receiver: inout some StreamReceiver) throws {
    var origins: [ByteOrigin] = []
    var handedOn = 0
    var reached = 0
    for piece in decoded.pieces {
      if case .bytes(let count, let fileOffset, let spacing) = piece {
        let offset = dumpOffset &+ reached &- handedOn
        origins.append(ByteOrigin(streamOffset: offset, fileOffset: fileOffset, spacing: spacing))
        reached += count
        continue
      }
      try hand(on: handedOn..<reached, origins: &origins, to: &receiver)
      handedOn = reached
      switch piece {
      case .gap(let length, let fileOffset):
        try splitter.gap(dumpOffset: dumpOffset, length: length, fileOffset: fileOffset, to: &receiver)
        dumpOffset &+= length
      case .fault(let fault):
        faults.append(fault)
      case .bytes:
        break
      }
    }
    try hand(on: handedOn..<reached, origins: &origins, to: &receiver)
    decoded.removeAll()
  }

  private mutating func hand(
    on range: Range<Int>, origins: inout [ByteOrigin], to receiver: inout some StreamReceiver
  ) throws {
    guard !range.isEmpty else { return }
    try splitter.bytes(decoded.bytes[range], origins: origins, to: &receiver)
    dumpOffset &+= range.count
    origins.removeAll(keepingCapacity: true)
  }
}
