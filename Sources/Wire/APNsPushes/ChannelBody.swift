import APNsWire
import Basics

/// The JSON body of a request for channels, or of its answer (docs/spec/pushes.md#broadcasts-and-channels).
struct ChannelBody {
  private(set) var pushType: Range<Int>?
  private(set) var policy: UInt8?
  /// Of a list.
  private(set) var channels: Int?
  /// Whether the list has an id that is no base64.
  private(set) var hasOddID = false

  /// Nil unless it is a JSON object with the members of a list, or of a channel, once each and of their types.
  init?(_ body: [UInt8], isList: Bool) {
    let bytes = body.span.bytes
    let isObject = JSONText.readObject(body.indices, in: bytes) { name, value in
      switch isList {
      case true where PushText.matches(name, "\"channels\"", in: bytes): takeChannels(value, in: bytes)
      case false where PushText.matches(name, "\"push-type\"", in: bytes):
        take(&pushType, JSONText.plainString(value, in: bytes))
      case false where PushText.matches(name, "\"message-storage-policy\"", in: bytes):
        take(&policy, PushText.number(value, in: bytes).flatMap { UInt8(exactly: $0) })
      default: true
      }
    }
    guard isObject, isList ? channels != nil : pushType != nil && policy != nil else { return nil }
  }

  /// Whether there is a value, and was none before.
  private func take<Value>(_ member: inout Value?, _ value: Value?) -> Bool {
    guard member == nil, let value else { return false }
    member = value
    return true
  }

  private mutating func takeChannels(_ value: Range<Int>, in bytes: RawSpan) -> Bool {
    guard channels == nil else { return false }
    var count = 0
    let areTexts = JSONText.readStrings(value, in: bytes) { id in
      count += 1
      if !ChannelID.isValid(id, in: bytes) { hasOddID = true }
    }
    channels = count
    return areTexts
  }
}

enum ChannelID {
  /// Whether a text is base64 with padding (RFC 4648, section 4), and not empty.
  static func isValid(_ text: Range<Int>, in bytes: RawSpan) -> Bool {
    guard !text.isEmpty, text.count % 4 == 0 else { return false }
    let padding = text.suffix(2).count { bytes.byte(at: $0) == UInt8(ascii: "=") }
    return text.dropLast(padding).allSatisfy {
      let digit = bytes.byte(at: $0)
      return digit != UInt8(ascii: "-") && digit != UInt8(ascii: "_") && Base64.value(ofDigit: digit) != nil
    }
  }
}
