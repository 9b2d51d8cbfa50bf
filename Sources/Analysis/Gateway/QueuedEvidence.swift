import APNsWire
import PacketCapture

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
  /// The finding's code by its place among all; nil is a request.
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
