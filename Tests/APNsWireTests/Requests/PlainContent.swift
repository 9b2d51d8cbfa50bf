/// The fields and flags of a whole request of the plain decoder (docs/spec/decoding-rules.md#flags-of-requests).
extension PlainRequests {
  /// The whole items of the command 2 in [o, end), and whether they fill it.
  func items(_ o: Int, _ end: Int) -> (items: [RequestContent.Item], fill: Bool) {
    var items: [RequestContent.Item] = []
    var index = o + 5
    while index + 3 <= end {
      let length = Int(bytes[index + 1]) * 256 + Int(bytes[index + 2])
      guard index + 3 + length <= end else { break }
      items.append(.init(id: Int(bytes[index]), data: Array(bytes[index + 3..<index + 3 + length])))
      index += 3 + length
    }
    return (items, index == end)
  }

  /// Identifier and expiration are of 4 bytes, the priority of 1; the others have no size.
  func isOfRightSize(_ item: RequestContent.Item) -> Bool {
    switch item.id {
    case 3, 4: item.data.count == 4
    case 5: item.data.count == 1
    default: true
    }
  }

  /// The fields of the request in [o, end). "A missing or wrong-sized item gives null; of repeated ones the first
  /// counts."
  func content(_ o: Int, _ end: Int) -> RequestContent {
    var content = RequestContent(command: Int(bytes[o]))
    if bytes[o] == 2 {
      let items = items(o, end).items
      func first(_ id: Int) -> [UInt8]? {
        items.first { $0.id == id }.flatMap { isOfRightSize($0) ? $0.data : nil }
      }
      func number(_ id: Int) -> Int? { first(id).map { $0.reduce(0) { $0 * 256 + Int($1) } } }
      content.items = items
      content.token = first(1)
      content.payload = first(2)
      content.identifier = number(3)
      content.expiry = number(4)
      content.priority = number(5)
      return content
    }
    let tokenLength = o + (bytes[o] == 0 ? 1 : 9)
    if bytes[o] == 1 {
      content.identifier = number(o + 1, 4)
      content.expiry = number(o + 5, 4)
    }
    let payloadLength = tokenLength + 2 + (number(tokenLength, 2) ?? 0)
    content.token = Array(bytes[tokenLength + 2..<payloadLength])
    content.payload = Array(bytes[payloadLength + 2..<end])
    return content
  }

  /// The flags for the content of the request in [o, end).
  func flags(_ o: Int, _ end: Int) -> [String] {
    let content = content(o, end)
    var flags: [String] = []
    if bytes[o] == 2 {
      let (items, fill) = items(o, end)
      func count(_ id: Int) -> Int { items.count { $0.id == id } }
      if !fill || count(1) != 1 || count(2) != 1 || !items.allSatisfy(isOfRightSize) {
        flags.append("malformed-items")
      }
      if !items.allSatisfy({ (1...5).contains($0.id) }) { flags.append("unknown-item") }
    }
    if let token = content.token {
      if !limits.allowed.contains(token.count) {
        flags.append(token.isEmpty ? "zero-length-token" : "unexpected-token-length")
      }
      if Self.hasEightZeros(token) { flags.append("zero-filled-token") }
    }
    if let payload = content.payload {
      if !PlainJSON.isValue(payload) { flags.append("payload-not-json") }
      if payload.count > (bytes[o] == 2 ? 2048 : 256) { flags.append("payload-too-large") }
    }
    if let priority = content.priority, priority != 5, priority != 10 { flags.append("unusual-priority") }
    return flags
  }

  private static func hasEightZeros(_ token: [UInt8]) -> Bool {
    guard token.count >= 8 else { return false }
    return (0...(token.count - 8)).contains { begin in (begin..<(begin + 8)).allSatisfy { token[$0] == 0 } }
  }
}
