import Basics

/// The frame of a pcapng block: type, total length, body, total length again (draft-ietf-opsawg-pcapng, section 3.1).
struct PcapngBlock {
  /// Known kinds. Others are skipped, as the specification demands.
  enum Kind: UInt32, Sendable {
    case interfaceDescription = 1
    /// Obsolete; except for its first fields it equals an enhanced packet.
    case packet = 2
    case simplePacket = 3
    case nameResolution = 4
    case interfaceStatistics = 5
    case enhancedPacket = 6
    case decryptionSecrets = 10
    case custom = 0xbad
    case uncopiedCustom = 0x4000_0bad
    /// The same in both byte orders.
    case sectionHeader = 0x0a0d_0d0a

    /// Minimum of the block's total length, in bytes.
    var minLength: Int {
      switch self {
      case .sectionHeader: 28
      case .interfaceDescription, .decryptionSecrets: 20
      case .packet, .enhancedPacket: 32
      case .simplePacket, .nameResolution, .custom, .uncopiedCustom: 16
      case .interfaceStatistics: 24
      }
    }

    /// Offset of the packet data in the block; nil for other blocks.
    var packetStart: Int? {
      switch self {
      case .packet, .enhancedPacket: 28
      case .simplePacket: 12
      default: nil
      }
    }
  }

  /// Bytes of the type and the length before the body, and with the length after it.
  static let headLength = 8
  static let frameLength = 12
  /// The first word of a section header's body, in the section's own byte order.
  static let byteOrderMagic: UInt32 = 0x1a2b_3c4d

  var type: UInt32
  var order: FileByteOrder
  /// From the head of the block.
  var totalLength: Int

  /// The block whose first 12 bytes are at `index`; a section header is read in its own byte order, any other in
  /// `order`. Nil without one: before a section header, and for a bad one.
  @inline(__always)
  init?(at index: Int, in window: RawSpan, order: FileByteOrder?) {
    let type = FileByteOrder.little.uint32(in: window, at: index)
    guard let found = type == Kind.sectionHeader.rawValue ? Self.sectionOrder(at: index, in: window) : order
    else { return nil }
    self.order = found
    self.type = found == .little ? type : type.byteSwapped
    totalLength = Int(found.uint32(in: window, at: index &+ 4))
  }

  var kind: Kind? { Kind(rawValue: type) }

  static func sectionOrder(at index: Int, in window: RawSpan) -> FileByteOrder? {
    let magic = FileByteOrder.little.uint32(in: window, at: index + headLength)
    if magic == byteOrderMagic { return .little }
    return magic.byteSwapped == byteOrderMagic ? .big : nil
  }

  /// Whether the length after the body, whose last byte is before `end`, equals that in the head.
  @inline(__always)
  func isClosed(before end: Int, in window: RawSpan) -> Bool {
    Int(order.uint32(in: window, at: end &- 4)) == totalLength
  }
}

/// An interface of a pcapng section: the type of its packets and the unit of their times.
struct PcapngInterface: Sendable {
  /// Nil if its description block was too short.
  var linkType: LinkType?
  /// Maximum number of bytes captured of a packet; 0 is no limit.
  var snapLength: UInt32 = 0
  var resolution = TimeResolution.standard

  private enum Option {
    static let end: UInt16 = 0
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  /// - Parameters:
  ///   - index: index of the Interface Description Block's first byte.
  ///   - end: index after its options.
  init(at index: Int, to end: Int, in window: RawSpan, order: FileByteOrder) {
    guard end - index >= 16 else { return }
    linkType = LinkType(rawValue: order.uint16(in: window, at: index + 8))
    snapLength = order.uint32(in: window, at: index + 12)
    readOptions(from: index + 16, to: end, in: window, order: order)
  }

  /// Options that exceed their block end the list; those before them count.
  private mutating func readOptions(from start: Int, to end: Int, in window: RawSpan, order: FileByteOrder) {
    var index = start
    while index + 4 <= end {
      let code = order.uint16(in: window, at: index)
      let length = Int(order.uint16(in: window, at: index + 2))
      let value = index + 4
      guard code != Option.end, value + length <= end else { return }
      switch (code, length) {
      case (Option.timeResolution, 1...):
        let offset = resolution.offset
        resolution = TimeResolution(option: window.unsafeLoad(fromByteOffset: value, as: UInt8.self))
        resolution.offset = offset
      case (Option.timeOffset, 8...):
        resolution.offset = Int64(bitPattern: order.uint64(in: window, at: value))
      default: break
      }
      index = value + (length + 3) & ~3
    }
  }
}

/// The unit of an interface's time stamps (pcapng, options `if_tsresol` and `if_tsoffset`): 10^-n or 2^-n seconds
/// since 1970, plus an offset in whole seconds.
struct TimeResolution: Equatable, Sendable {
  private enum Unit: Equatable, Sendable {
    case micro, nano
    /// 10^-n s, n to 127.
    case decimal(Int)
    /// 2^-n s, n to 127.
    case binary(Int)
  }

  private var unit: Unit
  /// Seconds to add to the time stamps.
  var offset: Int64 = 0

  static let standard = TimeResolution(option: 6)

  /// - Parameter option: the value of `if_tsresol`. Its highest bit selects powers of 2 instead of 10, the others are
  ///   the negative exponent.
  init(option: UInt8) {
    let exponent = Int(option & 0x7f)
    switch (option & 0x80 == 0, exponent) {
    case (true, 6): unit = .micro
    case (true, 9): unit = .nano
    case (true, _): unit = .decimal(exponent)
    case (false, _): unit = .binary(exponent)
    }
  }

  @inline(__always)
  func time(of stamp: UInt64) -> CaptureTime {
    // Divisions by a constant are multiplications: these two units are the common ones.
    switch unit {
    case .micro: moment(stamp / 1_000_000, stamp % 1_000_000, digits: 6)
    case .nano: moment(stamp / 1_000_000_000, stamp % 1_000_000_000, digits: 9)
    case .decimal(let exponent): decimal(stamp, exponent)
    case .binary(let exponent): binary(stamp, exponent)
    }
  }

  @inline(__always)
  private func moment(_ seconds: UInt64, _ fraction: UInt64, digits: UInt8) -> CaptureTime {
    let whole = Int64(clamping: seconds)
    let (sum, overflows) = whole.addingReportingOverflow(offset)
    return CaptureTime(
      seconds: overflows ? .max : sum, fraction: fraction, digits: digits)
  }

  private func decimal(_ stamp: UInt64, _ exponent: Int) -> CaptureTime {
    let kept = min(exponent, CaptureTime.maxDigits)
    // Digits after the 18th are dropped first; 10^19 is the largest power in 64 bits.
    let dropped = exponent - kept
    let units = dropped > 19 ? 0 : stamp / Self.power(dropped)
    let second = Self.power(kept)
    return moment(units / second, units % second, digits: UInt8(kept))
  }

  private func binary(_ stamp: UInt64, _ exponent: Int) -> CaptureTime {
    let seconds = exponent > 63 ? 0 : stamp >> UInt64(exponent)
    let rest = exponent > 63 ? stamp : stamp & (1 << UInt64(exponent) &- 1)
    // 2^-n has n digits after the point: all are kept up to the 18th.
    let digits = min(exponent, CaptureTime.maxDigits)
    let (high, low) = rest.multipliedFullWidth(by: Self.power(digits))
    return moment(seconds, Self.shiftRight(high, low, by: exponent), digits: UInt8(digits))
  }

  private static func shiftRight(_ high: UInt64, _ low: UInt64, by count: Int) -> UInt64 {
    switch count {
    case 0: low
    case 1..<64: high << UInt64(64 - count) | low >> UInt64(count)
    default: high >> UInt64(count - 64)
    }
  }

  /// 10 to the power of `exponent`, which is at most 19.
  private static func power(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { value, _ in value &* 10 }
  }
}
