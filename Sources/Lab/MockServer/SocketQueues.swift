import Basics
import NIOCore

/// Progress of sent bytes, if the peer is a socket on the same system: Linux lists both ends in /proc/net/tcp and
/// tcp6 (proc(5)).
struct SocketQueues {
  struct State: Equatable {
    /// Bytes not acknowledged by the peer's system.
    var unacknowledged: Int
    /// Bytes that the peer has not read; nil if its socket is not listed.
    var unread: Int?
  }

  /// The first columns of each end's line, and the file to search: IPv6 sockets may use IPv4.
  private struct Names {
    var file: String
    var own: [UInt8]
    var peer: [UInt8]
  }

  /// Maximum file size, in bytes; the rest is ignored.
  private static let maxFileSize = 1 << 24

  private let names: [Names]
  private var buffer: [UInt8] = []

  init(own: SocketAddress?, peer: SocketAddress?) {
    guard let own = own.flatMap(End.init), let peer = peer.flatMap(End.init) else {
      names = []
      return
    }
    var names: [Names] = []
    if let first = own.v4, let second = peer.v4 {
      names.append(Names(file: "/proc/net/tcp", own: first + [0x20] + second, peer: second + [0x20] + first))
    }
    names.append(
      Names(file: "/proc/net/tcp6", own: own.v6 + [0x20] + peer.v6, peer: peer.v6 + [0x20] + own.v6))
    self.names = names
  }

  /// Nil if nothing is listed: not Linux, or the connection is gone.
  mutating func state() -> State? {
    var sent: Int?
    var unread: Int?
    for entry in names where sent == nil || unread == nil {
      guard readFile(entry.file) else { continue }
      sent = sent ?? queues(of: entry.own)?.sent
      unread = unread ?? queues(of: entry.peer)?.received
    }
    return sent.map { State(unacknowledged: $0, unread: unread) }
  }

  /// Fills `buffer` with a file of /proc; false if that is unreadable.
  private mutating func readFile(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = close(descriptor) }
    buffer.removeAll(keepingCapacity: true)
    while buffer.count < Self.maxFileSize {
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 1) { space in
        let count = read(descriptor, space.baseAddress, space.count)
        if count > 0 { buffer.append(contentsOf: space[..<count]) }
        return count
      }
      if count < 0 { return false }
      if count == 0 { break }
    }
    return true
  }

  /// Bytes in the queues of the socket with the ends `names`, as spelled in the table.
  private func queues(of names: [UInt8]) -> (sent: Int, received: Int)? {
    var start = 0
    while start < buffer.count {
      let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) ?? buffer.count
      if let queues = queues(in: buffer[start..<end], of: names) { return queues }
      start = end + 1
    }
    return nil
  }

  /// A line is `sl: local remote st tx_queue:rx_queue …`, all numbers but the first in hex.
  private func queues(in line: ArraySlice<UInt8>, of names: [UInt8]) -> (sent: Int, received: Int)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let fields = line[(colon + 1)...].drop { $0 == 0x20 }
    guard fields.starts(with: names) else { return nil }
    let columns = fields.dropFirst(names.count).split(separator: 0x20)
    guard columns.count > 1 else { return nil }
    let queues = columns[1].split(separator: UInt8(ascii: ":")).map { digits in
      Int(String(decoding: digits, as: UTF8.self), radix: 16)
    }
    guard queues.count == 2, let sent = queues[0], let received = queues[1] else { return nil }
    return (sent, received)
  }
}

/// An address and a port as spelled in Linux's tables: words of 32 bits in host byte order.
private struct End {
  /// Nil if it has no IPv4 form.
  var v4: [UInt8]?
  var v6: [UInt8]

  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address):
      let word = address.address.sin_addr.s_addr
      let port = UInt16(bigEndian: address.address.sin_port)
      v4 = Self.text([word], port)
      v6 = Self.text([0, 0, UInt32(0xffff).bigEndian, word], port)
    case .v6(let address):
      let words = withUnsafeBytes(of: address.address.sin6_addr) { bytes in
        (0..<4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
      }
      let port = UInt16(bigEndian: address.address.sin6_port)
      let isMapped = words[..<3] == [0, 0, UInt32(0xffff).bigEndian]
      v4 = isMapped ? Self.text([words[3]], port) : nil
      v6 = Self.text(words, port)
    case .unixDomainSocket: return nil
    }
  }

  private static func text(_ words: [UInt32], _ port: UInt16) -> [UInt8] {
    let address = words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    let end = withUnsafeBytes(of: port.bigEndian) { Array($0) }
    return Array((Hex.string(address, letterCase: .upper) + ":" + Hex.string(end, letterCase: .upper)).utf8)
  }
}
