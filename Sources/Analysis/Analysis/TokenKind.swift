import APNsWire
import Basics

/// What the token of a push is for (docs/spec/pushes.md#topics).
package enum TokenKind: String, BitwiseCopyable, CaseIterable, Sendable {
  /// An app on a device.
  case device
  case voip
  case pushToTalk = "push-to-talk"
  case complication
  case fileProvider = "file-provider"
  case location
  case liveActivity = "live-activity"
  case controls, widgets
  /// A pass in Wallet.
  case pass
  /// A managed device.
  case mdm
  /// A kind that is not known.
  case other

  /// What follows the bundle id in the topic, and the push type in small letters.
  private static let table: [(kind: TokenKind, ending: StaticString?, type: StaticString)] = [
    (.device, nil, "alert"), (.device, nil, "background"), (.voip, ".voip", "voip"),
    (.pushToTalk, ".voip-ptt", "pushtotalk"), (.complication, ".complication", "complication"),
    (.fileProvider, ".pushkit.fileprovider", "fileprovider"), (.location, ".location-query", "location"),
    (.liveActivity, ".push-type.liveactivity", "liveactivity"),
    (.controls, ".push-type.controls", "controls"), (.widgets, ".push-type.widgets", "widgets"),
    (.mdm, nil, "mdm"),
  ]
  private static let unknownEnding: StaticString = ".push-type"
  /// How topics begin that have no bundle id.
  private static let beginnings: [(kind: TokenKind, text: StaticString)] = [
    (.pass, "pass."), (.mdm, "com.apple.mgmt."),
  ]

  /// The bundle id in a topic, and the kind of tokens that the topic says; nil if it says none.
  package static func split(_ topic: Range<Int>, in bytes: RawSpan) -> (app: Range<Int>, kind: TokenKind?) {
    for row in table {
      if let ending = row.ending, let app = app(topic, before: ending, in: bytes) { return (app, row.kind) }
    }
    for (kind, text) in beginnings where topic.count > text.utf8CodeUnitCount {
      if PushText.matches(topic.prefix(text.utf8CodeUnitCount), text, in: bytes) { return (topic, kind) }
    }
    guard let dot = topic.last(where: { bytes.byte(at: $0) == UInt8(ascii: ".") }),
      dot + 1 < topic.upperBound,
      let app = app(topic.lowerBound..<dot, before: unknownEnding, in: bytes)
    else { return (topic, nil) }
    return (app, .other)
  }

  private static func app(_ topic: Range<Int>, before ending: StaticString, in bytes: RawSpan) -> Range<Int>?
  {
    let length = ending.utf8CodeUnitCount
    guard topic.count > length, PushText.matches(topic.suffix(length), ending, in: bytes) else { return nil }
    return topic.dropLast(length)
  }

  /// The kind of a push type, also as libraries write it, such as `LIVE_ACTIVITY`.
  package init(pushType: Range<Int>, in bytes: RawSpan) {
    self = Self.table.first { Self.spells(pushType, $0.type, in: bytes) }?.kind ?? .other
  }

  /// Whether the letters of a text are those of `name`, which is in lower case.
  private static func spells(_ text: Range<Int>, _ name: StaticString, in bytes: RawSpan) -> Bool {
    var count = 0
    for index in text {
      let letter = bytes.byte(at: index) | 0x20
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else { continue }
      guard count < name.utf8CodeUnitCount, name.utf8Start[count] == letter else { return false }
      count += 1
    }
    return count == name.utf8CodeUnitCount
  }
}

extension PushFields {
  /// The kind of the token: by the topic, else by the push type; nil if neither is known.
  package func tokenKind(in bytes: RawSpan) -> TokenKind? {
    let topic = self[.topic].flatMap { $0.isEmpty ? nil : $0 }
    if let topic, let kind = TokenKind.split(topic, in: bytes).kind { return kind }
    if let type = self[.pushType], !type.isEmpty { return TokenKind(pushType: type, in: bytes) }
    return topic == nil ? nil : .device
  }
}
