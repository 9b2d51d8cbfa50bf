import Testing

/// A frame of each kind that is read, all with the same TCP segment in it.
struct FrameCase: Sendable, CustomTestStringConvertible {
  var name: String
  var linkType: UInt16
  var frame: [UInt8]
  var isIPv6 = false
  /// Bytes after the segment that are not part of it.
  var trailer = 0
  var testDescription: String { name }

  init(_ name: String, _ linkType: UInt16, _ frame: [UInt8], isIPv6: Bool = false, trailer: Int = 0) {
    (self.name, self.linkType, self.frame) = (name, linkType, frame)
    (self.isIPv6, self.trailer) = (isIPv6, trailer)
  }

  static let all = local + serial + cooked + wireless + internet + tunnels

  static let local: [FrameCase] = [
    FrameCase("Ethernet", 1, Frames.ethernet()),
    FrameCase("Ethernet, IPv6", 1, Frames.ethernet(Frames.ipv6(), type: 0x86dd), isIPv6: true),
    FrameCase("Ethernet with padding", 1, Frames.ethernet() + Frames.zeros(9), trailer: 9),
    FrameCase("802.1Q", 1, Frames.ethernet(Frames.vlan(5, type: 0x0800) + Frames.ipv4(), type: 0x8100)),
    FrameCase(
      "802.1ad", 1,
      Frames.ethernet(
        Frames.vlan(5, type: 0x8100) + Frames.vlan(6, type: 0x0800) + Frames.ipv4(), type: 0x88a8)),
    FrameCase(
      "QinQ in QinQ", 1,
      Frames.ethernet(
        Frames.vlan(5, type: 0x9100) + Frames.vlan(6, type: 0x8100) + Frames.vlan(7, type: 0x0800)
          + Frames.ipv4(), type: 0x9100)),
    FrameCase("LLC and SNAP", 1, Frames.ethernet(Frames.snap(), type: Frames.snap().count)),
    FrameCase(
      "LLC and SNAP with padding", 1, Frames.ethernet(Frames.snap() + [9, 9], type: Frames.snap().count),
      trailer: 2),
    FrameCase(
      "SNAP of 802.1H", 1,
      Frames.ethernet(Frames.snap(organisation: [0, 0, 0xf8]), type: Frames.snap().count)),
    FrameCase(
      "LLC with IP", 1, Frames.ethernet([6, 6, 3] + Frames.ipv4(), type: 3 + Frames.ipv4().count)),
    FrameCase(
      "LLC after a VLAN tag", 1,
      Frames.ethernet(Frames.vlan(5, type: Frames.snap().count) + Frames.snap(), type: 0x8100)),
    FrameCase("NULL, little-endian", 0, [2, 0, 0, 0] + Frames.ipv4()),
    FrameCase("NULL, big-endian", 0, [0, 0, 0, 2] + Frames.ipv4()),
    FrameCase("NULL, IPv6 of Windows", 0, [23, 0, 0, 0] + Frames.ipv6(), isIPv6: true),
    FrameCase("NULL, IPv6 of NetBSD", 0, [24, 0, 0, 0] + Frames.ipv6(), isIPv6: true),
    FrameCase("NULL, IPv6 of FreeBSD", 0, [0, 0, 0, 28] + Frames.ipv6(), isIPv6: true),
    FrameCase("NULL, IPv6 of macOS", 0, [30, 0, 0, 0] + Frames.ipv6(), isIPv6: true),
    FrameCase("LOOP", 108, [0, 0, 0, 2] + Frames.ipv4()),
    FrameCase("LOOP, IPv6", 108, [0, 0, 0, 24] + Frames.ipv6(), isIPv6: true),
    FrameCase("RAW", 101, Frames.ipv4()),
    FrameCase("RAW, IPv6", 101, Frames.ipv6(), isIPv6: true),
    FrameCase("RAW as 12", 12, Frames.ipv4()),
    FrameCase("RAW as 14", 14, Frames.ipv6(), isIPv6: true),
    FrameCase("IPv4", 228, Frames.ipv4()),
    FrameCase("IPv6", 229, Frames.ipv6(), isIPv6: true),
  ]

  static let serial: [FrameCase] = [
    FrameCase("PPP", 9, [0x00, 0x21] + Frames.ipv4()),
    FrameCase("PPP with address and control", 9, [0xff, 0x03, 0x00, 0x21] + Frames.ipv4()),
    FrameCase("PPP with a compressed protocol", 9, [0x21] + Frames.ipv4()),
    FrameCase("PPP, IPv6", 9, [0xff, 0x03, 0x00, 0x57] + Frames.ipv6(), isIPv6: true),
    FrameCase("PPP with MPLS", 9, [0xff, 0x03, 0x02, 0x81, 0, 1, 1, 64] + Frames.ipv4()),
    FrameCase("PPP in HDLC framing", 50, [0xff, 0x03, 0x00, 0x21] + Frames.ipv4()),
    FrameCase("Cisco HDLC", 50, [0x0f, 0x00, 0x08, 0x00] + Frames.ipv4()),
    FrameCase("Cisco HDLC as 104", 104, [0x0f, 0x00, 0x86, 0xdd] + Frames.ipv6(), isIPv6: true),
    FrameCase("PPPoE", 51, Frames.pppoe([0x00, 0x21] + Frames.ipv4())),
    FrameCase(
      "PPPoE in Ethernet with padding", 1,
      Frames.ethernet(Frames.pppoe([0x00, 0x57] + Frames.ipv6()) + [1, 2, 3], type: 0x8864), isIPv6: true,
      trailer: 3),
    FrameCase("MPLS", 1, Frames.ethernet([0, 1, 0x01, 64] + Frames.ipv4(), type: 0x8847)),
    FrameCase(
      "MPLS, three labels, multicast", 1,
      Frames.ethernet([0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 1, 64] + Frames.ipv6(), type: 0x8848), isIPv6: true),
    FrameCase(
      "MPLS with a pseudowire's control word", 1,
      Frames.ethernet([0, 1, 1, 64, 0, 0, 0, 1] + Frames.ethernet(), type: 0x8847)),
  ]

  static let cooked: [FrameCase] = [
    FrameCase("SLL", 113, [0, 0, 0, 1, 0, 6] + Frames.zeros(8) + [0x08, 0x00] + Frames.ipv4()),
    FrameCase(
      "SLL with a VLAN tag", 113,
      [0, 0, 0, 1, 0, 6] + Frames.zeros(8) + [0x81, 0x00] + Frames.vlan(5, type: 0x86dd) + Frames.ipv6(),
      isIPv6: true),
    FrameCase("SLL with LLC", 113, [0, 0, 0, 1, 0, 6] + Frames.zeros(8) + [0, 4] + Frames.snap()),
    FrameCase("SLL2", 276, [0x08, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6] + Frames.zeros(8) + Frames.ipv4()),
    FrameCase(
      "SLL2, IPv6", 276, [0x86, 0xdd, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6] + Frames.zeros(8) + Frames.ipv6(),
      isIPv6: true),
    FrameCase(
      "NFLOG, little-endian", 239,
      [2, 0, 0, 0] + Frames.logValue(1, [8, 0, 3, 0]) + Frames.logValue(10, Array("in\0".utf8))
        + Frames.logValue(9, Frames.ipv4()), trailer: (4 - Frames.ipv4().count % 4) % 4),
    FrameCase(
      "NFLOG, big-endian", 239,
      [10, 0, 0, 0] + Frames.logValue(1, [8, 0, 3, 0], little: false)
        + Frames.logValue(9, Frames.ipv6(), little: false), isIPv6: true,
      trailer: (4 - Frames.ipv6().count % 4) % 4),
  ]

  static let wireless: [FrameCase] = [
    FrameCase("802.11", 105, Frames.wireless()),
    FrameCase("802.11 with QoS", 105, Frames.wireless(control: 0x88, more: [0, 0])),
    FrameCase("802.11 with four addresses", 105, Frames.wireless(flags: 3, more: [0, 1, 2, 3, 4, 5])),
    FrameCase(
      "802.11 with four addresses and QoS", 105,
      Frames.wireless(control: 0x88, flags: 3, more: [0, 1, 2, 3, 4, 5, 0, 0])),
    FrameCase(
      "802.11 with HT control", 105, Frames.wireless(control: 0x88, flags: 0x81, more: [0, 0, 0, 0, 0, 0])),
    FrameCase(
      "802.11, an aggregate of one", 105,
      Frames.wireless(
        control: 0x88, more: [0x80, 0], Frames.zeros(12) + Frames.be16(Frames.snap().count) + Frames.snap())),
    FrameCase("radiotap", 127, Frames.radiotap()),
    FrameCase(
      "radiotap with time and flags: a check sequence", 127,
      Frames.radiotap(
        present: 3, fields: Frames.zeros(8) + [0x10, 0, 0, 0], Frames.wireless() + [1, 2, 3, 4]),
      trailer: 4),
    FrameCase(
      "radiotap with flags: padding after the header", 127,
      Frames.radiotap(
        present: 2, fields: [0x20, 0, 0, 0], Frames.wireless(control: 0x88, more: [0, 0, 0, 0]))),
    FrameCase("PPI", 192, [0, 0] + Frames.le16(8) + Frames.le32(105) + Frames.wireless()),
    FrameCase("AVS", 163, Frames.be32(0x8021_1001) + Frames.be32(64) + Frames.zeros(56) + Frames.wireless()),
    FrameCase("Prism", 119, Frames.le32(0x44) + Frames.le32(144) + Frames.zeros(136) + Frames.wireless()),
  ]

  static let internet: [FrameCase] = [
    FrameCase("IPv4 options", 101, Frames.ipv4(options: [1, 1, 1, 0])),
    FrameCase("TCP options", 101, Frames.ipv4(Frames.tcp(options: [1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0]))),
    FrameCase("IPv4 with don't fragment", 101, Frames.ipv4(offsetField: 0x4000)),
    FrameCase("IPv4 total length of 0", 101, Frames.ipv4(total: 0)),
    FrameCase("IPv6 payload length of 0", 101, Frames.ipv6(length: 0), isIPv6: true),
    FrameCase(
      "IPv6 jumbo payload", 101,
      Frames.ipv6([6, 0, 194, 4] + Frames.be32(8 + Frames.tcp().count) + Frames.tcp(), next: 0, length: 0)
        + [7, 7, 7], isIPv6: true, trailer: 3),
    FrameCase(
      "IPv6 hop-by-hop, routing, destination", 101,
      Frames.ipv6(
        Frames.extensionHeader(next: 43) + [60, 2, 0, 0] + Frames.zeros(20)
          + Frames.extensionHeader(next: 6, words: 3) + Frames.tcp(), next: 0), isIPv6: true),
    FrameCase(
      "IPv6 authentication", 101,
      Frames.ipv6([6, 4, 0, 0] + Frames.zeros(20) + Frames.tcp(), next: 51), isIPv6: true),
    FrameCase(
      "IPv6 whole datagram with a fragment header", 101,
      Frames.ipv6(Frames.fragmentHeader(offset: 0, more: false) + Frames.tcp(), next: 44), isIPv6: true),
  ]

  static let tunnels: [FrameCase] = [
    FrameCase("IP in IP", 101, Frames.ipv4(Frames.ipv4(), protocol: 4)),
    FrameCase("6in4", 101, Frames.ipv4(Frames.ipv6(), protocol: 41), isIPv6: true),
    FrameCase("IPv4 in IPv6", 101, Frames.ipv6(Frames.ipv4(), next: 4)),
    FrameCase("GRE", 101, Frames.ipv4([0, 0, 8, 0] + Frames.ipv4(), protocol: 47)),
    FrameCase(
      "GRE with checksum, key and sequence", 101,
      Frames.ipv4([0xb0, 0, 0x86, 0xdd] + Frames.zeros(12) + Frames.ipv6(), protocol: 47), isIPv6: true),
    FrameCase(
      "GRE with a key, Ethernet", 101,
      Frames.ipv4([0x20, 0, 0x65, 0x58, 0, 0, 0, 9] + Frames.ethernet(), protocol: 47)),
    FrameCase(
      "PPTP", 101,
      Frames.ipv4(
        [0x30, 0x81, 0x88, 0x0b] + Frames.be16(4 + Frames.ipv4().count) + Frames.zeros(10)
          + [0xff, 3, 0, 0x21] + Frames.ipv4(), protocol: 47)),
    FrameCase("VXLAN", 101, Frames.ipv4(Frames.vxlan(Frames.ethernet()), protocol: 17)),
    FrameCase(
      "VXLAN of old Linux, in IPv6", 101, Frames.ipv6(Frames.vxlan(to: 8472, Frames.ethernet()), next: 17)),
    FrameCase(
      "four tunnels", 101,
      Frames.ipv4(
        Frames.ipv6(
          [0, 0, 8, 0]
            + Frames.ipv4(
              Frames.vxlan(
                Frames.ethernet(Frames.vlan(5, type: 0x0800) + Frames.ipv4(), type: 0x8100)), protocol: 17),
          next: 47), protocol: 41)),
  ]
}
