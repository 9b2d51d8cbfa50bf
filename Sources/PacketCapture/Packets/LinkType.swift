/// The number that a capture file gives to the layer its packets begin with (tcpdump.org, "Link-layer header
/// types"). Names come from libpcap, which is the authority on them.
package struct LinkType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}
