import APNsWire
import PacketCapture
import WireBytes

/// What all gateway connections of an analysis share: the limits, the memory of what waits, and how much does.
package final class GatewayBudget {
  /// More responses do not wait, over all connections, until all that was captured before them has come.
  private static let maxWaitingResponses = 1 << 18

  let limits: GatewayLimits
  let memory: QueueMemory
  /// Responses that wait, and findings among them.
  var waitingResponses = 0

  package init(_ limits: GatewayLimits) {
    self.limits = limits
    memory = QueueMemory(limit: limits.memory, directory: limits.temporaryDirectory)
  }

  /// Whether all responses are to be correlated with what is known: one at a time would ask every request again for
  /// each.
  var isExceeded: Bool { waitingResponses > Self.maxWaitingResponses }
}

/// The memory that all queues of evidence share. Beyond the limit they use a temporary file.
package final class QueueMemory {
  private let limit: Int
  private let directory: String
  private var used = 0
  private var file: TemporaryFile?

  /// - Parameters:
  ///   - limit: bytes.
  ///   - directory: where the temporary file goes.
  package init(limit: Int, directory: String) {
    self.limit = limit
    self.directory = directory
  }

  var isExceeded: Bool { used > limit }

  func take(_ count: Int) { used += count }
  func giveBack(_ count: Int) { used -= count }

  /// Moves `bytes` to the file; returns their offset in it.
  func store(_ bytes: [UInt8]) throws -> Int {
    let file = try file ?? TemporaryFile(directory: directory)
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

/// Evidence that waits, first in, first out: heads and bodies in a row, in blocks. Places are counted in bytes from
/// the queue's beginning, and hold while it lives.
package struct EvidenceQueue {
  /// Blocks are ended at this length, in bytes: what is read back at once.
  private static let blockLength = 64 << 10

  private struct Block {
    /// Place of its first byte.
    var start: Int
    var length: Int
    /// Empty where the block is in the file.
    var bytes: [UInt8]
    var fileOffset: Int?
  }

  private let memory: QueueMemory
  private var blocks: [Block] = []
  /// How many of the first blocks were taken off.
  private var removed = 0
  /// Index of the first block that may be in memory: those before it are in the file.
  private var firstInMemory = 0
  private var end = 0

  package init(memory: QueueMemory) { self.memory = memory }

  package var isEmpty: Bool { removed == blocks.count }

  /// Adds `evidence` with its body; returns its position.
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
      // A value may be stored in less than a whole stride.
      blocks[last].bytes.append(
        contentsOf: repeatElement(0, count: QueuedEvidence.headLength - head.count))
    }
    body.withUnsafeBytes { blocks[last].bytes.append(contentsOf: $0) }
    blocks[last].length += evidence.length
    end += evidence.length
    memory.take(evidence.length)
    while memory.isExceeded, try moveToFile() {}
    return position
  }

  /// Moves the oldest block that is in memory to the file; false where none is.
  private mutating func moveToFile() throws -> Bool {
    firstInMemory = max(firstInMemory, removed)
    guard firstInMemory < blocks.count else { return false }
    let index = firstInMemory
    let bytes = blocks[index].bytes
    blocks[index].bytes = []
    let offset = try memory.store(bytes)
    blocks[index].fileOffset = offset
    firstInMemory += 1
    // Short blocks that come to lie side by side in the file become one, which is read back at once.
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

  /// Takes the first block off.
  package mutating func removeFirst() throws -> [UInt8]? {
    guard removed < blocks.count else { return nil }
    let first = blocks[removed]
    blocks[removed].bytes = []
    removed += 1
    // Room is given back now and then, at a cost that does not depend on how many blocks there are.
    if removed > blocks.count / 2 {
      blocks.removeFirst(removed)
      firstInMemory = max(0, firstInMemory - removed)
      removed = 0
    }
    if let offset = first.fileOffset { return try memory.load(first.length, at: offset) }
    memory.giveBack(first.length)
    return first.bytes
  }

  /// The offset after the first block; nil where there is none.
  package var firstBlockEnd: Int? { isEmpty ? nil : blocks[removed].start + blocks[removed].length }

  /// The evidence at `position` with its body.
  package func evidence(at position: Int) throws -> (evidence: QueuedEvidence, body: [UInt8])? {
    guard let block = block(at: position) else { return nil }
    guard let offset = block.fileOffset else {
      let bytes = block.bytes
      let evidence = Self.head(at: position - block.start, in: bytes.span.bytes)
      let body = position - block.start + QueuedEvidence.headLength
      return (evidence, Array(bytes[body..<body + Int(evidence.bodyLength)]))
    }
    let head = try memory.load(QueuedEvidence.headLength, at: offset + position - block.start)
    let evidence = Self.head(at: 0, in: head.span.bytes)
    let body = offset + position - block.start + QueuedEvidence.headLength
    return (evidence, try memory.load(Int(evidence.bodyLength), at: body))
  }

  /// The head at `position` of a block's bytes.
  package static func head(at position: Int, in block: RawSpan) -> QueuedEvidence {
    block.unsafeLoadUnaligned(fromByteOffset: position, as: QueuedEvidence.self)
  }

  private func block(at position: Int) -> Block? {
    var low = removed
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].start <= position { low = middle + 1 } else { high = middle }
    }
    return low > removed && position < blocks[low - 1].start + blocks[low - 1].length ? blocks[low - 1] : nil
  }
}

/// A request or a finding of a client's direction that waits for the connection's outcome: what stands before its
/// body in a queue. The body is the request's bytes, or the finding's message.
package struct QueuedEvidence: BitwiseCopyable {
  /// Bytes of the head, as it is stored.
  package static let headLength = MemoryLayout<QueuedEvidence>.stride

  /// Offset in the client's direction, and in the file; for findings nil is `none`.
  package private(set) var offset: Int
  private(set) var fileOffset: Int
  /// Bytes of the stream that a finding is about.
  private(set) var findingLength: Int
  private(set) var packet: PacketReference
  package private(set) var bodyLength: UInt32
  private var flagBits: UInt16
  /// The finding's code by its index among all; nil is a request.
  private(set) var code: UInt8?

  private static let none = Int.min

  package init(request frame: RequestFrame, origin: ByteOrigin) {
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
    bodyLength = UInt32(clamping: finding.message.utf8.count)
    flagBits = 0
    code = UInt8(truncatingIfNeeded: FindingCode.allCases.firstIndex(of: finding.code) ?? 0)
  }

  /// Bytes of it all.
  package var length: Int { Self.headLength + Int(bodyLength) }
  package var flags: RecordFlags { RecordFlags(rawValue: flagBits) }
  /// Nil where no packet brought it.
  package var origin: PacketReference? { packet == Self.noPacket ? nil : packet }

  /// The finding whose message is in `body`.
  func finding(code: UInt8, body: RawSpan, side: Side) -> StreamFinding {
    func value(_ number: Int) -> Int? { number == Self.none ? nil : number }
    return StreamFinding(
      code: FindingCode.allCases[Int(code)], side: side, offset: value(offset), length: value(findingLength),
      fileOffset: value(fileOffset), packet: origin,
      message: body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }

  private static let noPacket = PacketReference(number: nil)
}
