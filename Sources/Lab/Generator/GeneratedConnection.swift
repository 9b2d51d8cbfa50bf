/// A TCP connection of a generated capture: its segments, and the records that a decoder must report.
protocol GeneratedConnection {
  init(_ opening: SessionOpening, of scenario: Scenario)

  var peers: Peers { get }
  /// Whether it is spared from damage of the file.
  var isSpared: Bool { get }
  /// An ACK segment without payload, valid at any time.
  var acknowledgement: GeneratedSegment { get }

  /// The next segment at the capture point; nil at the end of the connection.
  mutating func next() -> GeneratedSegment?

  /// A segment was captured in one or more packets.
  /// - Parameters:
  ///   - location: location of the last packet.
  ///   - number: number of the next stream.
  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [CapturedPart], _ location: CapturedLocation,
    number next: inout Int, _ truth: inout TruthWriter
  ) throws

  /// Writes the truth of the bytes that no later packet can affect.
  /// - Parameter delayed: the lowest offsets of delayed segments.
  mutating func writeSettled(delayed: DelayedOffsets, to truth: inout TruthWriter) throws

  /// Ends the connection, after its last captured packet.
  mutating func finish(_ truth: inout TruthWriter) throws

  /// Whether the truth of the scenario is incomplete: only some records, and no findings.
  static func isUncertain(_ scenario: Scenario) -> Bool
}

extension GeneratedConnection {
  /// A segment was captured in one packet.
  /// - Parameter location: location of the first byte of the payload, even if the payload is empty.
  mutating func captured(
    _ segment: GeneratedSegment, at location: CapturedLocation, number next: inout Int,
    _ truth: inout TruthWriter
  ) throws {
    let part = CapturedPart(range: 0..<segment.payload.count - segment.missing, location: location)
    try captured(segment, [part], location, number: &next, &truth)
  }
}

/// Bytes of a payload in one packet.
struct CapturedPart {
  /// Their range in the payload.
  var range: Range<Int>
  /// The location of the first.
  var location: CapturedLocation
}

/// The lowest offset of the delayed segments from each side; nil if there is none.
struct DelayedOffsets {
  var client: Int?
  var server: Int?

  func offset(isFromServer: Bool) -> Int? { isFromServer ? server : client }
}

/// How a connection begins.
struct SessionOpening {
  /// Number of the connection, from 0.
  var number: Int
  /// Number of its ports: connections with the same number have the same ports.
  var ports: Int
  /// Whether the sender's sequence numbers wrap around.
  var wraps: Bool
  /// Whether it was opened before the capture began.
  var isMidstream: Bool
  /// Whether no earlier connection had its ports.
  var isFirstOfPorts: Bool
  /// Whether it is spared from damage of the file.
  var isSpared: Bool
  /// Whether it is a gateway connection.
  var isGateway: Bool
}
