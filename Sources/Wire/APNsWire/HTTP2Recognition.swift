import WireBytes

/// The client's connection preface, and the server's answer to an upgrade from HTTP/1.1.
package enum HTTP2Preface {
  /// The client's connection preface (RFC 9113, section 3.4).
  private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  static let first = UInt8(ascii: "P")
  package static let length = 24
  private static let upgrade: StaticString = "HTTP/1.1 101 "

  /// Whether the preface begins at `index`; the end of `bytes` may cut it off.
  package static func mayBegin(at index: Int, in bytes: RawSpan) -> Bool {
    matches(text, at: index, in: bytes, most: bytes.byteCount &- index)
  }

  /// Whether the bytes begin with the whole preface.
  package static func begins(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= length && mayBegin(at: 0, in: bytes)
  }

  static func isUpgrade(at index: Int, in bytes: RawSpan) -> Bool {
    bytes.byteCount &- index >= upgrade.utf8CodeUnitCount
      && matches(upgrade, at: index, in: bytes, most: .max)
  }

  /// Whether the bytes from `index` on begin a message of HTTP/1.1 that may change to HTTP/2: any request of a client, or
  /// the server's status 101. Nil if there are too few bytes.
  static func startsUpgrade(at index: Int, in bytes: RawSpan, isFromServer: Bool, isWhole: Bool) -> Bool? {
    guard bytes.byteCount &- index >= upgrade.utf8CodeUnitCount else { return isWhole ? false : nil }
    return isFromServer ? isUpgrade(at: index, in: bytes) : isRequest(at: index, in: bytes)
  }

  /// Whether the bytes may begin a message of HTTP/1.1 that changes to HTTP/2; their end may cut it off. More bytes may
  /// show that they do not, never that they do.
  static func mayBeginUpgrade(_ bytes: RawSpan) -> Bool {
    if matches(upgrade, at: 0, in: bytes, most: bytes.byteCount) { return true }
    if bytes.byteCount > longestMethod { return isRequest(at: 0, in: bytes) }
    let letters = (0..<bytes.byteCount).prefix {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes.byte(at: $0))
    }
    // After the method, a space and the target's first byte.
    return letters.count + 1 >= bytes.byteCount || isRequest(at: 0, in: bytes)
  }

  /// The longest method of a request that is accepted, in bytes: OPTIONS has 7.
  private static let longestMethod = 8

  private static func isRequest(at index: Int, in bytes: RawSpan) -> Bool {
    for end in index..<index &+ longestMethod {
      switch bytes.byte(at: end) {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
      case UInt8(ascii: " "):
        let target = bytes.byte(at: end &+ 1)
        return end > index && (target == UInt8(ascii: "/") || target == UInt8(ascii: "*"))
      default: return false
      }
    }
    return false
  }

  private static func matches(_ text: StaticString, at index: Int, in bytes: RawSpan, most: Int) -> Bool {
    for position in 0..<min(text.utf8CodeUnitCount, most) {
      guard bytes.byte(at: index &+ position) == text.utf8Start[position] else { return false }
    }
    return true
  }
}

/// Recognizes HTTP/2 by the first bytes of a direction.
package enum HTTP2Recognition {
  /// The maximum length of an upgrade request before the preface, in bytes.
  private static let longestUpgrade = 1024

  /// How many of a direction's first bytes show whether it carries HTTP/2; nil if those in `head` show that it does not,
  /// and no more bytes change that.
  /// - Parameter server: how many are read of a server's.
  package static func decidingLength(_ head: RawSpan, server: Int) -> Int? {
    if HTTP2Preface.mayBegin(at: 0, in: head) { return HTTP2Preface.length }
    if HTTP2Preface.mayBeginUpgrade(head) { return longestUpgrade &+ HTTP2Preface.length }
    return mayBeginSettings(head) ? server : nil
  }

  /// Whether the bytes may begin the first frame of a server; their end may cut it off.
  private static func mayBeginSettings(_ head: RawSpan) -> Bool {
    if head.byteCount >= Frame.headerLength { return FrameHeader(at: 0, in: head).isFirstOfServer }
    // The type is after three bytes of length, then come the flags.
    if head.byteCount > 3, head.byte(at: 3) != Frame.Kind.settings.rawValue { return false }
    return head.byteCount <= 4 || head.byte(at: 4) == 0
  }

  /// Whether the bytes begin with a client's preface, or with an HTTP/1.1 upgrade request and the preface.
  package static func isClient(_ head: RawSpan) -> Bool {
    guard head.byteCount >= HTTP2Preface.length, head.byte(at: 0) != 0 else { return false }
    for index in 0...min(head.byteCount &- HTTP2Preface.length, longestUpgrade)
    where head.byte(at: index) == HTTP2Preface.first && HTTP2Preface.mayBegin(at: index, in: head) {
      return true
    }
    return false
  }

  /// Whether the bytes begin like a server's: with SETTINGS, then plausible frames.
  ///
  /// - Parameter isWhole: whether the stream ends after them.
  package static func isServer(_ head: RawSpan) -> Bool {
    let start = HTTP2Preface.isUpgrade(at: 0, in: head) ? firstStart(in: head) ?? 0 : 0
    guard head.byteCount &- start >= Frame.headerLength,
      FrameHeader(at: start, in: head).isFirstOfServer
    else { return false }
    return arePlausible(from: start, in: head)
  }

  /// Whether the bytes contain three consecutive plausible frames that are not all alike, and not all DATA: messages of
  /// Modbus have the zero byte there, too. Or whether they are a message.
  package static func isInside(_ head: RawSpan) -> Bool {
    if isMessage(head) { return true }
    guard head.byteCount >= 3 &* Frame.headerLength else { return false }
    return (0...head.byteCount &- 3 &* Frame.headerLength).contains { index in
      guard FrameHeader.plausibleFrames(from: index, in: head)?.count == FrameHeader.startLength,
        !isAllData(from: index, in: head)
      else { return false }
      return (0..<2 &* Frame.headerLength).contains {
        head.byte(at: index &+ $0) != head.byte(at: index &+ Frame.headerLength &+ $0)
      }
    }
  }

  /// How many first bytes of a direction show whether it begins with three plausible frames: those up to the third header,
  /// or up to the first one that is not plausible.
  package static func startLength(_ head: RawSpan) -> Int {
    var end = Frame.headerLength
    for _ in 1..<FrameHeader.startLength where end <= head.byteCount {
      let header = FrameHeader(at: end &- Frame.headerLength, in: head)
      guard header.isPlausible else { break }
      end &+= header.length &+ Frame.headerLength
    }
    return end
  }

  /// Whether the bytes are HEADERS and DATA of one stream, both whole, and nothing else.
  private static func isMessage(_ head: RawSpan) -> Bool {
    guard let (count, left) = FrameHeader.plausibleFrames(from: 0, in: head), count == 2, left == 0 else {
      return false
    }
    let headers = FrameHeader(at: 0, in: head)
    let data = FrameHeader(at: Frame.headerLength &+ headers.length, in: head)
    return headers.type == Frame.Kind.headers.rawValue && data.type == Frame.Kind.data.rawValue
      && headers.streamID == data.streamID && Frame.Flags(rawValue: headers.flags).contains(.endHeaders)
      && Frame.Flags(rawValue: data.flags).contains(.endStream)
  }

  /// `head` has an answer to an upgrade.
  private static func firstStart(in head: RawSpan) -> Int? {
    (0...head.byteCount &- Frame.headerLength).first { arePlausible(from: $0, in: head) }
  }

  private static func isAllData(from index: Int, in head: RawSpan) -> Bool {
    var next = index
    return (0..<3).allSatisfy { _ in
      let header = FrameHeader(at: next, in: head)
      next &+= Frame.headerLength &+ header.length
      return header.type == Frame.Kind.data.rawValue
    }
  }

  /// Whether three plausible frames begin at `index`, or two that end exactly with the bytes.
  private static func arePlausible(from index: Int, in head: RawSpan) -> Bool {
    guard let frames = FrameHeader.plausibleFrames(from: index, in: head) else { return false }
    return frames.count == FrameHeader.startLength || frames.count > 1 && frames.left == 0
  }
}
