/// A TCP connection of a generated capture: its segments, and the records that a decoder must report.
protocol GeneratedConnection {
  init(_ opening: SessionOpening, of scenario: Scenario)

  var tcp: GeneratedTCP { get set }
  /// An ACK segment without payload, valid at any time.
  var acknowledgement: GeneratedSegment { get }

  /// The next segment at the capture point; nil at the end of the connection.
  mutating func next() -> GeneratedSegment?

  /// A segment was captured in one or more packets, the last of them noted in `tcp`.
  mutating func captured(_ segment: GeneratedSegment, _ parts: [CapturedPart], _ truth: inout TruthWriter)
    throws

  /// Writes the truth of the bytes that no later packet can affect.
  /// - Parameter delayed: the lowest offset of the delayed segments from each side; nil if there is none.
  mutating func writeSettled(delayed: BothSides<Int?>, to truth: inout TruthWriter) throws

  /// Ends the connection, after its last captured packet.
  mutating func finish(_ truth: inout TruthWriter) throws

  /// Whether the truth of the scenario is incomplete: only some records, and no findings.
  static func isUncertain(_ scenario: Scenario) -> Bool
}

struct BothSides<Value> {
  var client: Value
  var server: Value

  subscript(isServer: Bool) -> Value {
    get { isServer ? server : client }
    _modify { if isServer { yield &server } else { yield &client } }
  }
}

/// Bytes of a payload in one packet.
struct CapturedPart {
  /// Their range in the payload.
  var range: Range<Int>
  /// The location of the first.
  var location: CapturedLocation
}

/// How a connection begins.
struct SessionOpening {
  /// Number of the connection, from 0.
  var number: Int
  /// Number of its ports: connections with the same number have the same ports.
  var ports: Int
  /// Whether sequence numbers wrap around.
  var wraps: Bool
  /// Whether it was opened before the capture began.
  var isMidstream: Bool
  /// Whether no earlier connection had its ports.
  var isFirstOfPorts: Bool
  /// Whether it is spared from damage of the file.
  var isSpared: Bool
  var isGateway: Bool

  /// Initial sequence numbers: above those of earlier connections with these ports (RFC 6528), as a SYN with a lower
  /// number could be a late one.
  var starts: ClosedRange<Int> { isFirstOfPorts ? 0x1000_0000...0x3fff_ffff : 0x4000_0000...0x6fff_ffff }
}
