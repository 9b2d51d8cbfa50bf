import Basics
import PacketCapture

/// Capture files and the headers of packets.
extension Target {
  static let captures = [
    Target("records", checkRecords),
    Target("packets", optionCount: 2, checkPackets),
  ]

  private static func checkRecords(_ sample: Sample) {
    guard CaptureRecords.recognises(sample.bytes.span.bytes) != nil else { return }
    let maxPacket = [1 << 20, 64, 1, 1 << 30][Int(sample.options[0] & 3)]
    let whole = RecordReading(sample.bytes, maxPacket: maxPacket, chunk: sample.lengths(.whole))
    expect(whole.misuse.isEmpty, "\(whole.misuse)")
    let length = whole.packets.reduce(0) { $0 + $1.bytes.count }
    expect(length <= sample.bytes.count, "packets have no more bytes than the file")
    for chunking in sample.chunkings().dropFirst() {
      let cut = RecordReading(sample.bytes, maxPacket: maxPacket, chunk: sample.lengths(chunking))
      expect(cut == whole, "records do not depend on windows, in chunks: \(chunking): \(cut), not \(whole)")
    }
  }

  /// What came of a packet, with indices counted from its first byte.
  private enum Outcome: Equatable {
    case segment(TCPSegment)
    case datagram(TCPSegment, ReassembledDatagram)
    case pdu(ExportedPDU, Range<Int>)
    case skipped
  }

  /// Packets, each with its length in two bytes, of one link type. They are read where they are in the sample, and each
  /// in a buffer of its own, where reading too far is noticed: with the same outcomes.
  private static func checkPackets(_ sample: Sample) {
    let number = UInt16(sample.options[0]) | UInt16(sample.options[1] & 1) << 8
    var options = CaptureOptions.small
    if sample.options[1] & 2 != 0 { options.fragmentBuffer = 2000 }
    var (together, alone) = (PacketDissector(options: options), PacketDissector(options: options))
    var (index, packet) = (0, 0)
    while index + 2 <= sample.bytes.count {
      // The upper bits say how much of the packet was cut off.
      let header = Int(sample.bytes[index]) << 8 | Int(sample.bytes[index + 1])
      let start = index + 2
      let length = min(header & 0x7ff, sample.bytes.count - start)
      packet += 1
      let record = PacketRecord(
        number: packet, time: nil, linkType: LinkType(rawValue: number), start: start, capturedLength: length,
        originalLength: length + header >> 11, fileOffset: start)
      let bytes = Array(sample.bytes[start..<start + length])
      var moved = record
      moved.start = 0
      let reference = PacketReference(number: packet)
      let found = outcome(together.dissect(record, from: reference, in: sample.bytes.span.bytes), record)
      expect(
        outcome(alone.dissect(moved, from: reference, in: bytes.span.bytes), moved) == found,
        "a packet is read the same way in a buffer of its own")
      expect(
        together.takeFindings() == alone.takeFindings(), "anomalies are the same in a buffer of its own")
      index = start + length
    }
    together.finish()
    alone.finish()
    expect(together.takeFindings() == alone.takeFindings(), "incomplete datagrams are the same")
  }

  private static func outcome(_ dissection: Dissection, _ record: PacketRecord) -> Outcome {
    switch dissection {
    case .segment(var segment):
      let end = segment.payloadStart + segment.payloadLength
      expect(
        segment.payloadStart >= record.start && end <= record.start + record.capturedLength
          && segment.payloadLength >= 0, "a payload is in its packet: \(segment)")
      segment.payloadStart -= record.start
      return .segment(segment)
    case .datagram(let segment, let datagram):
      expect(datagram.bytes.count <= 65_535, "a datagram has at most 65,535 bytes")
      expect(
        segment.payloadStart >= 0 && segment.payloadLength >= 0
          && segment.payloadStart + segment.payloadLength <= datagram.bytes.count,
        "a payload is in its datagram")
      return .datagram(segment, datagram)
    case .exportedPDU(var pdu):
      let range = pdu.payload
      expect(
        range.lowerBound >= record.start && range.upperBound <= record.start + record.capturedLength,
        "data is in its packet")
      pdu.payload = range.lowerBound - record.start..<range.upperBound - record.start
      return .pdu(pdu, pdu.payload)
    case .skipped: return .skipped
    }
  }
}
