import Basics
import PacketCapture

/// What the parts of a decoded text belong to, in texts of several connections or directions. In texts without numbers
/// of connections, which have them one after the other, the key is 0.
package enum StreamMark: Equatable, Sendable {
  /// A connection begins; streams are numbered in this order. An earlier one with the same key ends.
  indirect case begin(key: Int, ExportConnection)
  /// Bytes and gaps from here on are of this side of the connection `key`.
  case segment(key: Int, Side, PacketReference?)
  /// This side has finished; the connection ends when both have.
  case finished(key: Int, Side)
}

extension DecodedText {
  mutating func beginConnection(_ connection: ExportConnection = ExportConnection(), key: Int = 0) {
    append(.mark(.begin(key: key, connection)))
  }

  mutating func beginSegment(_ side: Side, _ packet: PacketReference? = nil, key: Int = 0) {
    append(.mark(.segment(key: key, side, packet)))
  }

  /// The offset of the next bytes is `distance` after the end of the last ones of their side.
  mutating func skip(_ distance: Int, at position: TextPosition) {
    if distance > 0 {
      appendGap(length: distance, at: position.fileOffset)
    } else if distance < 0 {
      error(
        "the offset goes back by \(-distance): text is out of order, repeated, or of several connections; its bytes "
          + "are used in the order of the file", at: position)
    }
  }
}

struct Sides<Value: Sendable>: Sendable {
  var first: Value
  var second: Value

  init(_ value: Value) { (first, second) = (value, value) }

  subscript(side: Side) -> Value {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }
}

extension Sides: Equatable where Value: Equatable {}

/// Data about a connection before its first byte.
package struct ExportConnection: Equatable, Sendable {
  struct Peer: Equatable, Sendable {
    /// Nil if the export has a name instead, or nothing.
    var address: IPAddress?
    /// Nil if unknown; tshark then prints 0.
    var port: UInt16?

    var endpoint: Endpoint? {
      address.flatMap { address in port.map { Endpoint(address: address, port: $0) } }
    }

    init() {}

    /// Reads `192.0.2.1:2196`, `[2001:db8::1]:2196`, `192.0.2.1(2196)`, or a name instead of the address, in `range`.
    /// - Parameter mark: the character before the port.
    init(_ text: RawSpan, _ range: Range<Int>, mark: Unicode.Scalar) {
      guard let end = range.last(where: { text.byte(at: $0) == UInt8(ascii: mark) }) else { return }
      let host = text.string(range.lowerBound..<end)
      address = IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
      let isClosed = text.has(")", at: range.upperBound &- 1)
      port = Self.port(text, end &+ 1..<(isClosed ? range.upperBound &- 1 : range.upperBound))
    }

    static func port(_ text: RawSpan, _ range: Range<Int>) -> UInt16? {
      let port = text.extracting(range).wholeNumber(at: 0) ?? 0
      return port == 0 ? nil : UInt16(exactly: port)
    }
  }

  var peers = Sides(Peer())
  /// The side that the tool itself calls the server; nil if unknown.
  var server: Side?
  /// Of records in text: the flags of all of them; nil for bytes of a connection.
  var feedbackFlags: UInt32?

  func identity(number: Int, serverPorts: Set<UInt16>) -> StreamIdentity {
    let (server, evidence) =
      server.map { ($0, .handshake) }
      ?? StreamIdentity.server(peers.first.port, peers.second.port, among: serverPorts)
    let ends = peers.first.endpoint.flatMap { first in peers.second.endpoint.map { (first, $0) } }
    var identity = StreamIdentity(number: number, peers: ends, server: server, serverEvidence: evidence)
    if let feedbackFlags { (identity.serverEvidence, identity.flagBits) = (.carved, feedbackFlags) }
    return identity
  }
}
