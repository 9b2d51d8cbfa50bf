import TestSupport

/// A gateway request as docs/spec/protocol.md#gateway-requests has it, made without the code that is tested.
package struct Push: Hashable {
  /// 0, 1 or 2.
  package var command: UInt8
  /// Command 0 has none; nil leaves the item of command 2 out.
  package var identifier: UInt32?
  package var token: [UInt8]
  package var payload: [UInt8]
  package var expiry: UInt32 = 1_400_086_400
  package var priority: UInt8 = 10
  /// The ids of command 2, in the order of the wire.
  package var items: [UInt8] = [3, 1, 2, 4, 5]

  package init(
    _ command: UInt8, _ identifier: UInt32?, token: [UInt8], payload: String = #"{"aps":{"alert":"hi"}}"#
  ) {
    self.command = command
    self.identifier = command == 0 ? nil : identifier
    self.token = token
    self.payload = Array(payload.utf8)
  }

  package var bytes: [UInt8] {
    switch command {
    case 0: return [0] + prefixed(token) + prefixed(payload)
    case 1: return [1] + big(identifier ?? 0) + big(expiry) + prefixed(token) + prefixed(payload)
    default:
      let body = items.filter { $0 != 3 || identifier != nil }.flatMap { [$0] + prefixed(data(of: $0)) }
      return [2] + big(UInt32(body.count)) + body
    }
  }

  private func data(of item: UInt8) -> [UInt8] {
    switch item {
    case 1: token
    case 2: payload
    case 3: big(identifier ?? 0)
    case 4: big(expiry)
    default: [priority]
    }
  }

  private func prefixed(_ bytes: [UInt8]) -> [UInt8] { Array(big(UInt32(bytes.count))[2...]) + bytes }
}

/// Requests of command 1 in a row, with identifiers from 1 and the tokens from 0.
package func enhancedRequests(_ count: Int, payload: [UInt8]) -> [UInt8] {
  (0..<count).flatMap { number in
    var push = Push(1, UInt32(number + 1), token: token(number))
    (push.payload, push.expiry) = (payload, 0)
    return push.bytes
  }
}

/// Four bytes, big-endian.
package func big(_ word: UInt32) -> [UInt8] { HTTP2Bytes.bytes(word) }

/// An error response: `08 | status u8 | identifier u32`.
package func refusal(_ status: UInt8, _ identifier: UInt32) -> [UInt8] { [8, status] + big(identifier) }

extension Exported {
  /// The flags of each response.
  package var responseFlags: [[String]] { objects("response").compactMap { $0["flags"] as? [String] } }

  /// The outcomes of all requests by their first letters.
  package var outcomes: String {
    objects("request").compactMap { ($0["outcome"] as? String)?.first.map(String.init) }.joined()
  }
}
