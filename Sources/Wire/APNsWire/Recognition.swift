import WireBytes

/// Detects TLS records (docs/spec/protocol.md#tls).
public enum Ciphertext {
  /// The number of bytes from the beginning of a stream that `begins(_:)` needs: 3.
  public static let headLength = 3

  /// Whether a stream that begins with `head` is TLS: a content type of 20 to 23, then a version from SSL 3.0 (3,
  /// 0) to TLS 1.3 (3, 4). Always false for fewer than `headLength` bytes. As the time of a tuple, these bytes
  /// would be in 1980 to 1982, so no plausible tuple is mistaken for TLS.
  public static func begins(_ head: [UInt8]) -> Bool {
    head.count >= headLength && (0x14...0x17).contains(head[0]) && head[1] == 0x03 && head[2] <= 0x04
  }
}

extension RequestRules {
  /// Whether `head`, the first bytes of a stream or file, begins with a request as clients make them, with a JSON
  /// payload. Of a request that is cut off by the end of `head`, the payload's opening brace must be there.
  public func mayBeginRequest(_ head: RawSpan) -> Bool {
    guard head.byteCount > 0, case .known(let end) = extent(at: 0, in: head) else { return false }
    if end <= head.byteCount {
      let fields = RequestFields(0..<end, in: head)
      return fields.flags(by: self, in: head).isDisjoint(with: [
        .malformedItems, .unknownItem, .payloadNotJSON,
      ])
    }
    let command = head.byte(at: 0)
    guard command != 2 else { return mayBeginItems(from: RequestLayout.itemsOffset, to: end, in: head) }
    let header = RequestLayout.headerLength(command)
    let token = Int(head.bigEndianUInt16(at: header - RequestLayout.lengthSize))
    return isOpeningBrace(at: header + token + RequestLayout.lengthSize, in: head)
  }

  /// Whether the items from `start` on have known ids and the right sizes, up to a payload that begins with a
  /// brace. `head` may end before the last item does.
  private func mayBeginItems(from start: Int, to end: Int, in head: RawSpan) -> Bool {
    var index = start
    while head.byteCount - index >= RequestLayout.itemHeaderLength {
      let item = RequestItem(
        id: head.byte(at: index),
        data: index + RequestLayout.itemHeaderLength..<index + RequestLayout.itemHeaderLength
          + Int(head.bigEndianUInt16(at: index + 1)))
      guard let kind = RequestItem.Kind(rawValue: item.id), kind.takes(item.data.count),
        item.data.upperBound <= end
      else { return false }
      if kind == .payload { return isOpeningBrace(at: item.data.lowerBound, in: head) }
      index = item.data.upperBound
    }
    return false
  }

  private func isOpeningBrace(at index: Int, in head: RawSpan) -> Bool {
    index < head.byteCount && head.byte(at: index) == UInt8(ascii: "{")
  }
}
