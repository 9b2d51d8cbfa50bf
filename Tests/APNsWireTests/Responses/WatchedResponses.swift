import APNsWire
import Basics

extension ResponseDecoder: WatchedDecoder {
  static func evidence(_ frame: ResponseFrame, in _: RawSpan) -> [Evidence] {
    [
      .response(
        offset: frame.offset, status: Int(frame.response.status), identifier: Int(frame.response.identifier),
        flags: frame.flags.codes)
    ]
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
