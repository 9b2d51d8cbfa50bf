import WireBytes

/// A capture on its way from blocks of its files to streams. Several files may be one capture: connections
/// go on across them.
package struct CapturePass {
  private let options: CaptureOptions
  private var records: CaptureRecords
  private var dissector: PacketDissector
  private var reassembler: Reassembler
  private var filter: PacketFilter?
  /// Which of the files is being read, from 0.
  private var input: UInt16 = 0
  /// Packets of the file that were read so far, whether the filter lets them through or not.
  package private(set) var packetCount = 0

  /// What a window came to.
  package enum Outcome {
    /// Everything before `consumed` is done with; `needed` bytes from there on are needed to go on.
    case needsBytes(consumed: Int, needed: Int)
    /// Nothing more of the file is wanted, for a reason or because it has ended.
    case ended(InputFault?)
  }

  /// - Throws: an `InputFault` where the filter does not compile.
  package init(options: CaptureOptions) throws {
    self.options = options
    filter = try options.filter.map { try PacketFilter($0) }
    records = CaptureRecords(kind: .pcap, maxPacket: options.maxPacket)
    dissector = PacketDissector(options: options)
    reassembler = Reassembler(options: options)
  }

  /// What follows is a file of its own, which goes on where the one before it ended.
  package mutating func begin(_ kind: CaptureRecords.Kind, input: UInt16) {
    records = CaptureRecords(kind: kind, maxPacket: options.maxPacket)
    self.input = input
    packetCount = 0
  }

  /// Reads the records that lie whole in `window`.
  /// - Parameters:
  ///   - windowOffset: offset in the file of the window's first byte.
  ///   - isLast: whether the file ends with the window.
  ///   - memory: the file, in which bytes that were read are found again.
  package mutating func read(
    _ window: RawSpan, windowOffset: Int, isLast: Bool, memory: inout some CaptureMemory & ~Copyable,
    into receiver: inout some StreamReceiver
  ) throws -> Outcome {
    var place = 0
    while true {
      switch records.next(in: window, from: place, windowOffset: windowOffset, isLast: isLast) {
      case .packet(let record, let end):
        packetCount &+= 1
        try packet(record, in: window, memory: &memory, into: &receiver)
        place = end
      case .passedOver(let end):
        place = end
      case .damaged(var anomaly, let end):
        anomaly.packet = PacketReference(number: anomaly.packet?.number, input: input)
        try receiver.anomaly(anomaly)
        place = end
      case .needsBytes(let needed):
        return .needsBytes(consumed: place, needed: needed)
      case .unreadable(let fault):
        return .ended(fault)
      case .finished:
        return .ended(nil)
      }
    }
  }

  /// The capture has ended with its last file.
  package mutating func finish(into receiver: inout some StreamReceiver) throws {
    dissector.finish()
    try tellAnomalies(to: &receiver)
    try reassembler.finish(to: &receiver)
  }

  // MARK: - A packet

  private mutating func packet(
    _ record: PacketRecord, in window: RawSpan, memory: inout some CaptureMemory & ~Copyable,
    into receiver: inout some StreamReceiver
  ) throws {
    if filter != nil, !(filter?.matches(record, in: window) ?? true) { return }
    var packet = PacketReference(number: record.number, time: record.time, input: input)
    let dissection = dissector.dissect(record, from: packet, in: window)
    packet.original = dissector.originalFrame
    switch dissection {
    case .segment(let segment):
      let end = segment.payloadStart &+ segment.payloadLength
      let stretches: InlineArray<1, PayloadStretch> = [
        PayloadStretch(
          range: 0..<segment.payloadLength,
          fileOffset: record.fileOffset &+ segment.payloadStart &- record.start, packet: packet)
      ]
      try reassembler.segment(
        segment, payload: window.extracting(segment.payloadStart..<end), stretches: stretches.span,
        packet: packet, isCutByFile: record.isCutByFile, memory: &memory, to: &receiver)
    case .datagram(let segment, let datagram):
      let end = segment.payloadStart &+ segment.payloadLength
      let stretches = datagram.stretches(segment.payloadStart..<end)
      let bytes = datagram.bytes
      try reassembler.segment(
        segment, payload: bytes.span.bytes.extracting(segment.payloadStart..<end), stretches: stretches.span,
        packet: packet, memory: &memory, to: &receiver)
    case .exportedPDU(let pdu):
      try exported(pdu, of: record, packet, in: window, memory: &memory, into: &receiver)
    case .passedOver:
      break
    }
    if dissector.hasAnomalies { try tellAnomalies(to: &receiver) }
    try reassembler.packetRead(to: &receiver)
  }

  /// Data that a tool has exported without its headers: with numbers of its TCP segment, or decrypted and in
  /// order.
  private mutating func exported(
    _ pdu: ExportedPDU, of record: PacketRecord, _ packet: PacketReference, in window: RawSpan,
    memory: inout some CaptureMemory & ~Copyable, into receiver: inout some StreamReceiver
  ) throws {
    guard pdu.isTCP, let source = pdu.source, let destination = pdu.destination else { return }
    let fileOffset = record.fileOffset &+ pdu.payload.lowerBound &- record.start
    if let segment = pdu.segment(from: source, to: destination) {
      let stretches: InlineArray<1, PayloadStretch> = [
        PayloadStretch(range: 0..<pdu.payload.count, fileOffset: fileOffset, packet: packet)
      ]
      return try reassembler.exportedSegment(
        segment, payload: window.extracting(pdu.payload), stretches: stretches.span, packet: packet,
        isCutByFile: record.isCutByFile, memory: &memory, to: &receiver)
    }
    try reassembler.orderedBytes(
      window.extracting(pdu.payload), missing: pdu.missingLength, isCutByFile: record.isCutByFile,
      from: source, to: destination, Arrival(fileOffset: fileOffset, packet: packet), to: &receiver)
  }

  private mutating func tellAnomalies(to receiver: inout some StreamReceiver) throws {
    for var anomaly in dissector.takeAnomalies() + (filter?.takeAnomalies() ?? []) {
      anomaly.packet?.input = input
      try receiver.anomaly(anomaly)
    }
  }
}

extension ExportedPDU {
  /// The TCP segment that the data is the payload of; nil where nothing is known of one, as of data that was
  /// decrypted.
  fileprivate func segment(from source: Endpoint, to destination: Endpoint) -> TCPSegment? {
    guard let tcp else { return nil }
    // Of data that came in several segments, the numbers are those of the last.
    let first = tcp.isReassembled ? tcp.nextSequence + -(payload.count &+ missingLength) : tcp.sequence
    return TCPSegment(
      source: source, destination: destination, sequence: first, acknowledgement: tcp.acknowledgement,
      flags: tcp.flags.intersection(.fin), payloadStart: payload.lowerBound, payloadLength: payload.count,
      missingLength: missingLength)
  }
}

extension ReassembledDatagram {
  /// Which packets brought the bytes in `range`, which lie in the datagram.
  fileprivate func stretches(_ range: Range<Int>) -> [PayloadStretch] {
    origins.indices.compactMap { index in
      let origin = origins[index]
      let end = index + 1 < origins.count ? origins[index + 1].streamOffset : bytes.count
      let part = range.clamped(to: origin.streamOffset..<max(end, origin.streamOffset))
      guard !part.isEmpty, let packet = origin.packet else { return nil }
      return PayloadStretch(
        range: part.lowerBound &- range.lowerBound..<part.upperBound &- range.lowerBound,
        fileOffset: origin.fileOffset(of: part.lowerBound), packet: packet)
    }
  }
}
