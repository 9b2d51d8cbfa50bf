import TestSupport

/// Writes capture files byte by byte, without anything of the reader.
struct CaptureFileWriter {
  struct Packet: Equatable {
    var bytes: [UInt8]
    /// Units of the file's time resolution since 1970.
    var stamp: UInt64 = 1_400_000_000_000_000
    /// Nil: the captured length.
    var original: Int?
  }

  var isBigEndian = false
  private(set) var bytes: [UInt8] = []
  /// File range of each packet's record.
  private(set) var records: [Range<Int>] = []

  init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  func number(_ value: UInt64, _ width: Int) -> [UInt8] {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return isBigEndian ? bytes.reversed() : bytes
  }
  func u16(_ value: Int) -> [UInt8] { number(UInt64(value), 2) }
  func u32(_ value: Int) -> [UInt8] { number(UInt64(value), 4) }

  // MARK: pcap

  enum Magic: UInt64, CaseIterable {
    case micro = 0xa1b2_c3d4
    case nano = 0xa1b2_3c4d
    case modified = 0xa1b2_cd34
    var unitsPerSecond: UInt64 { self == .nano ? 1_000_000_000 : 1_000_000 }
  }

  mutating func pcapHeader(_ magic: Magic = .micro) {
    bytes += number(magic.rawValue, 4) + u16(2) + u16(4) + u32(0) + u32(0) + u32(65_535) + u32(1)
  }

  mutating func pcapPacket(_ packet: Packet, _ magic: Magic = .micro) {
    let start = bytes.count
    let (seconds, fraction) = packet.stamp.quotientAndRemainder(dividingBy: magic.unitsPerSecond)
    bytes += number(seconds, 4) + number(fraction, 4)
    bytes += u32(packet.bytes.count) + u32(packet.original ?? packet.bytes.count)
    if magic == .modified { bytes += u32(3) + u16(8) + [4, 0] }
    bytes += packet.bytes
    records.append(start..<bytes.count)
  }

  // MARK: pcapng

  func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }

  func option(_ code: Int, _ value: [UInt8]) -> [UInt8] { u16(code) + u16(value.count) + padded(value) }

  mutating func block(_ type: Int, _ body: [UInt8]) {
    let length = u32(body.count + 12)
    bytes += u32(type) + length + body + length
  }

  mutating func section(options: [UInt8] = []) {
    block(0x0a0d_0d0a, u32(0x1a2b_3c4d) + u16(1) + u16(0) + number(.max, 8) + options)
  }

  mutating func interface(options: [UInt8] = []) { block(1, u16(1) + u16(0) + u32(65_535) + options) }

  private func packetBody(_ packet: Packet) -> [UInt8] {
    number(packet.stamp >> 32, 4) + number(packet.stamp & 0xffff_ffff, 4) + u32(packet.bytes.count)
      + u32(packet.original ?? packet.bytes.count) + padded(packet.bytes)
  }

  mutating func enhanced(_ packet: Packet, options: [UInt8] = []) {
    let start = bytes.count
    block(6, u32(0) + packetBody(packet) + options)
    records.append(start..<bytes.count)
  }

  mutating func obsolete(_ packet: Packet) {
    let start = bytes.count
    block(2, u16(0) + u16(7) + packetBody(packet))
    records.append(start..<bytes.count)
  }
}

extension SeededGenerator {
  /// Packets a few moments apart, of random bytes.
  mutating func packets(_ count: Int, unitsPerSecond: UInt64 = 1_000_000, maxLength: Int = 300)
    -> [CaptureFileWriter.Packet]
  {
    var stamp = 1_400_000_000 * unitsPerSecond + UInt64(pick(0...999_999))
    return (0..<count).map { _ in
      stamp += UInt64(pick(0...Int(2 * unitsPerSecond)))
      let bytes = bytes(pick(12...maxLength))
      return CaptureFileWriter.Packet(
        bytes: bytes, stamp: stamp, original: chance(5) ? bytes.count + pick(0...1500) : nil)
    }
  }

  /// A pcap file of `packets`, which count in its units.
  func pcap(_ packets: [CaptureFileWriter.Packet], _ magic: CaptureFileWriter.Magic, isBigEndian: Bool)
    -> CaptureFileWriter
  {
    var writer = CaptureFileWriter(isBigEndian: isBigEndian)
    writer.pcapHeader(magic)
    for packet in packets { writer.pcapPacket(packet, magic) }
    return writer
  }

  /// A pcapng file of one section with blocks of all kinds.
  mutating func pcapng(_ packets: [CaptureFileWriter.Packet], isBigEndian: Bool) -> CaptureFileWriter {
    var writer = CaptureFileWriter(isBigEndian: isBigEndian)
    writer.section(options: writer.option(4, Array("a writer".utf8)) + writer.option(0, []))
    writer.interface(options: chance(2) ? writer.option(9, [6]) + writer.option(0, []) : [])
    for packet in packets {
      switch pick(0...9) {
      case 0: writer.obsolete(packet)
      case 1: writer.block(pick([4, 5, 0xbad, 0x1234]), bytes(4 * pick(3...9)))
      default: break
      }
      writer.enhanced(packet, options: chance(3) ? writer.option(2, bytes(4)) + writer.option(0, []) : [])
    }
    return writer
  }
}
