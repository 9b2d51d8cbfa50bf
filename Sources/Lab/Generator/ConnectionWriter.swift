/// Writes real connections as a capture: IP packets in pcapng, with the secrets of their TLS. Of TCP it knows what was read
/// and written, and makes up the rest: sequence numbers, the handshake, and segments without loss.
package struct ConnectionWriter {
  /// A connection that was opened.
  package struct Connection: Sendable {
    fileprivate let peers: Peers
    /// The sequence numbers of the next bytes.
    fileprivate var client: UInt32
    fileprivate var server: UInt32
  }

  private static let longestPayload = 1440
  private typealias Flag = GeneratedSegment.Flag

  private var file: CaptureFileWriter
  private var encoder: PacketEncoder
  /// The number of connections so far.
  private var opened: UInt32 = 0

  package init(_ output: any GeneratorOutput) throws {
    var scenario = CaptureScenario()
    scenario.link = .raw
    scenario.container.format = .pcapng
    scenario.container.hasNanoseconds = true
    file = try CaptureFileWriter(output, scenario)
    encoder = PacketEncoder(scenario)
    try file.finish()
  }

  /// - Parameter lines: lines of a key log. The packets that need them come later.
  package mutating func add(keyLog lines: [UInt8]) throws {
    try file.write(keyLog: lines)
    try file.finish()
  }

  /// - Parameter time: in nanoseconds since 1970.
  package mutating func open(client: ConnectionEnd, server: ConnectionEnd, at time: Int) throws -> Connection
  {
    opened &+= 1
    // A client that uses the ports of an earlier one begins at another number.
    let start = opened &* 0x0100_0193
    var connection = Connection(
      peers: Peers(client: client, server: server), client: start, server: ~start)
    try write([], Flag.syn, isFromServer: false, on: &connection, at: time)
    try write([], Flag.syn | Flag.ack, isFromServer: true, on: &connection, at: time)
    try write([], Flag.ack, isFromServer: false, on: &connection, at: time)
    try file.finish()
    return connection
  }

  /// Adds bytes of one side; returns the connection after them.
  package mutating func add(
    _ bytes: [UInt8], isFromServer: Bool, to given: Connection, at time: Int
  ) throws -> Connection {
    var connection = given
    for start in stride(from: 0, to: bytes.count, by: Self.longestPayload) {
      let payload = Array(bytes[start..<min(start + Self.longestPayload, bytes.count)])
      try write(payload, Flag.push | Flag.ack, isFromServer: isFromServer, on: &connection, at: time)
    }
    try file.finish()
    return connection
  }

  /// One side has ended: it closed its direction, or reset the connection.
  package mutating func end(
    isFromServer: Bool, isReset: Bool, of given: Connection, at time: Int
  ) throws -> Connection {
    var connection = given
    let flags = (isReset ? Flag.reset : Flag.fin) | Flag.ack
    try write([], flags, isFromServer: isFromServer, on: &connection, at: time)
    try file.finish()
    return connection
  }

  private mutating func write(
    _ payload: [UInt8], _ flags: UInt8, isFromServer: Bool, on connection: inout Connection, at time: Int
  ) throws {
    let (sequence, other) =
      isFromServer ? (connection.server, connection.client) : (connection.client, connection.server)
    let segment = GeneratedSegment(
      isFromServer: isFromServer, sequence: sequence, acknowledgement: flags & Flag.ack == 0 ? 0 : other,
      flags: flags, payload: payload)
    let count = UInt32(payload.count) + (flags & (Flag.syn | Flag.fin) == 0 ? 0 : 1)
    if isFromServer { connection.server &+= count } else { connection.client &+= count }
    let packet = encoder.packet(segment, between: connection.peers).bytes
    let moment = Moment(
      seconds: UInt32(truncatingIfNeeded: time / 1_000_000_000),
      nanoseconds: UInt32(truncatingIfNeeded: time % 1_000_000_000))
    _ = try file.write(file.record(packet[...], sentLength: packet.count, moment), at: moment)
  }
}
