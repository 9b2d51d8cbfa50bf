import CaptureWriting
import PacketCapture
import TestSupport
import Testing

/// docs/spec/captures.md#damaged-files: which packets come out where not even the neighbours of a record are sound.
@Suite("Records between damages")
struct CaptureResynchronisationTests {
  enum Shape: String, CaseIterable, Sendable {
    case micro, microBig, nano, nanoBig, modified, pcapng, pcapngBig

    func file(_ packets: [CapturedPacket], garbage: [Int: [UInt8]] = [:]) -> [UInt8] {
      let order: ByteOrder = [.microBig, .nanoBig, .pcapngBig].contains(self) ? .big : .little
      if [.pcapng, .pcapngBig].contains(self) {
        var writer = PcapngWriter()
        writer.order = order
        return writer.file(packets, garbage: garbage)
      }
      var writer = PcapWriter()
      writer.order = order
      writer.isNanosecond = [.nano, .nanoBig].contains(self)
      writer.isModified = self == .modified
      return writer.file(packets, garbage: garbage)
    }
  }

  enum Garbage: String, CaseIterable, Sendable {
    case noise, zeros, ones, text
    /// Times of a feedback list as near to the capture's as they can be, and tokens.
    case tuples

    func bytes(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
      switch self {
      case .noise: return generator.bytes(count)
      case .zeros: return [UInt8](repeating: 0, count: count)
      case .ones: return [UInt8](repeating: 0xff, count: count)
      case .text: return (0..<count).map { _ in UInt8(generator.pick(32...126)) }
      case .tuples:
        let start = Int(CaptureResynchronisationTests.start)
        var bytes: [UInt8] = []
        while bytes.count < count {
          let time = UInt32(generator.pick((start - 40_000)...(start + 40_000)))
          bytes += Tuples.of(generator.bytes(32), time: time)
        }
        return Array(bytes.prefix(count))
      }
    }
  }

  /// 2013-05-01T09:30:00Z, when the conversations of tests begin.
  private static let start = 1_367_400_600

  /// Packets of a connection, in which the server sends `bytes`.
  private static func packets(_ bytes: [UInt8], segmentSizes: [Int] = [100, 38, 1, 700, 1400])
    -> [CapturedPacket]
  {
    var conversation = Conversation(serverSends: bytes)
    conversation.segmentSizes = segmentSizes
    return FrameWriter().packets(conversation.segments())
  }

  /// Garbage by the indices of the packets that it comes before.
  private static func garbage(
    before indices: some Sequence<Int>, _ bytes: () -> [UInt8]
  ) -> [Int: [UInt8]] {
    Dictionary(uniqueKeysWithValues: indices.map { ($0, bytes()) })
  }

  /// Those of `packets` that a reading lacks, in their order.
  private static func missing(_ packets: some Sequence<CapturedPacket>, in reading: RecordReading)
    -> [[UInt8]]
  {
    var found = reading.packets.map(\.bytes)[...]
    return packets.map(\.bytes).filter { bytes in
      guard let position = found.firstIndex(of: bytes) else { return true }
      found = found[(position + 1)...]
      return false
    }
  }

  private func expectAll(_ packets: [CapturedPacket], in file: [UInt8], _ comment: String) -> RecordReading {
    let reading = RecordReading(file)
    #expect(reading.packets.map(\.bytes) == packets.map(\.bytes), "\(comment): \(reading.damages)")
    #expect(reading.misuse.isEmpty && reading.errors.isEmpty, "\(comment)")
    for size in [0, 1, 37, 1000] {
      #expect(RecordReading(file, chunk: { size }) == reading, "\(comment), windows of \(size)")
    }
    return reading
  }

  // MARK: - Garbage

  @Test("garbage between every two records", arguments: Shape.allCases, Garbage.allCases)
  func everywhere(_ shape: Shape, _ kind: Garbage) {
    for length in [1, 3, 16, 50, 700] {
      var generator = SeededGenerator(seed: UInt64(length))
      let packets = Self.packets(generator.bytes(6000))
      let garbage = Self.garbage(before: packets.indices.dropFirst()) {
        kind.bytes(length, using: &generator)
      }
      let reading = expectAll(
        packets, in: shape.file(packets, garbage: garbage), "\(length) bytes of \(kind)")
      let positions = packets.indices.dropFirst().map { index in
        shape.file(Array(packets[..<index])).count + length * (index - 1)
      }
      #expect(reading.damages == positions.map { "\($0)+\(length)" })
    }
  }

  @Test("garbage before the first record and after the last one, too", arguments: Shape.allCases)
  func fromTheHead(_ shape: Shape) {
    var generator = SeededGenerator(seed: 11)
    let packets = Self.packets(generator.bytes(3000))
    let garbage = Self.garbage(before: packets.indices) { generator.bytes(50) }
    let file = shape.file(packets, garbage: garbage) + generator.bytes(50)
    #expect(expectAll(packets, in: file, "\(shape)").damages.count == packets.count + 1)
  }

  @Test("packets truncated by the snap length are detected as well as whole ones")
  func snapLength() {
    var generator = SeededGenerator(seed: 12)
    var packets = FrameWriter().packets(Conversation(serverSends: generator.bytes(9000)).segments())
    for index in packets.indices { packets[index].bytes = Array(packets[index].bytes.prefix(96)) }
    let garbage = Self.garbage(before: packets.indices.dropFirst()) { generator.bytes(50) }
    var writer = PcapWriter()
    writer.snapLength = 96
    #expect(packets.contains { $0.bytes.count == 96 && $0.originalLength > 1000 })
    _ = expectAll(packets, in: writer.file(packets, garbage: garbage), "cut at 96 bytes")
  }

  @Test("a lone record far from all others in time is not accepted, but reported")
  func farAway() {
    var generator = SeededGenerator(seed: 13)
    var packets = Self.packets(generator.bytes(500))
    packets[3].time += 3 * 86_400 * 1_000_000_000
    let garbage = [3: generator.bytes(50), 4: generator.bytes(50)]
    let reading = RecordReading(PcapWriter().file(packets, garbage: garbage))
    #expect(reading.packets.count == packets.count - 1)
    #expect(
      reading.damages.count == 1 && reading.damages[0].hasSuffix("+\(100 + 16 + packets[3].bytes.count)"))
  }

  /// Of 128 MiB of noise, of zeros, and of tuples (of 2010 to 2019, and of the capture's day), each in pcap of either
  /// byte order and resolution, nothing was taken for a record when this was written.
  @Test("a megabyte of garbage is not a packet", arguments: Shape.allCases, Garbage.allCases)
  func falseRecords(_ shape: Shape, _ kind: Garbage) {
    var generator = SeededGenerator(seed: 14)
    let packets = Self.packets(generator.bytes(500))
    let garbage = kind.bytes(1 << 20, using: &generator)
    let reading = RecordReading(shape.file(packets, garbage: [4: garbage]))
    #expect(reading.packets.map(\.bytes) == packets.map(\.bytes))
    #expect(reading.damages.map { $0.split(separator: "+").last } == ["\(garbage.count)"])
  }

  /// The rest of the header, read a few bytes off, has small numbers for a time and lengths: they are neither a
  /// packet's nor a clock that jumped.
  @Test("bytes lost from a header cost its packet", arguments: [Shape.micro, .microBig, .nano, .modified])
  func lostHeaderBytes(_ shape: Shape) {
    var generator = SeededGenerator(seed: 16)
    let packets = Self.packets(generator.bytes(3000))
    let index = packets.count / 2
    let sound = shape.file(packets)
    let start = shape.file(Array(packets[..<index])).count
    for position in 0..<16 {
      for count in 1...(16 - position) {
        var file = sound
        file.removeSubrange((start + position)..<(start + position + count))
        let reading = RecordReading(file)
        // After a byte or three of another packet, the upper bytes of a little-endian time are one: then they can
        // as well be lost from that packet.
        let spared = position + count <= 3 && shape != .microBig ? index - 1 : index
        let missing = Self.missing(packets[..<spared] + packets[(index + 1)...], in: reading)
        let shown = "\(count) bytes lost at \(position): \(reading.damages)"
        #expect(missing.isEmpty && reading.packets.count <= packets.count, "\(shown)")
        #expect(reading.misuse.isEmpty, "\(shown)")
      }
    }
  }

  /// Read three bytes too late, a header can have a time of the same month, a length 256 times the packet's, and no
  /// original length; and packets of equal lengths make one such header point to another.
  @Test("headers that are read a few bytes off do not bear each other out")
  func shiftedChain() {
    var writer = CaptureFileWriter()
    writer.pcapHeader(.nano)
    for number in 0..<300 {
      let seconds = UInt64(0x5180_e192) + UInt64(number)
      writer.pcapPacket(
        CaptureFileWriter.Packet(
          bytes: [0, 0, 0, 1, 0, 6] + [UInt8](repeating: UInt8(number & 0xff), count: 58),
          stamp: seconds * 1_000_000_000 + 0x1c51_8a7b), .nano)
    }
    let sound = RecordReading(writer.bytes)
    var file = writer.bytes
    file.removeSubrange((writer.records[20].upperBound - 3)..<writer.records[20].upperBound)
    let reading = RecordReading(file)
    let spared = sound.packets.indices.filter { $0 != 20 }.map { sound.packets[$0].bytes }
    #expect(sound.packets.count == 300 && reading.packets.map(\.bytes) == spared, "\(reading.damages)")
  }

  // MARK: - A capture within a capture

  /// The transfer of a capture of the same minute.
  private static func transfer(_ shape: Shape, using generator: inout SeededGenerator) -> [CapturedPacket] {
    let carried = shape.file(packets(generator.bytes(9000), segmentSizes: [100, 38, 1, 200]))
    return packets(carried, segmentSizes: [1400, 1399, 300, 900])
  }

  @Test("the packets of a capture that packets carry are not this one's", arguments: Shape.allCases)
  func carried(_ shape: Shape) {
    var generator = SeededGenerator(seed: 15)
    let packets = Self.transfer(shape, using: &generator)
    #expect(expectAll(packets, in: shape.file(packets), "sound").damages.isEmpty)
    for length in [1, 16, 50, 700] {
      let garbage = Self.garbage(before: packets.indices.dropFirst()) { generator.bytes(length) }
      let file = shape.file(packets, garbage: garbage)
      let reading = expectAll(packets, in: file, "\(length) bytes of garbage")
      #expect(reading.damages.count == packets.count - 1)
    }
  }

  @Test(
    "bytes lost from a packet that carries a capture cost that packet",
    arguments: [Shape.micro, .nanoBig, .modified])
  func lostBytes(_ shape: Shape) {
    for seed in 0..<20 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let packets = Self.transfer(shape, using: &generator)
      var file = shape.file(packets)
      let index = packets.indices.filter { packets[$0].bytes.count > 1000 }[1]
      let end = shape.file(Array(packets[...index])).count
      let count = generator.pick(1...300)
      file.removeSubrange((end - 400)..<(end - 400 + count))
      let reading = RecordReading(file)
      let others = packets[..<index] + packets[(index + 1)...]
      let shown = "seed \(seed): \(reading.damages)"
      #expect(Self.missing(others, in: reading).isEmpty && reading.packets.count == others.count, "\(shown)")
      #expect(reading.misuse.isEmpty)
    }
  }
}
