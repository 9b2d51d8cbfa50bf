import WireBytes

/// A gateway request by itself, as a client makes one (protocol.md, "Gateway requests").
public enum GatewayRequest: Equatable, Sendable {
  /// Command 0, which has no identifier.
  case simple(token: [UInt8], payload: [UInt8])
  /// Command 1. `expiry` is in seconds since 1970.
  case enhanced(identifier: UInt32, expiry: UInt32, token: [UInt8], payload: [UInt8])
  /// Command 2, items in the order of the wire.
  case items([Item])

  public struct Item: Equatable, Sendable {
    public var id: UInt8
    /// Up to 65,535 bytes.
    public var data: [UInt8]

    public init(id: UInt8, data: [UInt8]) {
      self.id = id
      self.data = data
    }
  }

  /// The request in `range` of `bytes`, where a decoder found one. Nil where it is command 2 and its items do not
  /// fill the frame: nothing else can be said of such a request than its bytes.
  public init?(_ range: Range<Int>, in bytes: RawSpan) {
    let fields = RequestFields(range, in: bytes)
    func copy(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).withUnsafeBytes { Array($0) } }
    if var rest = fields.items {
      var items: [Item] = []
      while let item = rest.next(in: bytes) { items.append(Item(id: item.id, data: copy(item.data))) }
      guard rest.isAtEnd else { return nil }
      self = .items(items)
      return
    }
    guard let token = fields.token, let payload = fields.payload else { return nil }
    if let identifier = fields.identifier, let expiry = fields.expiry {
      self = .enhanced(
        identifier: identifier, expiry: expiry, token: copy(token), payload: copy(payload))
    } else {
      self = .simple(token: copy(token), payload: copy(payload))
    }
  }
}
