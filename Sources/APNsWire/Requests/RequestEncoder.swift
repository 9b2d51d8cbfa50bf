/// Writes gateway requests as clients did.
public enum RequestEncoder {
  /// Appends one request to `bytes`.
  /// - Returns: false, with nothing appended, where a token, a payload, an item's data or all items together are
  ///   longer than their length fields can say.
  @discardableResult
  public static func append(_ request: GatewayRequest, to bytes: inout [UInt8]) -> Bool {
    switch request {
    case .simple(let token, let payload):
      return append([0], token, payload, to: &bytes)
    case .enhanced(let identifier, let expiry, let token, let payload):
      return append([1] + octets(identifier) + octets(expiry), token, payload, to: &bytes)
    case .items(let items):
      return append(items, to: &bytes)
    }
  }

  private static func append(
    _ head: [UInt8], _ token: [UInt8], _ payload: [UInt8], to bytes: inout [UInt8]
  ) -> Bool {
    guard let tokenLength = UInt16(exactly: token.count), let payloadLength = UInt16(exactly: payload.count)
    else { return false }
    bytes += head + octets(tokenLength) + token
    bytes += octets(payloadLength) + payload
    return true
  }

  private static func append(_ items: [GatewayRequest.Item], to bytes: inout [UInt8]) -> Bool {
    let length = items.reduce(0) { $0 + RequestLayout.itemHeaderLength + $1.data.count }
    guard let length = UInt32(exactly: length), items.allSatisfy({ $0.data.count <= Int(UInt16.max) }) else {
      return false
    }
    bytes += [2] + octets(length)
    for item in items {
      bytes += [item.id] + octets(UInt16(truncatingIfNeeded: item.data.count))
      bytes += item.data
    }
    return true
  }

  private static func octets(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
