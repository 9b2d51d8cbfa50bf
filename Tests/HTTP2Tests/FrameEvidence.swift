import APNsWire
import Basics

/// A step with the payload instead of its range in a buffer.
enum FrameEvidence: Equatable {
  case opening(offset: Int, length: Int)
  case frame([Int], payload: [UInt8])
  case skipped(offset: Int, length: Int)
  case truncated(offset: Int, length: Int)

  var length: Int {
    switch self {
    case .opening(_, let length), .skipped(_, let length), .truncated(_, let length): length
    case .frame(let numbers, _): numbers[4]
    }
  }
}

extension [FrameEvidence] {
  /// Type, flags, stream, offset and length of each frame.
  var frames: [[Int]] { compactMap { if case .frame(let numbers, _) = $0 { numbers } else { nil } } }

  /// Bytes of all steps.
  var length: Int { reduce(0) { $0 + $1.length } }
}

extension FrameEvidence {
  fileprivate static func frame(_ frame: Frame, in bytes: RawSpan) -> FrameEvidence {
    .frame(
      [Int(frame.type), Int(frame.flags.rawValue), Int(frame.streamID), frame.offset, frame.length],
      payload: bytes.extracting(frame.payload).withUnsafeBytes { Array($0) })
  }
}

/// The steps of a run that arrives in two chunks, or in chunks of one length.
func frameSteps(
  _ bytes: [UInt8], _ sender: Direction, offset: Int = 0, beginsStream: Bool = true, chunks: [Int] = []
) -> [FrameEvidence] {
  var decoder = FrameDecoder(sender, offset: offset, beginsStream: beginsStream)
  var evidence: [FrameEvidence] = []
  func take(_ chunk: RawSpan) {
    while let step = decoder.next(in: chunk) {
      switch step {
      case .record(.opening(let offset, let length)):
        evidence.append(.opening(offset: offset, length: length))
      case .skipped(let offset, let length), .between(let offset, let length):
        evidence.append(.skipped(offset: offset, length: length))
      case .truncated(let offset, let length): evidence.append(.truncated(offset: offset, length: length))
      case .record(.frame(let frame)):
        let carry = decoder.carry
        evidence.append(carry.map { .frame(frame, in: $0.span.bytes) } ?? .frame(frame, in: chunk))
      case .undecodable(let offset, _): preconditionFailure("a frame has no command, at \(offset)")
      }
    }
  }
  var start = 0
  for end in chunks + [bytes.count] where end > start {
    take(bytes.span.bytes.extracting(start..<min(end, bytes.count)))
    start = end
  }
  decoder.finish()
  take(RawSpan())
  return evidence
}
