import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("libpcap filters")
struct PacketFilterTests {
  /// Whether the filter lets the packet through that begins at `start` in a window, and ends with it.
  private func matches(
    _ filter: inout PacketFilter, _ window: [UInt8], linkType: UInt16, start: Int = 0, original: Int? = nil,
    fileOffset: Int = 0
  ) -> Bool {
    let length = window.count - start
    let record = PacketRecord(
      number: 1, time: nil, linkType: LinkType(rawValue: linkType), start: start, capturedLength: length,
      originalLength: original ?? length, fileOffset: fileOffset)
    return filter.matches(record, in: window.span.bytes)
  }

  @Test(
    "the packets that libpcap lets through itself",
    arguments: [
      "pcapplusplus/three_http_streams.pcap", "pcapplusplus/raw_ip.pcap", "pcapplusplus/sll2.pcap",
      "pcapplusplus/null_loopback.pcap", "pcapplusplus/linktype_ipv4.pcap", "pcapplusplus/linktype_ipv6.pcap",
      "tcpdump/tcp-handshake-nano.pcap", "pcapplusplus/microsecs_big_endian.pcap",
    ], ["tcp", "ip6", "port 80", "tcp and greater 200", "len < 100", "host 10.0.0.138", ""])
  func sameAsLibpcap(_ name: String, _ expression: String) throws {
    let file = Array(try Fixtures.data("captures/\(name)"))
    var filter = try PacketFilter(expression)
    let found = RecordReading(file).packets.filter { packet in
      matches(&filter, packet.bytes, linkType: packet.linkType, original: packet.original)
    }
    #expect(found.map(\.number) == LibpcapReading(file, filter: expression).matches)
  }

  @Test("an invalid expression is refused, with a message of a bounded length")
  func noExpression() throws {
    let long = String(repeating: "x", count: 5000)
    for expression in ["tpc port 80", "port", "((tcp)", "tcp\0", "port 99999999", "tcp and (port 80", long] {
      let error = #expect(throws: InputError.self) { try PacketFilter(expression) }
      let text = try #require(error).message.text
      #expect((1..<900).contains(text.utf8.count))
      if expression.hasSuffix("(port 80") {
        #expect(text.hasPrefix("the filter '\(expression)' does not compile: "))
      }
    }
  }

  @Test("a link type that the filter does not suit: no packet, and one anomaly")
  func unsuitableLinkType() throws {
    let expression = "ether host 00:11:22:33:44:55"
    var filter = try PacketFilter(expression)
    let bytes = [UInt8](repeating: 0x45, count: 60)
    for number in 1...3 {
      #expect(!matches(&filter, bytes, linkType: 101, fileOffset: 1000 * number))
    }
    let findings = filter.takeFindings()
    #expect(findings.map(\.code) == [.unsupportedLinkType] && findings.first?.fileOffset == 1000)
    #expect(!filter.hasFindings)
  }

  @Test("link types one after another, each by its own program; NULL headers in either byte order")
  func alternatingLinkTypes() throws {
    var (filter, others) = try (PacketFilter("tcp"), PacketFilter("not tcp"))
    let ip: [UInt8] =
      [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
      + [UInt8](repeating: 0, count: 20)
    let window = [UInt8](repeating: 2, count: 12) + [8, 0] + ip
    for _ in 0..<3 {
      for (linkType, start) in [(UInt16(1), 0), (101, 14), (228, 14)] {
        #expect(matches(&filter, window, linkType: linkType, start: start))
        #expect(!matches(&filter, [], linkType: linkType))
      }
      for header: [UInt8] in [[2, 0, 0, 0], [0, 0, 0, 2]] {
        #expect(matches(&filter, header + ip, linkType: 0) && !matches(&others, header + ip, linkType: 0))
      }
    }
  }

  @Test("more link types than a capture has are refused, once")
  func moreLinkTypes() throws {
    var filter = try PacketFilter("greater 1")
    for linkType in 0..<600 as Range<UInt16> { _ = matches(&filter, [1, 2, 3, 4], linkType: linkType) }
    let refusals = (0..<600).map { number in
      Message(
        "\(LinkType(rawValue: UInt16(number)).name) (link type \(number)) exceeds the limit of 256 "
          + "link types; its packets are skipped")
    }
    let messages = filter.takeFindings().map(\.message)
    #expect(messages.filter { refusals.contains($0) } == [refusals[256]])
  }

  @Test(
    "names of link types",
    arguments: [
      (1, "EN10MB", "Ethernet"), (101, "RAW", "Raw IP"), (113, "LINUX_SLL", "Linux cooked v1"),
      (228, "IPV4", "Raw IPv4"), (0, "NULL", "BSD loopback"), (60_000, "link type 60000", "link type 60000"),
    ] as [(UInt16, String, String)])
  func names(_ number: UInt16, _ name: String, _ text: String) {
    #expect(LinkType(rawValue: number).name == name && LinkType(rawValue: number).text == text)
  }
}
