import Basics
import NIOCore

/// Asks Linux for the queues of one TCP connection whose ends are both on this system: one query for each end's socket
/// (sock_diag(7)). Other systems, and kernels without it, have no answer.
final class SocketQueues {
  /// The queues of a socket, in bytes.
  struct Lengths: Equatable {
    /// Received, and not read by the program.
    var unread: Int
    /// Written, and not acknowledged by the peer's system.
    var unacknowledged: Int
  }

  /// Linux: AF_NETLINK, NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY and NLM_F_REQUEST.
  private static let (family, netlink, byFamily, isRequest) = (Int32(16), Int32(4), UInt16(20), UInt16(1))
  /// In an answer, both lengths follow a message header (16 bytes) and 56 bytes of a `struct inet_diag_msg`.
  private static let lengths = 16 + 56

  /// -1 where there is no such socket.
  private let descriptor: Int32

  init() {
    #if os(Linux)
      let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      descriptor = socket(Self.family, kind, Self.netlink)
    #else
      descriptor = -1
    #endif
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// The query for the socket whose own end is `own`.
  struct Query {
    fileprivate let message: [UInt8]

    /// Nil unless both are ends of TCP.
    init?(own: SocketAddress?, peer: SocketAddress?) {
      guard let own = own.flatMap(TCPEnd.init), let peer = peer.flatMap(TCPEnd.init) else { return nil }
      let isV4 = own.isV4 && peer.isV4
      // struct inet_diag_req_v2: family, protocol, no extensions, all states; the ends; any interface, and no cookie.
      let domain = UInt8(truncatingIfNeeded: isV4 ? AF_INET : AF_INET6)
      let request =
        [domain, UInt8(IPPROTO_TCP), 0, 0] + [UInt8](repeating: 0xff, count: 4) + own.port + peer.port
        + own.address(isV4: isV4) + peer.address(isV4: isV4) + [0, 0, 0, 0]
        + [UInt8](repeating: 0xff, count: 8)
      message = SocketQueues.header(of: request.count) + request
    }
  }

  /// struct nlmsghdr, in host byte order: length, type, flags, sequence number and port.
  private static func header(of count: Int) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 16)
    header.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: count + 16), as: UInt32.self)
      bytes.storeBytes(of: byFamily, toByteOffset: 4, as: UInt16.self)
      bytes.storeBytes(of: isRequest, toByteOffset: 6, as: UInt16.self)
    }
    return header
  }

  /// Nil if there is no such socket, or no answer.
  func lengths(_ query: Query?) -> Lengths? {
    guard descriptor >= 0, let query else { return nil }
    let sent = query.message.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
    guard sent == query.message.count else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { answer in
      // The answer is ready when the query was sent.
      let count = recv(descriptor, answer.baseAddress, answer.count, Int32(MSG_DONTWAIT))
      guard count >= Self.lengths + 8, answer.load(fromByteOffset: 4, as: UInt16.self) == Self.byFamily
      else { return nil }
      return Lengths(
        unread: Int(answer.load(fromByteOffset: Self.lengths, as: UInt32.self)),
        unacknowledged: Int(answer.load(fromByteOffset: Self.lengths + 4, as: UInt32.self)))
    }
  }
}

/// One end of a connection, in network byte order.
private struct TCPEnd {
  let port: [UInt8]
  /// 16 bytes; IPv4 is mapped.
  private let address: [UInt8]

  init?(_ end: SocketAddress) {
    guard let number = end.port, let port = UInt16(exactly: number), let bytes = end.addressBytes else {
      return nil
    }
    self.port = [UInt8(port >> 8), UInt8(port & 0xff)]
    address = bytes.count == 4 ? Self.mapped + bytes : bytes
  }

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

  var isV4: Bool { address.starts(with: Self.mapped) }

  /// 16 bytes; an IPv4 address is the first 4.
  func address(isV4: Bool) -> [UInt8] {
    isV4 ? address.suffix(4) + [UInt8](repeating: 0, count: 12) : address
  }
}
