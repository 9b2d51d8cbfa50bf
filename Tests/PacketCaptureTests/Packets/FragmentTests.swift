import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("IP datagrams in fragments")
struct FragmentTests {
  /// A TCP segment long enough to be cut up.
  static let payload = (0..<997).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  static let segment = Frames.tcp(payload)

  /// Fragments of `datagram` at multiples of `step` bytes, as RAW packets.
  static func fragments(
    of datagram: [UInt8] = segment, step: Int, id: Int = 7, protocol number: UInt8 = 6, isIPv6: Bool = false
  ) -> [[UInt8]] {
    stride(from: 0, to: datagram.count, by: step).map { offset in
      let part = Array(datagram[offset..<min(offset + step, datagram.count)])
      let more = offset + step < datagram.count
      guard isIPv6 else {
        return Frames.ipv4(part, protocol: number, id: id, offsetField: offset / 8 + (more ? 0x2000 : 0))
      }
      return Frames.ipv6(
        Frames.fragmentHeader(next: number, offset: offset, more: more, id: id) + part, next: 44)
    }
  }

  /// Reads RAW packets; gives the segments' payloads, the kinds of findings, and the reader.
  private func read(
    _ frames: [[UInt8]], options: CaptureOptions = CaptureOptions()
  ) -> (payloads: [[UInt8]], findings: [StreamFinding], reader: FrameReader) {
    var reader = FrameReader(options: options)
    var payloads: [[UInt8]] = []
    for frame in frames {
      let answer = reader.read(frame, linkType: 101)
      if case .datagram(_, let datagram) = answer { expectOrigins(of: datagram, in: reader.file) }
      if let payload = FrameReader.payload(answer, of: frame) { payloads.append(payload) }
    }
    reader.dissector.finish()
    return (payloads, reader.dissector.takeFindings(), reader)
  }

  private func expectOrigins(of datagram: ReassembledDatagram, in file: [UInt8]) {
    let positions = datagram.bytes.indices.map { index in
      datagram.origins[datagram.origins.index(of: index)].fileOffset(of: index)
    }
    #expect(positions.map { file[$0] } == datagram.bytes)
    #expect(datagram.origins.allSatisfy { $0.packet?.number != nil })
  }

  @Test("in any order, in both families, with copies", arguments: [8, 16, 64, 512, 1016], [false, true])
  func anyOrder(_ step: Int, _ isIPv6: Bool) {
    var generator = SeededGenerator(seed: UInt64(step))
    let frames = Self.fragments(step: step, isIPv6: isIPv6)
    for order in [frames, frames.reversed(), frames.shuffled(using: &generator)] {
      for copies in [order, order + order, order.flatMap { [$0, $0] }] {
        let (payloads, findings, reader) = read(copies)
        #expect(payloads == [Self.payload] && findings.isEmpty, "\(findings.prefix(2))")
        #expect(reader.dissector.counts.fragments == copies.count)
      }
    }
  }

  @Test("the segment and its origins")
  func wholeAnswer() {
    var reader = FrameReader()
    let frames = Self.fragments(step: 512)
    #expect(reader.read(frames[1], linkType: 101) == .skipped)
    let answer = reader.read(frames[0], linkType: 101)
    guard case .datagram(var segment, let datagram) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(segment.headerLength == 20)
    segment.headerLength = 0
    #expect(segment == Frames.segment(payloadStart: 20, length: Self.payload.count))
    #expect(datagram.bytes == Self.segment)
    // The first packet of the file has 20 bytes of IP header after 16 of the record's.
    let second = 36 + (Self.segment.count - 512) + 36
    #expect(datagram.origins.map(\.streamOffset) == [0, 512])
    #expect(datagram.origins.map(\.fileOffset) == [second, 36])
    #expect(datagram.origins.map { $0.packet?.number } == [2, 1])
  }

  @Test("concurrent datagrams, distinguished by their keys")
  func mixed() {
    var generator = SeededGenerator(seed: 5)
    let sets = (0..<40).map { id in
      Self.fragments(of: Frames.tcp([UInt8(id)] + Self.payload), step: 256, id: id, isIPv6: id % 3 == 0)
    }
    let (payloads, findings, _) = read(sets.flatMap { $0 }.shuffled(using: &generator))
    #expect(Set(payloads) == Set((0..<40).map { [UInt8($0)] + Self.payload }) && payloads.count == 40)
    #expect(findings.isEmpty)
  }

  @Test("a reused key")
  func usedAgain() {
    let other = Frames.tcp(Array(Self.payload.reversed()))
    let frames = Self.fragments(step: 512) + Self.fragments(of: other, step: 512)
    let (payloads, findings, _) = read(frames)
    #expect(payloads == [Self.payload, Self.payload.reversed()] && findings.isEmpty)
  }

  @Test("overlaps refuse the datagram, once")
  func overlaps() {
    let parts = Self.fragments(step: 256)
    let shifted = Frames.ipv4(Array(Self.segment[248..<504]), offsetField: 31 + 0x2000)
    let longer = Frames.ipv4(Array(Self.segment[256..<520]), offsetField: 32 + 0x2000)
    let other = Frames.ipv4([UInt8](repeating: 9, count: 256), offsetField: 32 + 0x2000)
    let secondEnd = Frames.ipv4(Array(Self.segment[512..<520]), offsetField: 64)
    let afterEnd = Frames.ipv4(Frames.zeros(8), offsetField: 0x2000 + 400)
    for wrong in [shifted, longer, other, secondEnd, afterEnd] {
      for order in [parts, parts.reversed()] {
        let frames = Array(order.prefix(3)) + [wrong, wrong] + order.suffix(1) + parts
        let (payloads, findings, _) = read(frames)
        #expect(payloads.isEmpty && findings.map(\.code) == [.fragmentOverlap], "\(findings)")
      }
    }
  }

  @Test(
    "an incomplete datagram is reported if a stream may lack it",
    arguments: [
      ("TCP without its end", [0], UInt8(6), true), ("TCP without its beginning", [1], 6, true),
      ("a tunnel", [0], 47, true), ("ICMP", [0], 1, false), ("UDP without its beginning", [1], 17, false),
      ("UDP of another service", [0], 17, false),
    ] as [(String, [Int], UInt8, Bool)])
  func incomplete(_ name: String, _ kept: [Int], _ number: UInt8, _ isReported: Bool) {
    for isIPv6 in [false, true] {
      let frames = Self.fragments(step: 512, protocol: number, isIPv6: isIPv6)
      let (payloads, findings, reader) = read(kept.map { frames[$0] })
      #expect(payloads.isEmpty && reader.dissector.counts.fragments == 1)
      #expect(findings.map(\.code) == (isReported ? [.fragmentMissing] : []))
      guard let finding = findings.first else { continue }
      #expect(finding.packet?.number == 1 && finding.fileOffset == (isIPv6 ? 16 + 48 : 16 + 20))
      #expect(finding.message.text.contains("\(kept == [0] ? 512 : Self.segment.count - 512)"))
    }
  }

  @Test("a VXLAN datagram that stays incomplete")
  func incompleteVXLAN() {
    let datagram = Frames.vxlan(Frames.ethernet(Frames.ipv4(Self.segment)))
    let frames = Self.fragments(of: datagram, step: 512, protocol: 17)
    #expect(read([frames[0]]).findings.map(\.code) == [.fragmentMissing])
    #expect(read(frames).payloads == [Self.payload])
    #expect(read(frames.reversed()).payloads == [Self.payload])
  }

  @Test("age, in packets")
  func age() {
    let options = CaptureOptions.with { $0.reorderWindow = 10 }
    let frames = Self.fragments(step: 512)
    for between in 8...11 {
      let others = [[UInt8]](repeating: Frames.ipv4(Frames.zeros(8), protocol: 1), count: between)
      let (payloads, findings, _) = read([frames[0]] + others + [frames[1]], options: options)
      let isInTime = between < 10
      #expect(payloads == (isInTime ? [Self.payload] : []))
      #expect(findings.count == (isInTime ? 0 : 2), "\(between) between")
    }
  }

  @Test("the buffer: the oldest goes first")
  func buffer() {
    var options = CaptureOptions.with { $0.fragmentBuffer = 20_000 }
    let sets = (0..<40).map { Self.fragments(step: 512, id: $0) }
    let (payloads, findings, _) = read(sets.map { $0[0] } + [sets[39][1], sets[0][1]], options: options)
    #expect(payloads == [Self.payload])
    #expect(findings.map(\.code) == [FindingCode](repeating: .fragmentMissing, count: 40))
    #expect(findings.first?.packet?.number == 1)
    options.fragmentBuffer = 0
    #expect(read(sets[0], options: options).findings.count == 2)
  }

  @Test("the maximum number of fragments, backwards", arguments: [false, true])
  func smallest(_ isIPv6: Bool) {
    let payload = [UInt8](repeating: 3, count: 65_535 - 20)
    let frames = Self.fragments(of: Frames.tcp(payload), step: 8, isIPv6: isIPv6)
    let options = CaptureOptions.with { $0.reorderWindow = frames.count }
    #expect(frames.count == 8192)
    let (payloads, findings, _) = read(frames.reversed(), options: options)
    #expect(payloads == [payload] && findings.isEmpty)
  }

  @Test("a flood of first fragments: each is reported")
  func flood() {
    var reader = FrameReader(options: .with { $0.fragmentBuffer = 1 << 20 })
    for id in 0..<50_000 {
      let frame = Frames.ipv4(Frames.zeros(8), id: id & 0xffff, offsetField: 0x2000)
      #expect(reader.read(frame, linkType: 101) == .skipped)
    }
    reader.dissector.finish()
    #expect(reader.dissector.takeFindings().count == 50_000)
  }

  @Test(
    "invalid lengths",
    arguments: [
      ("not a multiple of 8", Frames.ipv4(Frames.zeros(9), offsetField: 0x2000)),
      ("empty", Frames.ipv4([], offsetField: 0x2000)),
      ("after 65,535", Frames.ipv4(Frames.zeros(16), offsetField: 0x1fff)),
      (
        "not a multiple of 8, IPv6", Frames.ipv6(Frames.fragmentHeader(offset: 8, more: true) + [1], next: 44)
      ),
    ] as [(String, [UInt8])])
  func malformed(_ name: String, _ frame: [UInt8]) {
    #expect(read([frame]).findings.map(\.code) == [.malformedPacket])
  }

  @Test("a fragment truncated by the snap length counts as missing until a whole copy arrives")
  func cutFragment() {
    let frames = Self.fragments(step: 512)
    var reader = FrameReader()
    let cut = Array(frames[0].prefix(100))
    #expect(reader.read(cut, linkType: 101, onWire: frames[0].count) == .skipped)
    #expect(reader.read(frames[1], linkType: 101) == .skipped)
    var copy = reader
    copy.dissector.finish()
    #expect(copy.dissector.takeFindings().map(\.code) == [.fragmentMissing])
    #expect(FrameReader.payload(reader.read(frames[0], linkType: 101), of: frames[0]) == Self.payload)
    #expect(reader.read(cut, linkType: 101, onWire: frames[0].count) == .skipped)
    reader.dissector.finish()
    #expect(!reader.dissector.hasFindings)
  }

  @Test("tunnels in fragments, and fragments in tunnels in fragments")
  func nested() {
    let inner = Self.fragments(step: 512, id: 1)
    #expect(read(inner.map { Frames.ipv4($0, protocol: 4) }).payloads == [Self.payload])
    let outer = inner.enumerated().flatMap { index, frame in
      Self.fragments(of: [0, 0, 8, 0] + frame, step: 128, id: 100 + index, protocol: 47)
    }
    var generator = SeededGenerator(seed: 6)
    for order in [outer, outer.reversed(), outer.shuffled(using: &generator)] {
      let (payloads, findings, _) = read(order)
      #expect(payloads == [Self.payload] && findings.isEmpty)
    }
  }

  @Test("IPv6 headers before and in the fragments")
  func headers() {
    let datagram = Frames.extensionHeader(next: 6, words: 2) + Self.segment
    let frames = stride(from: 0, to: datagram.count, by: 256).map { offset in
      let part = Array(datagram[offset..<min(offset + 256, datagram.count)])
      let more = offset + 256 < datagram.count
      return Frames.ipv6(
        Frames.extensionHeader(next: 44) + Frames.fragmentHeader(next: 60, offset: offset, more: more) + part,
        next: 0)
    }
    #expect(read(frames).payloads == [Self.payload])
  }
}
