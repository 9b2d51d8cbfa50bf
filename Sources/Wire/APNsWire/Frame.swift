import WireBytes

/// One whole frame (RFC 9113, section 4.1).
package struct Frame: Equatable, Sendable {
  /// The types of RFC 9113, section 6. Frames of other types are ignored.
  package enum Kind: UInt8, Sendable {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  package struct Flags: OptionSet, BitwiseCopyable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let endStream = Flags(rawValue: 0x01)
    package static let endHeaders = Flags(rawValue: 0x04)
    package static let padded = Flags(rawValue: 0x08)
    package static let priority = Flags(rawValue: 0x20)
  }

  /// Length of the frame header in bytes.
  package static let headerLength = 9
  /// Length in bytes of the priority fields in a HEADERS frame with the flag `priority`.
  private static let priorityLength = 5
  private static let promisedIDLength = 4

  /// Offset of the first byte in its direction of the stream, in bytes from 0, gaps included.
  package var offset: Int
  /// Indices in the decoder's `carry`, or in the chunk.
  package var payload: Range<Int>
  package var streamID: UInt32
  package var type: UInt8
  package var flags: Flags

  /// Nil if the type is not known.
  package var kind: Kind? { Kind(rawValue: type) }

  /// Bytes of the frame, header included.
  package var length: Int { Self.headerLength &+ payload.count }

  /// The payload without padding, and in HEADERS and PUSH_PROMISE without the fields before the header block; nil if
  /// they are longer than the payload.
  package func content(in bytes: RawSpan) -> Range<Int>? {
    var (start, end) = (payload.lowerBound, payload.upperBound)
    guard let kind, [.data, .headers, .pushPromise].contains(kind) else { return payload }
    if flags.contains(.padded) {
      guard start < end else { return nil }
      end &-= Int(bytes.byte(at: start))
      start &+= 1
    }
    if kind == .headers, flags.contains(.priority) { start &+= Self.priorityLength }
    if kind == .pushPromise { start &+= Self.promisedIDLength }
    return start <= end ? start..<end : nil
  }
}

/// The first 9 bytes of a frame.
struct FrameHeader {
  let length: Int
  let type: UInt8
  let flags: UInt8
  /// The stream id with the reserved bit.
  private let word: UInt32

  /// `bytes` must contain all 9 bytes.
  @inline(__always)
  init(at index: Int, in bytes: RawSpan) {
    let first = bytes.bigEndianUInt32(at: index)
    length = Int(first >> 8)
    type = UInt8(truncatingIfNeeded: first)
    flags = bytes.byte(at: index &+ 4)
    word = bytes.bigEndianUInt32(at: index &+ 5)
  }

  var streamID: UInt32 { word & 0x7fff_ffff }

  /// The initial and lowest value of SETTINGS_MAX_FRAME_SIZE, in bytes.
  static let usualLimit = 16_384

  /// Whether the length and the stream id are valid for the type.
  ///
  /// - Parameter limit: the maximum payload length in bytes.
  @inline(__always)
  func isPossible(limit: Int) -> Bool {
    guard length <= limit else { return false }
    let isOfConnection = streamID == 0
    return switch Frame.Kind(rawValue: type) {
    case .data: !isOfConnection
    case .headers, .continuation: !isOfConnection
    case .priority: !isOfConnection && length == 5
    case .reset: !isOfConnection && length == 4
    case .settings: isOfConnection && length % 6 == 0 && (flags & 1 == 0 || length == 0)
    case .pushPromise: !isOfConnection && length >= 4
    case .ping: isOfConnection && length == 8
    case .goAway: isOfConnection && length >= 8
    case .windowUpdate: length == 4
    case nil: true
    }
  }

  /// Whether a frame probably begins here: a valid header of a known type, without undefined flags.
  var isPlausible: Bool {
    guard word >> 31 == 0, isPossible(limit: Self.usualLimit), let kind = Frame.Kind(rawValue: type) else {
      return false
    }
    let isOfClient = streamID & 1 == 1
    return switch kind {
    // Runs of zero bytes look like empty frames.
    case .data: flags & ~0x09 == 0 && isOfClient && (length > 0 || flags & 1 == 1)
    case .headers: flags & ~0x2d == 0 && isOfClient && length > 0
    case .settings, .ping: flags & ~0x01 == 0
    case .pushPromise: flags & ~0x0c == 0 && isOfClient
    case .continuation: flags & ~0x04 == 0 && isOfClient
    case .priority, .reset, .goAway, .windowUpdate: flags == 0
    }
  }

  /// The number of consecutive plausible frames that start decoding.
  static let startLength = 3

  /// The number of consecutive plausible frames from `index` on, up to `startLength` or the first header that is cut off,
  /// and of the bytes left after them. Nil if a frame is not plausible.
  static func plausibleFrames(from index: Int, in bytes: RawSpan) -> (count: Int, left: Int)? {
    var (count, next) = (0, index)
    while count < startLength, bytes.byteCount &- next >= Frame.headerLength {
      let header = FrameHeader(at: next, in: bytes)
      guard header.isPlausible else { return nil }
      next &+= Frame.headerLength &+ header.length
      count &+= 1
    }
    return (count, bytes.byteCount &- next)
  }

  /// Whether it is a server's first frame: SETTINGS without ACK.
  var isFirstOfServer: Bool { type == Frame.Kind.settings.rawValue && flags == 0 && isPlausible }
}
