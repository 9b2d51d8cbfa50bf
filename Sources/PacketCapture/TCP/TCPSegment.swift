/// What a TCP header says, and where its payload lies in the bytes that it was read from.
package struct TCPSegment: Equatable, Sendable {
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let fin = Flags(rawValue: 0x01)
    package static let syn = Flags(rawValue: 0x02)
    package static let rst = Flags(rawValue: 0x04)
    package static let psh = Flags(rawValue: 0x08)
    package static let ack = Flags(rawValue: 0x10)
  }

  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: SequenceNumber
  /// Meaningless without the flag `ack`.
  package var acknowledgement: SequenceNumber
  package var flags: Flags
  /// As the header has it, not scaled.
  package var window: UInt16
  /// Index of the payload's first byte, and how many of its bytes are there.
  package var payloadStart: Int
  package var payloadLength: Int
  /// Bytes at the payload's end that the packet had on the wire and the capture lacks (snap length).
  package var missingLength: Int

  /// Whether it begins a connection; a SYN together with a RST begins nothing.
  var isSYN: Bool { flags.contains(.syn) && !flags.contains(.rst) }

  package init(
    source: Endpoint, destination: Endpoint, sequence: SequenceNumber,
    acknowledgement: SequenceNumber = SequenceNumber(0), flags: Flags = [], window: UInt16 = .max,
    payloadStart: Int = 0, payloadLength: Int = 0, missingLength: Int = 0
  ) {
    self.source = source
    self.destination = destination
    self.sequence = sequence
    self.acknowledgement = acknowledgement
    self.flags = flags
    self.window = window
    self.payloadStart = payloadStart
    self.payloadLength = payloadLength
    self.missingLength = missingLength
  }
}
