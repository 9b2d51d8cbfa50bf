import Basics
import PacketCapture

/// Writes packets, header by header, for tests of their reading. All of it follows the standards' pictures; it
/// shares nothing with the code under test.
enum Frames {
  static let payload = Array("feedback tuples".utf8)

  static func be16(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }
  static func be32(_ number: Int) -> [UInt8] { be16(number >> 16 & 0xffff) + be16(number & 0xffff) }
  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  // MARK: - Transport

  static func tcp(_ payload: [UInt8] = payload, options: [UInt8] = []) -> [UInt8] {
    be16(40000) + be16(2196) + be32(0x0102_0304) + be32(0x0506_0708)
      + [UInt8((20 + options.count) * 4), 0x18] + be16(0x1234) + zeros(4) + options + payload
  }

  static func udp(to port: Int, _ payload: [UInt8]) -> [UInt8] {
    be16(49152) + be16(port) + be16(8 + payload.count) + zeros(2) + payload
  }

  static func vxlan(_ frame: [UInt8]) -> [UInt8] { udp(to: 4789, [8, 0, 0, 0, 0, 0, 42, 0] + frame) }

  // MARK: - IP

  /// `offsetField` is the field of the fragment's flags and offset.
  static func ipv4(
    _ payload: [UInt8] = tcp(), protocol number: UInt8 = 6, id: Int = 7, offsetField: Int = 0,
    total: Int? = nil
  ) -> [UInt8] {
    [0x45, 0] + be16(total ?? 20 + payload.count) + be16(id) + be16(offsetField)
      + [64, number, 0, 0] + [10, 1, 2, 3] + [17, 2, 3, 4] + payload
  }

  static func ipv6(_ payload: [UInt8] = tcp(), next: UInt8 = 6) -> [UInt8] {
    [0x60, 0, 0, 0] + be16(payload.count) + [next, 64] + [0x20, 0x01, 0x0d, 0xb8] + zeros(11) + [3]
      + [0x26, 0x20, 0x01, 0x49] + zeros(11) + [4] + payload
  }

  /// An extension header of `words` times 8 bytes.
  static func extensionHeader(next: UInt8, words: Int = 1) -> [UInt8] {
    let length = words * 8 - 2
    // One option, PadN, as long as it can be; further ones after it.
    var options: [UInt8] = []
    while options.count < length {
      let left = length - options.count
      let size = min(left, 257)
      options += size == 1 ? [0] : [1, UInt8(size - 2)] + zeros(size - 2)
    }
    return [next, UInt8(words - 1)] + options
  }

  static func fragmentHeader(next: UInt8 = 6, offset: Int, more: Bool, id: Int = 7) -> [UInt8] {
    [next, 0] + be16(offset | (more ? 1 : 0)) + be32(id)
  }

  // MARK: - Links

  static func ethernet(_ packet: [UInt8] = ipv4(), type: Int = 0x0800) -> [UInt8] {
    [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0, 0x66, 0x77, 0x88, 0x99, 0xaa] + be16(type) + packet
  }

  static func snap() -> [UInt8] { [0xaa, 0xaa, 3, 0, 0, 0] + be16(0x0800) + ipv4() }

  /// 802.11 data: control and flags are the first two bytes.
  static func wireless(control: UInt8 = 8, flags: UInt8 = 1, more: [UInt8] = [], _ body: [UInt8] = snap())
    -> [UInt8]
  {
    [control, flags, 0, 0] + (1...18).map { UInt8($0 * 2) } + be16(0x1000) + more + body
  }

  /// A tag of an exported PDU, the value padded as Wireshark pads text.
  static func tag(_ type: Int, _ value: [UInt8]) -> [UInt8] {
    let padding = zeros((4 - value.count % 4) % 4)
    return be16(type) + be16(value.count + padding.count) + value + padding
  }

  static func tag(_ type: Int, _ text: String) -> [UInt8] { tag(type, Array(text.utf8)) }

  // MARK: - Reading

  /// The segment that `tcp()` makes.
  static func segment(payloadStart: Int, length: Int, missing: Int = 0) -> TCPSegment? {
    guard let from = IPAddress("10.1.2.3"), let to = IPAddress("17.2.3.4") else { return nil }
    return TCPSegment(
      source: Endpoint(address: from, port: 40000), destination: Endpoint(address: to, port: 2196),
      sequence: SequenceNumber(0x0102_0304), acknowledgement: SequenceNumber(0x0506_0708),
      flags: [.ack, .psh],
      window: 0x1234, payloadStart: payloadStart, payloadLength: length, missingLength: missing)
  }
}

/// Passes frames to a dissector as packets of a file: a record header of 16 bytes precedes each.
struct FrameReader {
  var dissector: PacketDissector
  private(set) var number = 0
  private(set) var file: [UInt8] = []

  init(options: CaptureOptions = CaptureOptions()) {
    dissector = PacketDissector(options: options)
  }

  /// `window` has bytes before and after the frame, which must not be read as part of it.
  mutating func read(_ frame: [UInt8], linkType: UInt16 = 1, onWire: Int? = nil) -> Dissection {
    number += 1
    file += [UInt8](repeating: 0x5a, count: 16)
    let record = PacketRecord(
      number: number, time: nil, linkType: LinkType(rawValue: linkType), start: 16,
      capturedLength: frame.count,
      originalLength: onWire ?? frame.count, fileOffset: file.count)
    file += frame
    let window = [UInt8](repeating: 0x5a, count: 16) + frame + [UInt8](repeating: 0x5a, count: 64)
    let answer = dissector.dissect(record, from: PacketReference(number: number), in: window.span.bytes)
    guard case .segment(var segment) = answer else { return answer }
    // It is where the checksum begins, which reassembly verifies.
    segment.headerLength = 0
    return .segment(segment)
  }

  /// The payload of `read`'s result for `frame`; nil if that is not a segment.
  static func payload(_ answer: Dissection, of frame: [UInt8]) -> [UInt8]? {
    switch answer {
    case .segment(let segment):
      let start = segment.payloadStart - 16
      guard start >= 0, segment.payloadLength >= 0, start + segment.payloadLength <= frame.count else {
        return nil
      }
      return Array(frame[start..<start + segment.payloadLength])
    case .datagram(let segment, let datagram):
      return Array(datagram.bytes[segment.payloadStart..<segment.payloadStart + segment.payloadLength])
    case .exportedPDU, .skipped: return nil
    }
  }
}
