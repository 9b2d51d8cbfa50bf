import APNsWire
import Basics

extension RequestDecoder: WatchedDecoder {
  static func evidence(_ frame: RequestFrame, in bytes: RawSpan) -> [Evidence] {
    [
      .request(
        offset: frame.offset, length: frame.length, content: RequestContent(frame.range, in: bytes),
        flags: frame.flags.codes)
    ]
  }
}

extension RequestContent {
  /// The fields that the library reads.
  init(_ range: Range<Int>, in bytes: RawSpan) {
    let fields = RequestFields(range, in: bytes)
    func copy(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).withUnsafeBytes { Array($0) } }
    var items: [Item]?
    if var rest = fields.items {
      var read: [Item] = []
      while let item = rest.next(in: bytes) { read.append(Item(id: Int(item.id), data: copy(item.data))) }
      items = read
    }
    self.init(
      command: Int(fields.command), identifier: fields.identifier.map(Int.init),
      expiry: fields.expiry.map(Int.init), priority: fields.priority.map(Int.init),
      token: fields.token.map(copy), payload: fields.payload.map(copy), items: items)
  }
}

extension WatchedDecoding<RequestDecoder> {
  init(
    requests bytes: [UInt8], rules: RequestRules = .standard, offset: Int = 0, beginsStream: Bool = true,
    chunkLength: () -> Int
  ) {
    self.init(
      bytes, RequestDecoder(rules: rules, offset: offset, beginsStream: beginsStream), offset: offset,
      holdBack: rules.holdBack, chunkLength: chunkLength)
  }
}
