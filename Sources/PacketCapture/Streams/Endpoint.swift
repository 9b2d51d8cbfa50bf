import Platform

/// An address of either family of IP.
package struct IPAddress: Hashable, Sendable {
  package enum Family: UInt8, Sendable {
    case v4, v6
  }

  package var family: Family
  /// The address in the order of the wire, first byte highest: 16 bytes of IPv6, or 4 of IPv4 in the lower
  /// half of `low`.
  package var high: UInt64
  package var low: UInt64

  package init(v4 address: UInt32) {
    family = .v4
    high = 0
    low = UInt64(address)
  }

  package init(v6High high: UInt64, low: UInt64) {
    family = .v6
    self.high = high
    self.low = low
  }

  /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else.
  package init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      let (high, low) = withUnsafeBytes(of: &v6) {
        ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
      self.init(v6High: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    } else {
      return nil
    }
  }

  /// `192.0.2.1`, or an IPv6 address in the short form of RFC 5952.
  package var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let length = socklen_t(buffer.count)
    switch family {
    case .v4:
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
      inet_ntop(AF_INET, &address, &buffer, length)
    case .v6:
      var address = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &address, &buffer, length)
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// One end of a TCP connection.
package struct Endpoint: Hashable, Sendable {
  package var address: IPAddress
  package var port: UInt16

  package init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// `192.0.2.1:2196`, or `[2001:db8::1]:2196`.
  package var text: String {
    address.family == .v4 ? "\(address.text):\(port)" : "[\(address.text)]:\(port)"
  }
}
