import APNsWire
import Basics

/// A step with the payload instead of its place in a buffer.
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

/// The steps of a run that arrives in two chunks, or in chunks of one length.
func frameSteps(
  _ bytes: [UInt8], _ sender: FrameDecoder.Sender, offset: Int = 0, beginsStream: Bool = true, chunks: [Int]
) -> [FrameEvidence] {
  var decoder = FrameDecoder(sender, offset: offset, beginsStream: beginsStream)
  var evidence: [FrameEvidence] = []
  func take(_ chunk: RawSpan) {
    while true {
      switch decoder.next(in: chunk) {
      case .opening(let offset, let length, _): evidence.append(.opening(offset: offset, length: length))
      case .skipped(let offset, let length): evidence.append(.skipped(offset: offset, length: length))
      case .truncated(let offset, let length): evidence.append(.truncated(offset: offset, length: length))
      case .frame(let frame):
        let carry = decoder.carry
        let bytes = frame.window == .chunk ? chunk : carry.span.bytes
        evidence.append(
          .frame(
            [Int(frame.type), Int(frame.flags.rawValue), Int(frame.streamID), frame.offset, frame.length],
            payload: bytes.extracting(frame.payload).withUnsafeBytes { Array($0) }))
      case .needsBytes, .finished: return
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
