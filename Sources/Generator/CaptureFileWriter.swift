/// Writes packets as a capture file: pcap, or pcapng (draft-ietf-opsawg-pcapng) with enhanced packet blocks.
struct CaptureFileWriter {
  private var pieces: OutputPieces
  private let container: CaptureContainer
  private let linkType: UInt16
  private let snapLength: UInt32
  private(set) var packets = 0

  /// Bytes so far.
  var count: Int { pieces.count }

  init(_ output: any GeneratorOutput, _ scenario: CaptureScenario) throws {
    pieces = OutputPieces(output)
    container = scenario.container
    linkType = scenario.link.linkType
    // Else the one that tcpdump has.
    snapLength = UInt32(truncatingIfNeeded: scenario.snapLength ?? 262_144)
    try pieces.append(container.format == .pcap ? pcapHeader : pcapngHeader)
  }

  mutating func finish() throws { try pieces.flush() }

  /// A packet as the file has it.
  func record(_ packet: ArraySlice<UInt8>, sentLength: Int, _ moment: Moment) -> [UInt8] {
    container.format == .pcap
      ? pcapRecord(packet, sentLength, moment) : pcapngBlock(packet, sentLength, moment)
  }

  /// How long the record says that it is, in bytes, and of pcapng what else in it a reader that looks for the next
  /// block may take for one: a type up to 10, and a length.
  func claims(_ record: [UInt8]) -> [Int] {
    guard container.format == .pcapng else { return [number(at: 8, in: record)] }
    return record.indices.filter { $0 == 0 || number(at: $0, in: record) <= 10 }.map {
      number(at: $0 + 4, in: record)
    }
  }

  /// The number of four bytes at `place`; more than any of those where they are not there.
  private func number(at place: Int, in record: [UInt8]) -> Int {
    guard place + 4 <= record.count else { return .max }
    let digits = record[place..<place + 4]
    return (container.isBigEndian ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Bytes of a record before its packet's.
  var recordHeader: Int { container.format == .pcap ? 16 : 28 }

  /// Writes a packet's record. Returns the packet's number, and where in the file its bytes begin.
  mutating func write(_ record: [UInt8], at moment: Moment) throws -> CapturedPlace {
    packets += 1
    let start = pieces.count
    try pieces.append(record)
    return CapturedPlace(packet: packets, fileOffset: start + recordHeader, moment: moment)
  }

  // MARK: - pcap

  private var pcapHeader: [UInt8] {
    let magic: UInt32 = container.hasNanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4
    // Version 2.4, no zone.
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
    return block(
      0x0a0d_0d0a, word(0x1a2b_3c4d) + half(1) + half(0) + [UInt8](repeating: 0xff, count: 8))
      + block(1, half(linkType) + half(0) + word(snapLength) + resolution)
  }

  private func pcapngBlock(_ packet: ArraySlice<UInt8>, _ sentLength: Int, _ moment: Moment) -> [UInt8] {
    let rate: UInt64 = container.hasNanoseconds ? 1_000_000_000 : 1_000_000
    let ticks = UInt64(moment.seconds) * rate + UInt64(moment.nanoseconds) / (1_000_000_000 / rate)
    let length = word(UInt32(truncatingIfNeeded: packet.count))
    let padding = [UInt8](repeating: 0, count: (4 - packet.count % 4) % 4)
    let head =
      word(0) + word(UInt32(truncatingIfNeeded: ticks >> 32)) + word(UInt32(truncatingIfNeeded: ticks))
      + length + word(UInt32(truncatingIfNeeded: sentLength))
    return block(6, head + packet + padding)
  }

  private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let length = word(UInt32(truncatingIfNeeded: body.count + 12))
    return word(type) + length + body + length
  }

  // MARK: - Numbers in the file's byte order

  private func word(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(value, to: &bytes)
    return container.isBigEndian ? bytes : bytes.reversed()
  }

  private func half(_ value: UInt16) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(value, to: &bytes)
    return container.isBigEndian ? bytes : bytes.reversed()
  }
}
