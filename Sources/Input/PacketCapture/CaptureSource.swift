import Basics

/// The packets of a capture, reassembled into streams. Several files may be one capture: connections continue across
/// them.
package struct CaptureSource: StreamSource, ~Copyable {
  private let options: CaptureOptions
  private var records: CaptureRecords
  private var dissector: PacketDissector
  private var reassembler: Reassembler
  private var filter: PacketFilter?
  /// Which of the files is being read, from 0.
  private var input: UInt16 = 0
  /// Packets of the file read so far, whether the filter accepts them or not.
  package private(set) var packetCount = 0
  /// Whether a packet had TCP, or exported data of it.
  package var hasTCP: Bool { dissector.counts.segments + dissector.counts.exportedPDUs > 0 }
  private var secretsCount = 0
  /// Reads all key logs of the file, which may follow the packets that they are for; nil once they are read.
  package typealias KeyLogs = () -> [EmbeddedSecrets]
  private var keyLogs: KeyLogs?
  /// Offset in the file after the last key log that was read before its location.
  private var keyLogsEnd = 0
  /// Whether the consumer is notified that key logs may follow.
  private var awaitsSecrets = false
  private var isFinishing = false
  package let held: HeldBatches

  /// - Throws: an `InputError` where the filter does not compile.
  package init(options: CaptureOptions) throws(InputError) {
    self.options = options
    if let expression = options.filter { filter = try PacketFilter(expression) }
    records = CaptureRecords(kind: .pcap, maxPacket: options.maxPacket)
    dissector = PacketDissector(options: options)
    held = HeldBatches(options)
    reassembler = Reassembler(options: options, held: held)
  }

  /// Begins the next file, which continues the previous one.
  /// - Parameters:
  ///   - history: gives access to earlier bytes of the file.
  ///   - keyLogs: reads a second time; nil for files that can be read only once.
  ///   - isLast: whether no other file may continue this one.
  package mutating func begin(
    _ kind: CaptureRecords.FileFormat, input: UInt16, history: CaptureHistory?, keyLogs: KeyLogs?,
    isLast: Bool
  ) {
    records = CaptureRecords(kind: kind, maxPacket: options.maxPacket)
    self.input = input
    packetCount = 0
    (secretsCount, keyLogsEnd) = (0, 0)
    self.keyLogs = options.readsSecrets && kind == .pcapng ? keyLogs : nil
    awaitsSecrets = options.readsSecrets && (!isLast || kind == .pcapng && keyLogs == nil)
    reassembler.use(history)
  }

  /// The file has ended; another may follow.
  /// - Returns: a error if it had packets, all of them of unsupported link types.
  package mutating func end() -> InputError? {
    reassembler.use(nil)
    let counts = dissector.counts
    let unsupported = counts.unsupported.values.reduce(0, +)
    guard unsupported > 0, unsupported == counts.packets else { return nil }
    let skipped = unsupported == 1 ? "its only packet" : "all \(unsupported) packets"
    return InputError("\(skipped) skipped: see unsupported-link-type")
  }

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    reassembler.swapEvents(with: &batch)
    defer { reassembler.swapEvents(with: &batch) }
    if awaitsSecrets { reassembler.secrets(.awaited) }
    awaitsSecrets = false
    var index = start
    defer { held.offset = windowOffset &+ index }
    while !reassembler.isFull {
      switch records.next(in: window, from: index, windowOffset: windowOffset, isLast: isLast) {
      case .packet(let record, let end):
        packetCount &+= 1
        if !options.skipsPackets { packet(record, in: window) }
        index = end
      case .skipped(let end):
        if records.secretsCount != secretsCount { takeSecrets(in: window, windowOffset: windowOffset) }
        index = end
      case .damaged(var finding, let end):
        finding.packet = PacketReference(number: finding.packet?.number, input: input)
        reassembler.finding(finding)
        index = end
      case .needsBytes(let needed):
        return .needsBytes(consumed: index, needed: needed)
      case .unreadable(let error):
        return .ended(error)
      case .finished:
        return .ended(nil)
      }
    }
    return .isFull(consumed: index)
  }

  package mutating func finish(into batch: inout EventBatch) -> Bool {
    reassembler.swapEvents(with: &batch)
    defer { reassembler.swapEvents(with: &batch) }
    if !isFinishing {
      isFinishing = true
      dissector.finish()
      emitSourceFindings()
    }
    return reassembler.finish()
  }

  /// The block with them was read last, and is in the window.
  private mutating func takeSecrets(in window: RawSpan, windowOffset: Int) {
    secretsCount = records.secretsCount
    guard options.readsSecrets, let found = records.latestSecrets, found.type == DecryptionSecrets.keyLog,
      found.fileOffset >= keyLogsEnd
    else { return }
    let start = found.fileOffset - windowOffset
    guard start >= 0, start + found.length <= window.byteCount else { return }
    let bytes = window.extracting(start..<(start + found.length)).withUnsafeBytes { Array($0) }
    reassembler.secrets(EmbeddedSecrets(bytes: bytes, fileOffset: found.fileOffset))
  }

  /// The first packet that may be of TLS: its keys must be known before it.
  @inline(never)
  private mutating func takeKeyLogs() {
    for found in keyLogs?() ?? [] {
      reassembler.secrets(found)
      keyLogsEnd = found.fileOffset + 1
    }
    keyLogs = nil
  }

  /// Whether a record of TLS, or a hello of SSL 2.0, may begin with the byte.
  private static func mayBeTLS(_ first: UInt8) -> Bool { (0x14...0x17).contains(first) || first == 0x80 }

  // MARK: - A packet

  @inline(always)
  private mutating func packet(_ record: PacketRecord, in window: RawSpan) {
    if let matches = filter?.matches(record, in: window), !matches { return }
    var packet = PacketReference(number: record.number, time: record.time, input: input)
    if var segment = dissector.segment(of: record, in: window) ?? dissect(record, &packet, in: window) {
      segment.isCutByFile = record.isCutByFile
      if keyLogs != nil, segment.payloadLength > 0, Self.mayBeTLS(window.byte(at: segment.payloadStart)) {
        takeKeyLogs()
      }
      let fileOffset = record.fileOffset &+ segment.payloadStart &- record.start
      if !reassembler.appendInOrder(segment, fileOffset: fileOffset, packet: packet) {
        reassembler.segment(segment, in: window, fileOffset: fileOffset, packet: packet)
      }
    }
    if dissector.hasFindings { emitSourceFindings() }
    reassembler.packetRead()
  }

  /// Reads a packet with other headers than those of nearly all. Takes what is in it, or returns its segment.
  @inline(never)
  private mutating func dissect(
    _ record: PacketRecord, _ packet: inout PacketReference, in window: RawSpan
  ) -> TCPSegment? {
    let dissection = dissector.dissect(record, from: packet, in: window)
    packet.original = dissector.originalFrame
    switch dissection {
    case .segment(let segment): return segment
    case .datagram(let segment, let datagram):
      takeKeyLogs()
      let range = segment.payloadStart..<segment.payloadStart &+ segment.payloadLength
      let bytes = datagram.bytes.span.bytes
      let isRight = SegmentChecksum.isRight(
        bytes.extracting(range.lowerBound &- segment.headerLength..<range.upperBound),
        from: segment.source.address, to: segment.destination.address)
      let parts = datagram.parts(
        range, .verified(isRight: isRight, by: UInt32(truncatingIfNeeded: record.number)))
      reassembler.segment(segment, payload: bytes.extracting(range), parts: parts.span, packet: packet)
    case .exportedPDU(let pdu):
      take(pdu, of: record, packet, in: window)
    case .skipped: break
    }
    return nil
  }

  /// Data that a tool exported without headers: with numbers of its TCP segment, or decrypted and in order.
  private mutating func take(
    _ pdu: ExportedPDU, of record: PacketRecord, _ packet: PacketReference, in window: RawSpan
  ) {
    guard pdu.isTCP, let source = pdu.source, let destination = pdu.destination else { return }
    takeKeyLogs()
    let origin = PayloadOrigin(
      windowIndex: pdu.payload.lowerBound,
      fileOffset: record.fileOffset &+ pdu.payload.lowerBound &- record.start, packet: packet)
    let payload = window.extracting(pdu.payload)
    var segment = pdu.segment(from: source, to: destination)
    segment.isCutByFile = record.isCutByFile
    if pdu.tcp == nil { return reassembler.orderedBytes(segment, payload, from: origin) }
    let parts: InlineArray<1, PayloadPart> = [PayloadPart(range: 0..<pdu.payload.count, origin: origin)]
    reassembler.exportedSegment(segment, payload: payload, parts: parts.span, packet: packet)
  }

  private mutating func emitSourceFindings() {
    for var finding in dissector.takeFindings() + (filter?.takeFindings() ?? []) {
      finding.packet?.input = input
      reassembler.finding(finding)
    }
  }
}

extension ExportedPDU {
  /// The TCP segment with the data as its payload. Its numbers mean nothing if unknown, as for decrypted data.
  fileprivate func segment(from source: Endpoint, to destination: Endpoint) -> TCPSegment {
    var segment = TCPSegment(
      source: source, destination: destination, sequence: SequenceNumber(0), payloadStart: payload.lowerBound,
      payloadLength: payload.count, missingLength: missingLength)
    guard let tcp else { return segment }
    // For data from several segments, the numbers are those of the last.
    segment.sequence = tcp.isReassembled ? tcp.nextSequence + -(payload.count &+ missingLength) : tcp.sequence
    (segment.acknowledgement, segment.flags) = (tcp.acknowledgement, tcp.flags.intersection(.fin))
    return segment
  }
}

extension ReassembledDatagram {
  /// The packets with the bytes in `range` of the datagram.
  fileprivate func parts(_ range: Range<Int>, _ checksum: ChecksumEvidence) -> [PayloadPart] {
    origins.indices.compactMap { index in
      let origin = origins[index]
      let end = index + 1 < origins.count ? origins[index + 1].streamOffset : bytes.count
      let part = range.clamped(to: origin.streamOffset..<max(end, origin.streamOffset))
      guard !part.isEmpty, let packet = origin.packet else { return nil }
      return PayloadPart(
        range: part.lowerBound &- range.lowerBound..<part.upperBound &- range.lowerBound,
        origin: PayloadOrigin(
          windowIndex: nil, fileOffset: origin.fileOffset(of: part.lowerBound), packet: packet,
          checksum: checksum))
    }
  }
}
