import WireBytes

/// Requests in bytes of any kind, which no boundary before them announces (docs/carving.md).
extension RequestRules {
  package enum FoundRequest {
    case request(end: Int)
    case none
    /// It depends on this number of bytes from the index on.
    case undecided(Int)
  }

  /// The longest payload before a token, in bytes, that a search goes back over.
  private static let longestPayloadBefore = 4096

  /// Bytes before a token length that can belong to its request.
  package static let searchReach = longestPayloadBefore + 64

  /// The request at `index`, if it is one as clients make them: a normal token length, items that fill the frame, and a
  /// payload that is a JSON object.
  package func foundRequest(at index: Int, in bytes: RawSpan, isLast: Bool) -> FoundRequest {
    guard index < bytes.byteCount else { return isLast ? .none : .undecided(1) }
    switch extent(at: index, in: bytes) {
    case .none: return .none
    case .unfinished:
      return isLast
        ? .none : .undecided(RequestLayout.enhancedHeaderLength + longestToken + RequestLayout.lengthSize)
    case .known(let end):
      guard end <= bytes.byteCount else { return isLast ? .none : .undecided(end - index) }
      return isConvincing(from: index, to: end, in: bytes) && hasJSON(from: index, to: end, in: bytes)
        ? .request(end: end) : .none
    }
  }

  /// Where a request may begin whose token has its length, an allowed one, at `length`; nil if nowhere.
  package func requestStart(ofTokenLengthAt length: Int, from floor: Int, in bytes: RawSpan) -> Int? {
    let token = Int(bytes.bigEndianUInt16(at: length))
    let payload = length + RequestLayout.lengthSize + token + RequestLayout.lengthSize
    if payload < bytes.byteCount, bytes.byte(at: payload) == UInt8(ascii: "{") {
      // The last byte of an expiry may look like command 0.
      for command in [UInt8(1), 0] {
        let start = length + RequestLayout.lengthSize - RequestLayout.headerLength(command)
        if start >= floor, bytes.byte(at: start) == command,
          command == 0 || hasPlausibleExpiry(at: start, in: bytes)
        {
          return start
        }
      }
    }
    guard length > floor, bytes.byte(at: length - 1) == RequestItem.Kind.token.rawValue else { return nil }
    return frameStart(ofItemAt: length - 1, from: floor, in: bytes)
  }

  /// Whether the expiry of command 1 is a time since the service began, or one attempt: 0, and for some clients 1.
  private func hasPlausibleExpiry(at start: Int, in bytes: RawSpan) -> Bool {
    let expiry = bytes.bigEndianUInt32(at: start + RequestLayout.expiryOffset)
    return expiry < 2 || expiry >= FeedbackRules.serviceStart
  }

  /// Goes back over the items of command 2 from the one at `item` to the start of the frame.
  private func frameStart(ofItemAt item: Int, from floor: Int, in bytes: RawSpan) -> Int? {
    var item = item
    // Each kind occurs once, and one of them is the token.
    for _ in RequestItem.Kind.allCases {
      let start = item - RequestLayout.itemsOffset
      if start >= floor, bytes.byte(at: start) == 2,
        bytes.bigEndianUInt32(at: start + RequestLayout.itemsLengthOffset) <= UInt32(Self.longestItems)
      {
        return start
      }
      guard let before = itemStart(before: item, from: floor, in: bytes) else { return nil }
      item = before
    }
    return nil
  }

  private func itemStart(before end: Int, from floor: Int, in bytes: RawSpan) -> Int? {
    for (kind, size) in [(RequestItem.Kind.identifier, 4), (.expiry, 4), (.priority, 1)] {
      let start = end - RequestLayout.itemHeaderLength - size
      if start >= floor, bytes.byte(at: start) == kind.rawValue,
        Int(bytes.bigEndianUInt16(at: start + 1)) == size
      {
        return start
      }
    }
    return payloadStart(before: end, from: floor, in: bytes)
  }

  /// The payload item, whose length is known at its start only.
  private func payloadStart(before end: Int, from floor: Int, in bytes: RawSpan) -> Int? {
    guard end > floor, bytes.byte(at: end - 1) == UInt8(ascii: "}") else { return nil }
    var start = end - RequestLayout.itemHeaderLength - 2
    let first = max(floor, end - RequestLayout.itemHeaderLength - Self.longestPayloadBefore)
    while start >= first {
      let payload = start + RequestLayout.itemHeaderLength
      if bytes.byte(at: payload) == UInt8(ascii: "{"),
        bytes.byte(at: start) == RequestItem.Kind.payload.rawValue,
        Int(bytes.bigEndianUInt16(at: start + 1)) == end - payload
      {
        return start
      }
      start -= 1
    }
    return nil
  }
}
