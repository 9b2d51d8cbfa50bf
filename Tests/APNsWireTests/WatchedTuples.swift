import APNsWire
import Basics

extension FeedbackDecoder: WatchedDecoder {
  static func evidence(_ run: RecordRun, in bytes: RawSpan) -> [Evidence] {
    let flags = run.flags.codes
    return (0..<run.count).map { index in
      let record = run.slice(from: index, count: 1)
      let header = bytes.extracting(record.start..<(record.start + record.stride))
      let time = (0..<4).reduce(0) { $0 << 8 | Int(header.byte(at: $1)) }
      let token = header.extracting(droppingFirst: 6).withUnsafeBytes { Array($0) }
      return .record(offset: record.offset, time: time, token: token, flags: flags)
    }
  }
}

extension WatchedDecoding<FeedbackDecoder> {
  init(
    feedback bytes: [UInt8], rules: FeedbackRules = .standard, offset: Int = 0, beginsStream: Bool = true,
    isDump: Bool = false, chunkLength: () -> Int
  ) {
    let decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: beginsStream, isDump: isDump)
    self.init(bytes, decoder, offset: offset, holdBack: decoder.holdBack, chunkLength: chunkLength)
  }
}
