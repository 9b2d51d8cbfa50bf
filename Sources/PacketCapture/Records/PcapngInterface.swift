/// An interface of a pcapng section: what its packets are, and how their times are to be read.
struct PcapngInterface: Sendable {
  /// Nil where the block that described it was too short to tell.
  var linkType: LinkType?
  /// Bytes of a packet that were captured at most; 0 is no limit.
  var snapLength: UInt32 = 0
  var resolution = TimeResolution.standard

  private enum Option {
    static let end: UInt16 = 0
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  /// - Parameters:
  ///   - place: index of the Interface Description Block's first byte.
  ///   - end: index behind its options.
  init(at place: Int, to end: Int, in window: RawSpan, order: FileByteOrder) {
    guard end - place >= 16 else { return }
    linkType = LinkType(rawValue: order.uint16(in: window, at: place + 8))
    snapLength = order.uint32(in: window, at: place + 12)
    readOptions(from: place + 16, to: end, in: window, order: order)
  }

  /// Options that do not fit into their block end the list: those before them count.
  private mutating func readOptions(
    from start: Int, to end: Int, in window: RawSpan, order: FileByteOrder
  ) {
    var place = start
    while place + 4 <= end {
      let code = order.uint16(in: window, at: place)
      let length = Int(order.uint16(in: window, at: place + 2))
      let value = place + 4
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
      place = value + (length + 3) & ~3
    }
  }
}
