import PacketCapture
import WireBytes

/// A line of ssldump that announces a record or the end of a direction: `1 11 0.2913 (0.2683)  S>C
/// V3.3(228)  application_data`, `1    3.3543 (0.0000)  S>C  TCP FIN`.
struct SSLDumpLine {
  enum Content {
    case applicationData, fin, reset, other
  }

  /// A time of more seconds is one since 1970 (ssldump -e), and no time since the connection began.
  private static let earliestTime = 100_000_000

  /// ssldump's number of the connection, from 1.
  var key: Int
  var side: Side
  var content: Content
  /// Nil where the time is not that of a clock.
  var packet: PacketReference?

  init?(_ text: RawSpan) {
    guard let (key, keyEnd) = text.number(at: 0), text.holds(" ", at: keyEnd),
      let direction = Self.direction(text, from: keyEnd)
    else { return nil }
    self.key = key
    side = direction.side
    content = Self.content(text, from: direction.end)
    packet = Self.time(text, from: keyEnd).map { PacketReference(number: nil, time: $0) }
  }

  /// `C>S` or `S>C` behind the time in parentheses.
  private static func direction(_ text: RawSpan, from start: Int) -> (side: Side, end: Int)? {
    guard let parenthesis = text.end(of: ")", from: start) else { return nil }
    let index = text.skippingBlanks(from: parenthesis)
    if text.holds("C>S", at: index) || text.holds("C->S", at: index) { return (.first, index &+ 3) }
    if text.holds("S>C", at: index) || text.holds("S->C", at: index) { return (.second, index &+ 3) }
    return nil
  }

  private static func content(_ text: RawSpan, from start: Int) -> Content {
    if text.end(of: "application_data", from: start) != nil { return .applicationData }
    if text.end(of: "TCP FIN", from: start) != nil { return .fin }
    if text.end(of: "TCP RST", from: start) != nil { return .reset }
    return .other
  }

  /// The last number before the parenthesis: of a record, its number comes before the time.
  private static func time(_ text: RawSpan, from start: Int) -> CaptureTime? {
    var index = text.skippingBlanks(from: start)
    while let (number, end) = text.number(at: index) {
      if text.holds(".", at: end) {
        return number >= earliestTime ? text.time(at: index, maxDigits: 6) : nil
      }
      index = text.skippingBlanks(from: end)
    }
    return nil
  }

  /// `New TCP connection #1: 192.0.2.1(40000) <-> 192.0.2.2(2196)`: the one that opened it comes first.
  static func connection(_ text: RawSpan) -> (key: Int, ExportConnection)? {
    guard text.holds("New TCP connection #"), let (key, keyEnd) = text.number(at: 20),
      text.holds(": ", at: keyEnd)
    else { return nil }
    var connection = ExportConnection(server: .second)
    if let arrow = text.end(of: " <-> ", from: keyEnd) {
      connection.first = peer(text, keyEnd &+ 2..<arrow &- 5)
      connection.second = peer(text, arrow..<text.byteCount)
    }
    return (key, connection)
  }

  /// `192.0.2.1(40000)`, or a name instead of the address.
  private static func peer(_ text: RawSpan, _ range: Range<Int>) -> ExportConnection.Peer {
    guard let parenthesis = text.end(of: "(", from: range.lowerBound), parenthesis <= range.upperBound,
      let (port, _) = text.number(at: parenthesis)
    else { return ExportConnection.Peer() }
    return ExportConnection.Peer(
      address: IPAddress(text.string(range.lowerBound..<parenthesis &- 1)), port: UInt16(exactly: port))
  }
}
