import PacketCapture
import TestSupport
import Testing

/// tshark reads the same frames: the TCP headers must agree.
@Suite("Frames as tshark reads them")
struct DissectorToolTests {
  static let fields = [
    "ip.src", "ipv6.src", "tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.ack_raw", "tcp.window_size_value",
    "tcp.len",
  ]
  /// What tshark 4.0 does not read: a number of IPv6 that it does not know, lengths of 0 that it takes for
  /// errors, and the other byte order than this machine's.
  static let unreadByTshark: Set = [
    "NULL, IPv6 of Windows", "IPv6 payload length of 0", "IPv6 jumbo payload", "NFLOG, big-endian",
  ]
  static let linkTypes = Set(FrameCase.all.map(\.linkType)).sorted()

  /// A little-endian pcap file; tshark does not verify a frame's checksums.
  private func file(_ frames: [[UInt8]], linkType: UInt16) -> [UInt8] {
    let head = Frames.le32(0xa1b2_c3d4) + Frames.le16(2) + Frames.le16(4) + Frames.zeros(8)
    return frames.reduce(head + Frames.le32(262_144) + Frames.le32(Int(linkType))) { file, frame in
      file + Frames.zeros(8) + Frames.le32(frame.count) + Frames.le32(frame.count) + frame
    }
  }

  /// A line of fields for each frame, those of the innermost header; nil without tshark.
  private func tshark(_ frames: [[UInt8]], linkType: UInt16) throws -> [[String]]? {
    // VXLAN's old port is another protocol's in tshark; fragments are put together.
    let options =
      ["-n", "-d", "udp.port==8472,vxlan", "-o", "ip.defragment:TRUE", "-T", "fields", "-E", "occurrence=l"]
      + Self.fields.flatMap { ["-e", $0] } + ["-r"]
    guard let output = try outputOf("tshark", options, input: file(frames, linkType: linkType)),
      !output.isEmpty
    else {
      print("tshark is not installed: packets are not compared with it")
      return nil
    }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    return lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  /// The same fields from our answer.
  private func line(_ answer: Dissection) -> [String]? {
    let segment: TCPSegment
    switch answer {
    case .segment(let found), .datagram(let found, _): segment = found
    case .exportedPDU, .skipped: return nil
    }
    return [
      segment.source.address.text, "\(segment.source.port)", "\(segment.destination.port)",
      "\(segment.sequence.value)", "\(segment.acknowledgement.value)", "\(segment.window)",
      "\(segment.payloadLength + segment.missingLength)",
    ]
  }

  @Test("every link type", arguments: linkTypes)
  func links(_ linkType: UInt16) throws {
    let cases = FrameCase.all.filter { $0.linkType == linkType }
    guard let lines = try tshark(cases.map(\.frame), linkType: linkType) else { return }
    try #require(lines.count == cases.count)
    for (example, fields) in zip(cases, lines) where !Self.unreadByTshark.contains(example.name) {
      var reader = FrameReader()
      let ours = line(reader.read(example.frame, linkType: linkType))
      // The innermost address is of the family that the segment has.
      #expect(ours == [fields[example.isIPv6 ? 1 : 0]] + fields[2...], "\(example.name)")
    }
  }

  @Test("fragments", arguments: [false, true])
  func fragments(_ isIPv6: Bool) throws {
    let frames = Array(FragmentTests.fragments(step: 128, isIPv6: isIPv6).reversed())
    guard let lines = try tshark(frames, linkType: 101) else { return }
    var reader = FrameReader()
    let ours = frames.map { line(reader.read($0, linkType: 101)) }
    let theirs = lines.map { fields in fields[2].isEmpty ? nil : [fields[isIPv6 ? 1 : 0]] + fields[2...] }
    #expect(ours == theirs)
  }
}
