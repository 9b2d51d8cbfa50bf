/// Writes packets as a capture file: pcap, or pcapng (draft-ietf-opsawg-pcapng) with enhanced packet blocks.
struct CaptureFileWriter {
  private var buffer: BufferedOutput
  private let container: CaptureContainer
  private let linkType: UInt16
  private let snapLength: UInt32
  private(set) var packets = 0

  /// Bytes written so far.
  var count: Int { buffer.count }

  init(_ output: any GeneratorOutput, _ scenario: CaptureScenario) throws {
    buffer = BufferedOutput(output)
    container = scenario.container
    linkType = scenario.link.linkType
    // By default that of tcpdump.
    snapLength = UInt32(truncatingIfNeeded: scenario.snapLength ?? 262_144)
    try buffer.append(container.format == .pcap ? pcapHeader : pcapngHeader)
  }

  mutating func finish() throws { try buffer.flush() }

  func record(_ packet: ArraySlice<UInt8>, sentLength: Int, _ moment: Moment) -> [UInt8] {
    container.format == .pcap
      ? pcapRecord(packet, sentLength, moment) : pcapngBlock(packet, sentLength, moment)
  }

  /// The length in bytes that the record claims. For pcapng, also the lengths of everything in it that a
  /// resynchronising reader may mistake for a block: a type up to 10, and a length.
  func claims(_ record: [UInt8]) -> [Int] {
    guard container.format == .pcapng else { return [number(at: 8, in: record)] }
    return record.indices.filter { $0 == 0 || number(at: $0, in: record) <= 10 }.map {
      number(at: $0 + 4, in: record)
    }
  }

  /// The 32-bit number at `index`; `Int.max` if the record is too short.
  private func number(at index: Int, in record: [UInt8]) -> Int {
    guard index + 4 <= record.count else { return .max }
    let digits = record[index..<index + 4]
    return (container.isBigEndian ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Bytes of a record before the packet.
  var recordHeader: Int { container.format == .pcap ? 16 : 28 }

  /// Writes the record of a packet. Returns the number of the packet, and the file offset of its first byte.
  mutating func write(_ record: [UInt8], at moment: Moment) throws -> CapturedLocation {
    packets += 1
    let start = buffer.count
    try buffer.append(record)
    return CapturedLocation(packet: packets, fileOffset: start + recordHeader, moment: moment)
  }

  // MARK: - pcap

  private var pcapHeader: [UInt8] {
    let magic: UInt32 = container.hasNanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4
    // Version 2.4, UTC.
    return word(magic) + half(2) + half(4) + word(0) + word(0) + word(snapLength) + word(UInt32(linkType))
  }

  private func pcapRecord(_ packet: ArraySlice<UInt8>, _ sentLength: Int, _ moment: Moment) -> [UInt8] {
    let fraction = container.hasNanoseconds ? moment.nanoseconds : moment.nanoseconds / 1000
    let length = word(UInt32(truncatingIfNeeded: packet.count))
    let sent = word(UInt32(truncatingIfNeeded: sentLength))
    return word(moment.seconds) + word(fraction) + length + sent + packet
  }

  // MARK: - pcapng

  private var pcapngHeader: [UInt8] {
    // if_tsresol (9): 10^-9 s; without it times have microseconds.
    let resolution = container.hasNanoseconds ? half(9) + half(1) + [9, 0, 0, 0] + half(0) + half(0) : []
    return block(0x0a0d_0d0a, word(0x1a2b_3c4d) + half(1) + half(0) + [UInt8](repeating: 0xff, count: 8))
      + block(1, half(linkType) + half(0) + word(snapLength) + resolution)
  }

  private func pcapngBlock(_ packet: ArraySlice<UInt8>, _ sentLength: Int, _ moment: Moment) -> [UInt8] {
    let rate: UInt64 = container.hasNanoseconds ? 1_000_000_000 : 1_000_000
    let ticks = UInt64(moment.seconds) * rate + UInt64(moment.nanoseconds) / (1_000_000_000 / rate)
    let length = word(UInt32(truncatingIfNeeded: packet.count))
    let head =
      word(0) + word(UInt32(truncatingIfNeeded: ticks >> 32)) + word(UInt32(truncatingIfNeeded: ticks))
      + length + word(UInt32(truncatingIfNeeded: sentLength))
    return block(6, head + packet + Self.padding(packet.count))
  }

  /// Up to a multiple of 4 bytes.
  private static func padding(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: (4 - count % 4) % 4) }

  /// Writes a decryption secrets block with lines of a TLS key log.
  mutating func write(keyLog lines: [UInt8]) throws {
    let length = word(UInt32(truncatingIfNeeded: lines.count))
    try buffer.append(block(10, word(0x544c_534b) + length + lines + Self.padding(lines.count)))
  }

  private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let length = word(UInt32(truncatingIfNeeded: body.count + 12))
    return word(type) + length + body + length
  }

  // MARK: - Numbers in the file's byte order

  private func word(_ value: UInt32) -> [UInt8] { bytes(of: value) }
  private func half(_ value: UInt16) -> [UInt8] { bytes(of: value) }

  private func bytes(of value: some FixedWidthInteger) -> [UInt8] {
    container.isBigEndian ? bigEndian(value) : bigEndian(value).reversed()
  }
}
