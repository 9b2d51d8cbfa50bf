import APNsWire
import Basics
import PacketCapture

/// What all gateway connections of an analysis share: the limits, the number of waiting responses, and the memory of the
/// queues of evidence, above which they use a temporary file.
package final class GatewayBudget {
  let limits: GatewayLimits
  /// Waiting responses, and findings among them.
  var waitingResponses = 0
  /// Bytes of the queues in memory.
  private var used = 0
  private var file: TemporaryFile?

  package init(_ limits: GatewayLimits) { self.limits = limits }

  /// Whether all waiting responses must be correlated now. One at a time would search all requests for each.
  var isExceeded: Bool { waitingResponses > limits.maxWaiting }

  var isMemoryExceeded: Bool { used > limits.memory }

  func take(_ count: Int) { used += count }

  func giveBack(_ count: Int) {
    used -= count
    assert(used >= 0, "queues give back what they took")
  }

  /// Moves `bytes` to the file. Returns their offset in it.
  func store(_ bytes: [UInt8]) throws -> Int {
    let file = try file ?? TemporaryFile(directory: limits.temporaryDirectory)
    self.file = file
    let offset = file.size
    try bytes.withUnsafeBytes { try file.append($0) }
    giveBack(bytes.count)
    return offset
  }

  func load(_ count: Int, at offset: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    _ = try bytes.withUnsafeMutableBytes { try file?.read(into: $0, at: offset) }
    return bytes
  }
}

/// A FIFO queue of waiting evidence: heads and bodies in blocks. A position is a number of bytes from the beginning
/// of the queue, and stays valid.
package struct EvidenceQueue {
  /// The length in bytes at which a block is complete. A block is read back at once.
  private static let blockLength = 64 << 10

  private struct Block {
    /// Position of the first byte.
    var start: Int
    var length: Int
    /// Empty if the block is in the file.
    var bytes: [UInt8]
    var fileOffset: Int?
  }

  private let memory: GatewayBudget
  private var blocks: [Block] = []
  /// The number of blocks removed from the front.
  private var removed = 0
  /// Index of the first block that may be in memory: those before it are in the file.
  private var firstInMemory = 0
  private var end = 0

  package init(memory: GatewayBudget) { self.memory = memory }

  package var isEmpty: Bool { removed == blocks.count }

  /// Adds `evidence` with its body. Returns its position.
  package mutating func append(_ evidence: QueuedEvidence, body: RawSpan) throws -> Int {
    let position = end
    if isEmpty || blocks[blocks.count - 1].fileOffset != nil
      || blocks[blocks.count - 1].length >= Self.blockLength
    {
      blocks.append(Block(start: end, length: 0, bytes: []))
    }
    let last = blocks.count - 1
    withUnsafeBytes(of: evidence) { head in
      blocks[last].bytes.append(contentsOf: head)
      // The size of a value may be less than its stride.
      blocks[last].bytes.append(contentsOf: repeatElement(0, count: QueuedEvidence.headLength - head.count))
    }
    body.withUnsafeBytes { blocks[last].bytes.append(contentsOf: $0) }
    blocks[last].length += evidence.length
    end += evidence.length
    memory.take(evidence.length)
    while memory.isMemoryExceeded, try moveToFile() {}
    return position
  }

  /// Moves the oldest block in memory to the file; false if there is none.
  private mutating func moveToFile() throws -> Bool {
    firstInMemory = max(firstInMemory, removed)
    guard firstInMemory < blocks.count else { return false }
    let index = firstInMemory
    let bytes = blocks[index].bytes
    blocks[index].bytes = []
    let offset = try memory.store(bytes)
    blocks[index].fileOffset = offset
    firstInMemory += 1
    // Short blocks that are adjacent in the file are joined, and read back at once.
    if index > removed, let before = blocks[index - 1].fileOffset, index + 1 == blocks.count,
      before + blocks[index - 1].length == offset,
      blocks[index - 1].length + blocks[index].length <= Self.blockLength
    {
      blocks[index - 1].length += blocks[index].length
      blocks.removeLast()
      firstInMemory -= 1
    }
    return true
  }

  package mutating func removeFirst() throws -> [UInt8]? {
    guard removed < blocks.count else { return nil }
    let first = blocks[removed]
    blocks[removed].bytes = []
    removed += 1
    // Removed entries are freed from time to time, in amortised constant time.
    if removed > blocks.count / 2 {
      blocks.removeFirst(removed)
      firstInMemory = max(0, firstInMemory - removed)
      removed = 0
    }
    if let offset = first.fileOffset { return try memory.load(first.length, at: offset) }
    memory.giveBack(first.length)
    return first.bytes
  }

  /// The position after the first block; nil if the queue is empty.
  package var firstBlockEnd: Int? { isEmpty ? nil : blocks[removed].start + blocks[removed].length }

  /// The evidence at `position` with its body; nil if it was removed.
  package func evidence(at position: Int) throws -> (evidence: QueuedEvidence, body: [UInt8])? {
    guard let block = block(at: position) else { return nil }
    func bytes(_ count: Int, after length: Int = 0) throws -> [UInt8] {
      let start = position - block.start + length
      if let offset = block.fileOffset { return try memory.load(count, at: offset + start) }
      return Array(block.bytes[start..<start + count])
    }
    let head = try bytes(QueuedEvidence.headLength)
    let evidence = Self.head(at: 0, in: head.span.bytes)
    return (evidence, try bytes(Int(evidence.bodyLength), after: QueuedEvidence.headLength))
  }

  /// The head at index `position` of a block's bytes.
  package static func head(at position: Int, in block: RawSpan) -> QueuedEvidence {
    block.unsafeLoadUnaligned(fromByteOffset: position, as: QueuedEvidence.self)
  }

  private func block(at position: Int) -> Block? {
    let next = blocks.partitioningIndex { $0.start > position }
    guard next > removed else { return nil }
    let block = blocks[next - 1]
    return position < block.start + block.length ? block : nil
  }
}

/// A request or finding of the client's direction that waits for the outcome of the connection: the head before its
/// body in the queue. The body is the bytes of the request, or the message of the finding.
package struct QueuedEvidence: BitwiseCopyable {
  /// Bytes of the stored head.
  package static let headLength = MemoryLayout<QueuedEvidence>.stride

  /// Offsets in the client's direction and in the file; `none` if a finding has none.
  package private(set) var offset: Int
  private(set) var fileOffset: Int
  /// Length of the finding in the stream.
  private(set) var findingLength: Int
  private(set) var packet: PacketReference
  package private(set) var bodyLength: UInt32
  private var flagBits: UInt32
  /// Index of the finding's code in `FindingCode.allCases`; nil for a request.
  private(set) var code: UInt8?

  private static let none = Int.min

  package init(request frame: RequestFrame, origin: SourceExtent) {
    offset = frame.offset
    fileOffset = origin.fileOffset(of: frame.offset)
    findingLength = Self.none
    packet = origin.packet ?? Self.noPacket
    bodyLength = UInt32(clamping: frame.length)
    flagBits = frame.flags.rawValue
    code = nil
  }

  init(_ finding: StreamFinding) {
    offset = finding.offset ?? Self.none
    fileOffset = finding.fileOffset ?? Self.none
    findingLength = finding.length ?? Self.none
    packet = finding.packet ?? Self.noPacket
    bodyLength = UInt32(clamping: finding.message.text.utf8.count)
    flagBits = 0
    code = UInt8(truncatingIfNeeded: FindingCode.allCases.firstIndex(of: finding.code) ?? 0)
  }

  /// Bytes of head and body.
  package var length: Int { Self.headLength + Int(bodyLength) }
  package var flags: RecordFlags { RecordFlags(rawValue: flagBits) }
  /// Nil if it is not from a packet.
  package var origin: PacketReference? { packet == Self.noPacket ? nil : packet }

  /// The finding whose message is in `body`.
  func finding(code: UInt8, body: RawSpan, side: Side) -> StreamFinding {
    func value(_ number: Int) -> Int? { number == Self.none ? nil : number }
    return StreamFinding(
      FindingCode.allCases[Int(code)], side: side, offset: value(offset), length: value(findingLength),
      fileOffset: value(fileOffset), packet: origin,
      message: .verbatim(body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
  }

  private static let noPacket = PacketReference(number: nil)
}
