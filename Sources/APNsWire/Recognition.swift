import WireBytes

/// Recognises TLS records (docs/spec/protocol.md#tls).
public enum Ciphertext {
  /// Bytes of a stream's beginning that tell.
  public static let headLength = 3

  /// Whether a stream that begins with `head` is TLS: a content type of 20 to 23, and a version from SSL 3.0
  /// (3, 0) to TLS 1.3 (3, 4). Read as a tuple that is a time in 1980 to 1982.
  public static func begins(_ head: [UInt8]) -> Bool {
    head.count >= headLength && (0x14...0x17).contains(head[0]) && head[1] == 0x03 && head[2] <= 0x04
  }
}

extension RequestRules {
  /// Whether `head`, the first bytes of something, is the beginning of a request as clients make them: whole, or as
  /// far as it goes, with a payload in a brace.
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

  /// Whether the items from `start` on, of which the head may not hold all, are known, of their size, and have a
  /// payload in a brace among them.
  private func mayBeginItems(from start: Int, to end: Int, in head: RawSpan) -> Bool {
    var index = start
    while head.byteCount - index >= RequestLayout.itemHeaderLength {
      let item = RequestItem(
        id: head.byte(at: index),
        data: index + RequestLayout.itemHeaderLength..<index + RequestLayout.itemHeaderLength
          + Int(head.bigEndianUInt16(at: index + 1)))
      guard let kind = RequestItem.Kind(rawValue: item.id), item.hasItsSize, item.data.upperBound <= end
      else {
        return false
      }
      if kind == .payload { return isOpeningBrace(at: item.data.lowerBound, in: head) }
      index = item.data.upperBound
    }
    return false
  }

  private func isOpeningBrace(at index: Int, in head: RawSpan) -> Bool {
    index < head.byteCount && head.byte(at: index) == UInt8(ascii: "{")
  }
}
