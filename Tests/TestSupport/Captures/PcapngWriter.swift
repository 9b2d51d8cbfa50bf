/// Capture files of the newer format (draft-ietf-opsawg-pcapng).
package struct PcapngWriter: Sendable {
  /// How packets are stored. Simple blocks have no time and no interface.
  package enum Packets: Sendable { case enhanced, simple, obsolete }

  /// if_tsresol: the unit of times is 10^-n or 2^-n of a second.
  package enum Resolution: Sendable {
    case decimal(UInt8)
    case binary(UInt8)

    var code: UInt8 {
      switch self {
      case .decimal(let digits): digits
      case .binary(let bits): bits | 0x80
      }
    }

    /// Units per second.
    var rate: UInt64 {
      switch self {
      case .decimal(let digits): (0..<digits).reduce(1) { rate, _ in rate * 10 }
      case .binary(let bits): 1 << bits
      }
    }
  }

  package struct Interface: Sendable {
    /// Nil takes the link type of the packets.
    package var linkType: UInt16?
    /// Nil leaves the option out: microseconds.
    package var resolution: Resolution?
    /// if_tsoffset: seconds to add to all times.
    package var offset: Int64 = 0
    package var snapLength = 0

    package init(linkType: UInt16? = nil, resolution: Resolution? = nil, offset: Int64 = 0) {
      self.linkType = linkType
      self.resolution = resolution
      self.offset = offset
    }
  }

  package var order: ByteOrder = .little
  package var kind: Packets = .enhanced
  /// Used in turn, where a packet fits the link type.
  package var interfaces = [Interface()]
  /// The number of sections, to which packets are dealt out; each second one has the other byte order.
  package var sections = 1
  /// Comments on sections, interfaces and packets, and blocks of other kinds between the packets.
  package var isVerbose = false

  package init() {}

  /// The file, with `garbage` (bytes by index of a packet) before these packets' blocks.
  package func file(_ packets: [CapturedPacket], garbage: [Int: [UInt8]] = [:]) -> [UInt8] {
    let size = max(1, (packets.count + sections - 1) / sections)
    var bytes: [UInt8] = []
    for begin in stride(from: 0, to: max(1, packets.count), by: size) {
      var section = self
      if begin / size % 2 == 1 { section.order = order == .little ? .big : .little }
      bytes += section.sectionHeader(linkType: packets.first?.linkType ?? 1)
      for index in begin..<min(begin + size, packets.count) {
        bytes += garbage[index] ?? []
        if isVerbose { bytes += section.otherBlock(index) }
        bytes += section.packetBlock(packets[index], index)
      }
    }
    return bytes
  }

  /// Section header and its interfaces.
  package func sectionHeader(linkType: UInt16) -> [UInt8] {
    let section = join(
      order.bytes(0x1a2b_3c4d, 4), order.bytes(1, 2), order.bytes(0, 2), order.bytes(UInt64.max, 8))
    return block(0x0a0d_0d0a, section + comment("a section"))
      + interfaces.flatMap { interface in
        block(
          1,
          join(
            order.bytes(interface.linkType ?? linkType, 2), [0, 0], order.bytes(interface.snapLength, 4),
            options(of: interface)))
      }
  }

  private func options(of interface: Interface) -> [UInt8] {
    var options: [UInt8] = isVerbose ? option(2, Array("eth0".utf8)) : []
    if let resolution = interface.resolution { options += option(9, [resolution.code]) }
    if interface.offset != 0 { options += option(14, order.bytes(interface.offset, 8)) }
    return options.isEmpty ? [] : options + option(0, [])
  }

  package func packetBlock(_ packet: CapturedPacket, _ index: Int) -> [UInt8] {
    let fitting = interfaces.indices.filter { interfaces[$0].linkType ?? packet.linkType == packet.linkType }
    let number = fitting.isEmpty ? 0 : fitting[index % fitting.count]
    let bytes = packet.bytes + padding(of: packet.bytes.count, to: 4)
    let lengths = order.bytes(packet.bytes.count, 4) + order.bytes(packet.originalLength, 4)
    let ticks = time(packet.time, at: interfaces[number])
    let time = order.bytes(ticks >> 32, 4) + order.bytes(ticks, 4)
    switch kind {
    case .enhanced: return block(6, join(order.bytes(number, 4), time, lengths, bytes, comment("a packet")))
    case .simple: return block(3, order.bytes(packet.originalLength, 4) + bytes)
    // Drops unknown.
    case .obsolete:
      return block(2, join(order.bytes(number, 2), [0xff, 0xff], time, lengths, bytes, comment("a packet")))
    }
  }

  /// In units of the interface, rounded down.
  private func time(_ nanoseconds: UInt64, at interface: Interface) -> UInt64 {
    let rate = (interface.resolution ?? .decimal(6)).rate
    let seconds = UInt64(Int64(nanoseconds / 1_000_000_000) - interface.offset)
    let (high, low) = (nanoseconds % 1_000_000_000).multipliedFullWidth(by: rate)
    return seconds * rate + UInt64(1_000_000_000).dividingFullWidth((high, low)).quotient
  }

  /// Statistics, a custom block and one of an unregistered type, in turn.
  private func otherBlock(_ index: Int) -> [UInt8] {
    switch index % 3 {
    case 0: block(5, order.bytes(0, 4) + order.bytes(0, 8))
    case 1: block(0x0bad, order.bytes(32_473, 4) + Array("anything".utf8))
    default: block(0x7fff_0001, [1, 2, 3, 4, 5, 6, 7, 8])
    }
  }

  private func comment(_ text: String) -> [UInt8] {
    isVerbose ? option(1, Array(text.utf8)) + option(0, []) : []
  }

  private func option(_ code: Int, _ value: [UInt8]) -> [UInt8] {
    join(order.bytes(code, 2), order.bytes(value.count, 2), value, padding(of: value.count, to: 4))
  }

  package func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let length = order.bytes(body.count + 12, 4)
    return join(order.bytes(type, 4), length, body, length)
  }
}
