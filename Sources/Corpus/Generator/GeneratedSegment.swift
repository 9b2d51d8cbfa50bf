/// A TCP segment before it is a packet (RFC 9293, section 3.1).
struct GeneratedSegment {
  enum Flag {
    static let fin: UInt8 = 0x01
    static let syn: UInt8 = 0x02
    static let reset: UInt8 = 0x04
    static let push: UInt8 = 0x08
    static let ack: UInt8 = 0x10
  }

  var isFromServer: Bool
  var sequence: UInt32
  var acknowledgement: UInt32
  var flags: UInt8
  var payload: [UInt8] = []
  /// Offset of the payload in its direction, as it was sent: in bytes from 0, what was not captured counted in.
  var offset = 0
  /// Places in the payload of bytes that are not those that were sent.
  var altered: Range<Int>?
  /// How many bytes at the payload's end the capture lacks: its snap length cut them off.
  var missing = 0
  /// Whether the capture has it, in its turn or later.
  var mustArrive = false
  /// Whether the capture has it once and in its turn, whatever befalls others.
  var isProtected = false

  var range: Range<Int> { offset..<offset + payload.count }
}
