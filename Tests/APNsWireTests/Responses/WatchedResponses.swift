import APNsWire
import Basics

extension ResponseDecoder: WatchedDecoder {
  mutating func step(in chunk: RawSpan) -> WatchedStep {
    switch next(in: chunk) {
    case .response(let frame):
      .evidence(
        .response(
          offset: frame.offset, status: Int(frame.response.status),
          identifier: Int(frame.response.identifier), flags: frame.flags.codes))
    case .undecodable(let offset, let command):
      .evidence(.undecodable(offset: offset, command: Int(command)))
    case .skipped(let offset, let length): .evidence(.skipped(offset: offset, length: length))
    case .truncated(let offset, let length): .evidence(.truncated(offset: offset, length: length))
    case .needsBytes: .needsBytes
    case .finished: .finished
    }
  }
}

extension WatchedDecoding<ResponseDecoder> {
  /// "At most 7 bytes are carried back": a response and the byte after it.
  init(
    responses bytes: [UInt8], offset: Int = 0, beginsStream: Bool = true, chunkLength: () -> Int
  ) {
    self.init(
      bytes, ResponseDecoder(offset: offset, beginsStream: beginsStream), offset: offset, holdBack: 7,
      chunkLength: chunkLength)
  }
}
