import PacketCapture
import TestSupport
import Testing

/// docs/spec/captures.md#damaged-files.
@Suite("Damaged captures")
struct CaptureDamageTests {
  enum Shape: String, CaseIterable, Sendable {
    case micro, nano, modified, pcapng

    /// A file whose times are `count` random packets'; the first record begins at `records.first`.
    func file(_ count: Int, isBigEndian: Bool, using generator: inout SeededGenerator)
      -> CaptureFileWriter
    {
      let magics: [Shape: CaptureFileWriter.Magic] = [.micro: .micro, .nano: .nano, .modified: .modified]
      guard let magic = magics[self] else {
        return generator.pcapng(generator.packets(count), isBigEndian: isBigEndian)
      }
      let packets = generator.packets(count, unitsPerSecond: magic.unitsPerSecond)
      return generator.pcap(packets, magic, isBigEndian: isBigEndian)
    }
  }

  enum Harm: String, CaseIterable, Sendable {
    case flips, zeros, noise, cut, insertedNoise, insertedZeros, flippedLengths
  }

  /// The file with one kind of damage, and the damaged range; empty if bytes were inserted.
  static func harm(
    _ file: CaptureFileWriter, _ harm: Harm, _ shape: Shape, using generator: inout SeededGenerator
  ) -> (bytes: [UInt8], touched: Range<Int>) {
    var bytes = file.bytes
    let first = file.records.first?.lowerBound ?? 0
    let start = generator.pick(first...(bytes.count - 40))
    let range = start..<(start + generator.pick(1...min(700, bytes.count - start)))
    let position = generator.chance(2) ? start : generator.pick(file.records).lowerBound
    switch harm {
    case .flips:
      let range = range.prefix(8)
      for index in range { bytes[index] ^= UInt8(truncatingIfNeeded: generator.next()) | 1 }
      return (bytes, range)
    case .zeros:
      for index in range { bytes[index] = 0 }
      return (bytes, range)
    case .noise:
      bytes.replaceSubrange(range, with: generator.bytes(range.count))
      return (bytes, range)
    case .cut:
      bytes.removeSubrange(range)
      return (bytes, range)
    case .insertedNoise, .insertedZeros:
      let count = generator.pick(1...600)
      let more = harm == .insertedZeros ? [UInt8](repeating: 0, count: count) : generator.bytes(count)
      bytes.insert(contentsOf: more, at: position)
      return (bytes, position..<position)
    case .flippedLengths:
      let field = generator.pick(file.records).lowerBound + (shape == .pcapng ? 4 : 8)
      let index = field + generator.pick(0...3)
      bytes[index] ^= UInt8(generator.pick(1...255))
      return (bytes, index..<(index + 1))
    }
  }

  private static func isTouched(_ record: Range<Int>, by range: Range<Int>) -> Bool {
    range.isEmpty
      ? record.lowerBound < range.lowerBound && range.lowerBound < record.upperBound
      : record.overlaps(range)
  }

  /// Whether the packet that a cut begins in ends, by its length, where another one does after the cut: then a pcap
  /// file does not show that bytes are missing.
  private static func fitsByChance(_ file: CaptureFileWriter, _ cut: Range<Int>) -> Bool {
    guard let end = file.records.first(where: { $0.contains(cut.lowerBound) })?.upperBound else {
      return false
    }
    return file.records.contains { $0.upperBound > cut.upperBound && $0.upperBound - cut.count == end }
  }

  @Test("every packet that the damage did not touch is read", arguments: Shape.allCases, Harm.allCases)
  func untouchedPackets(_ shape: Shape, _ harm: Harm) {
    for seed in 0..<120 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let file = shape.file(generator.pick(3...30), isBigEndian: generator.chance(2), using: &generator)
      let sound = RecordReading(file.bytes)
      #expect(sound.packets.count == file.records.count && sound.damages.isEmpty && sound.misuse.isEmpty)
      let (bytes, touched) = Self.harm(file, harm, shape, using: &generator)
      if harm == .cut, shape != .pcapng, Self.fitsByChance(file, touched) { continue }
      let reading = RecordReading(bytes)
      #expect(reading.misuse.isEmpty, "seed \(seed)")
      var found = reading.packets[...]
      for (record, packet) in zip(file.records, sound.packets) where !Self.isTouched(record, by: touched) {
        let index = found.firstIndex { $0.bytes == packet.bytes && $0.original == packet.original }
        #expect(
          index != nil, "seed \(seed): the packet at \(record), \(touched) was touched, \(reading.damages)")
        if let index { found = found[(index + 1)...] }
        if let index { #expect(reading.packets[index].time == packet.time, "seed \(seed)") }
      }
      // Only the damaged range may be read differently.
      let lost = file.records.count { Self.isTouched($0, by: touched) }
      #expect(reading.packets.count <= file.records.count + 1)
      #expect(reading.packets.count >= file.records.count - lost, "seed \(seed)")
      for size in [0, 1, 37, 1000] {
        #expect(RecordReading(bytes, chunk: { size }) == reading, "seed \(seed), windows of \(size)")
      }
    }
  }

  @Test("bytes of no sense at all, from the head on", arguments: [CaptureRecords.FileFormat.pcap, .pcapng])
  func nonsense(_ kind: CaptureRecords.FileFormat) {
    var generator = SeededGenerator(seed: 6)
    let heads: [[UInt8]] = [
      [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], [0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4],
      [0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a], [],
    ]
    for _ in 0..<400 {
      var bytes = generator.pick(heads) + [UInt8](repeating: 0, count: generator.pick(0...20))
      // Small numbers, so that lengths and types are often nearly right.
      bytes += (0..<generator.pick(0...400)).map { _ in UInt8(generator.pick([0, 0, 0, 1, 6, 12, 32, 255])) }
      let reading = RecordReading(bytes, as: kind, maxPacket: generator.pick([0, 20, 1 << 16, Int.max >> 8]))
      #expect(reading.misuse.isEmpty)
    }
  }

  @Test("libpcap and we agree on random files", arguments: Shape.allCases, [false, true])
  func sameAsLibpcap(_ shape: Shape, isBigEndian: Bool) {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<60 {
      let file = shape.file(generator.pick(0...20), isBigEndian: isBigEndian, using: &generator).bytes
      let libpcap = LibpcapReading(file)
      let reading = RecordReading(file)
      #expect(libpcap.error == nil && reading.damages.isEmpty)
      #expect(reading.packets.map(\.asLibpcap) == libpcap.packets)
    }
  }

  @Test("resolutions and offsets are read as by libpcap")
  func resolutions() {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<200 {
      var writer = CaptureFileWriter(isBigEndian: generator.chance(2))
      writer.section()
      let exponent = UInt8(generator.chance(2) ? generator.pick(0...12) : 0x80 + generator.pick(0...30))
      let offset = generator.pick(0...100_000)
      writer.interface(
        options: writer.option(9, [exponent]) + writer.option(14, writer.number(UInt64(offset), 8)))
      let stamp = generator.next() >> UInt64(generator.pick(24...40))
      writer.enhanced(CaptureFileWriter.Packet(bytes: [1, 2, 3], stamp: stamp))
      let libpcap = LibpcapReading(writer.bytes)
      #expect(libpcap.error == nil)
      #expect(
        RecordReading(writer.bytes).packets.map(\.asLibpcap) == libpcap.packets, "resolution \(exponent)")
    }
  }
}
