import Basics

/// Packets that a search found, reassembled into streams like those of a capture.
package struct CarvedPackets: ~Copyable {
  private static let rawIP = LinkType(rawValue: 101)

  private var dissector: PacketDissector
  private var reassembler: Reassembler
  package private(set) var count = 0

  /// - Parameter reservedSlots: the number of slots, from 0, that the caller uses for streams of its own.
  package init(options: CaptureOptions, reservedSlots: Int) {
    dissector = PacketDissector(options: options)
    reassembler = Reassembler(options: options, reservedSlots: reservedSlots, isCarving: true)
  }

  /// Adds the events of a packet to `batch`. Its headers were looked at when it was found: no finding is about them.
  /// - Parameter streams: the number of streams so far, which number the next ones.
  package mutating func take(
    _ found: PacketSearch.FoundPacket, in window: RawSpan, windowOffset: Int, streams: inout Int,
    into batch: inout EventBatch
  ) {
    count += 1
    let record = PacketRecord(
      number: count, time: found.time, linkType: Self.rawIP, start: found.range.lowerBound,
      capturedLength: found.range.count, originalLength: found.range.count,
      fileOffset: windowOffset &+ found.range.lowerBound)
    let packet = PacketReference(number: count, time: found.time)
    swapState(&streams, &batch)
    defer { swapState(&streams, &batch) }
    if case .segment(let segment) = dissector.dissect(record, from: packet, in: window) {
      let fileOffset = record.fileOffset &+ segment.payloadStart &- record.start
      if !reassembler.appendInOrder(segment, fileOffset: fileOffset, packet: packet) {
        reassembler.segment(segment, in: window, fileOffset: fileOffset, packet: packet)
      }
    }
    reassembler.packetRead()
  }

  /// The input has ended. False if the batch is full and there are more events.
  package mutating func finish(streams: inout Int, into batch: inout EventBatch) -> Bool {
    swapState(&streams, &batch)
    defer { swapState(&streams, &batch) }
    return reassembler.finish()
  }

  private mutating func swapState(_ streams: inout Int, _ batch: inout EventBatch) {
    reassembler.swapEvents(with: &batch)
    swap(&reassembler.nextNumber, &streams)
  }
}
