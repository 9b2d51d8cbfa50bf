import WireBytes

/// Why a header cannot be read: which, where, and what was expected and found.
struct PacketDefect: Equatable {
  enum Header: String {
    case ethernet = "Ethernet header"
    case vlan = "VLAN tag"
    case logicalLink = "LLC header"
    case loopback = "loopback header"
    case cooked = "Linux cooked header"
    case log = "NFLOG header"
    case pointToPoint = "PPP header"
    case pppoe = "PPPoE header"
    case labels = "MPLS label stack"
    case wireless = "802.11 header"
    case radio = "radio header"
    case ip = "IP header"
    case ipv4 = "IPv4 header"
    case ipv6 = "IPv6 header"
    case ipv6Extension = "IPv6 extension header"
    case fragment = "IP fragment"
    case authentication = "authentication header"
    case gre = "GRE header"
    case udp = "UDP header"
    case vxlan = "VXLAN header"
    case tcp = "TCP header"
    case exportedPDU = "exported PDU's tag"
    case record = "packet's record"
  }

  enum Problem: Equatable {
    /// The header takes `needs` bytes, of which `has` are there.
    case cut(needs: Int, has: Int)
    case version(Int, expected: Int)
    /// A length that the header gives, in bytes, must be within the two others.
    case length(Int, least: Int, most: Int)
    /// Too many headers stand one in the other.
    case depth(Int)
    /// Several packets stand in one frame.
    case aggregate
  }

  var header: Header
  /// Index, in the bytes that are walked, of the header's first byte.
  var offset: Int
  var problem: Problem

  /// A sentence without its end; the caller knows the place.
  var message: String {
    let name = header.rawValue
    switch problem {
    case .cut(let needs, let has):
      return "\(name) takes \(Count.of(needs, "byte")), of which \(has) are there"
        + " (a longer snap length would have kept the rest of a cut packet); the packet is passed over"
    case .version(let found, let expected):
      return "\(name) has version \(found) where \(expected) was expected; the packet is passed over"
    case .length(let found, let least, let most):
      let range = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"
      return "\(name) gives a length of \(Count.of(found, "byte")) where \(range) was expected;"
        + " the packet is passed over"
    case .depth(let most):
      return "\(name) is behind \(most) others, and no more are followed; the packet is passed over"
    case .aggregate:
      return "\(name) begins a frame of several packets, which is not read;"
        + " capture where packets are not aggregated, or convert the capture"
    }
  }
}
