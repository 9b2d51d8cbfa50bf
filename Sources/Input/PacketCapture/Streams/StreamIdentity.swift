import Basics

/// Which of the two ends of a stream: the one that sent its first packet, or the other.
package enum Side: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case first, second

  package var other: Side { self == .first ? .second : .first }
}

/// One direction of a stream: what one side sent.
package struct StreamDirection: Hashable, Sendable {
  /// Number of the TCP connection in its input, from 0; 0 for a dump.
  package var stream: Int
  package var side: Side

  package init(stream: Int, side: Side) {
    (self.stream, self.side) = (stream, side)
  }

  /// The one direction of a dump.
  package static let dump = StreamDirection(stream: 0, side: .first)
}

/// A stream's identity, as known to its source at the first byte.
package struct StreamIdentity: Equatable, Sendable {
  /// How the source knows which side is the server.
  package enum Evidence: Sendable {
    /// A dump has one side: it is taken as the server's until its bytes show otherwise.
    case dump
    /// A provider's log: its content counts as the server's.
    case log
    /// A search in bytes of any kind found records, which show who sent them.
    case carved
    /// Two dumps were given as a client's and a server's.
    case pair
    /// One side opened the connection.
    case handshake
    /// One side has a server port named by the caller.
    case port
    /// None of these: the side with the lower port, else the one that did not send first.
    case guess
  }

  package var number: Int
  /// Address and port of both sides, the first one first; nil if the source has no peers.
  package var peers: (first: Endpoint, second: Endpoint)?
  package var server: Side
  package var serverEvidence: Evidence
  /// Nil unless it was found by a search.
  package var carving: Carving?
  /// The flags of all its records, as the protocol numbers them.
  package var flagBits: UInt32 = 0

  package init(
    number: Int, peers: (first: Endpoint, second: Endpoint)? = nil, server: Side,
    serverEvidence: Evidence, carving: Carving? = nil
  ) {
    (self.number, self.peers, self.server, self.serverEvidence) = (number, peers, server, serverEvidence)
    self.carving = carving
  }

  /// The identity of a dump: the bytes of one side.
  package static let dump = StreamIdentity(number: 0, server: .first, serverEvidence: .dump)
  package static let log = StreamIdentity(number: 0, server: .first, serverEvidence: .log)
  /// The identity of a pair of dumps: the client's bytes, then the server's.
  package static let pair = StreamIdentity(number: 0, server: .second, serverEvidence: .pair)

  /// The server among two sides with these ports, if nothing else shows it: the one with a port of `serverPorts`, else the
  /// one with the lower port, else the one that did not send first.
  package static func server(
    _ first: UInt16?, _ second: UInt16?, among serverPorts: Set<UInt16>
  ) -> (Side, Evidence) {
    let isFirst = first.map(serverPorts.contains) ?? false
    let isSecond = second.map(serverPorts.contains) ?? false
    if isFirst != isSecond { return (isFirst ? .first : .second, .port) }
    if let first, let second, first < second { return (.first, .guess) }
    return (.second, .guess)
  }

  package func endpoint(_ side: Side) -> Endpoint? { side == .first ? peers?.first : peers?.second }

  package static func == (left: StreamIdentity, right: StreamIdentity) -> Bool {
    left.number == right.number && left.server == right.server
      && left.serverEvidence == right.serverEvidence && left.carving == right.carving
      && left.flagBits == right.flagBits
      && left.peers?.first == right.peers?.first && left.peers?.second == right.peers?.second
  }
}

package struct IPAddress: Hashable, Sendable {
  package enum Family: UInt8, Sendable {
    case v4, v6
  }

  /// The address in network byte order: 16 bytes of IPv6, or 4 of IPv4 in the lower half of `low`.
  package var high: UInt64
  package var low: UInt64
  package var family: Family

  package init(v4 address: UInt32) {
    (family, high, low) = (.v4, 0, UInt64(address))
  }

  package init(v6High high: UInt64, low: UInt64) {
    (family, self.high, self.low) = (.v6, high, low)
  }

  /// The IPv6 address in 16 bytes at `index`.
  @inline(__always)
  init(v6At index: Int, in bytes: RawSpan) {
    let order = FileByteOrder.big
    self.init(v6High: order.uint64(in: bytes, at: index), low: order.uint64(in: bytes, at: index &+ 8))
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

package struct Endpoint: Hashable, Sendable {
  package var address: IPAddress
  package var port: UInt16

  package init(address: IPAddress, port: UInt16) {
    (self.address, self.port) = (address, port)
  }

  /// `192.0.2.1:2196`, or `[2001:db8::1]:2196`.
  package var text: String {
    guard address.family == .v4 else { return "[\(address.text)]:\(port)" }
    // Fast, as captures may have millions of them.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { text in
      var count = 0
      func append(_ number: UInt64) {
        if number >= 10 { append(number / 10) }
        text[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
        count += 1
      }
      for part in 0..<4 {
        append(address.low >> UInt64(24 - 8 * part) & 0xff)
        text[count] = UInt8(ascii: part < 3 ? "." : ":")
        count += 1
      }
      append(UInt64(port))
      return String(decoding: text[..<count], as: UTF8.self)
    }
  }
}
