import Basics
import PacketCapture

/// Converts the events of streams to records and findings with provenance, one input after another.
package final class Analyzer {
  package let log: EvidenceLog
  /// The open streams by their slots.
  @exclusivity(unchecked) private var streams: [StreamAnalysis?] = []

  /// - Parameter sinkThreads: the number of threads that call sinks until `finish` or `stop`; 0 to call them on this
  ///   one. Sinks that need bytes are always called on this one.
  package init(
    _ options: AnalysisOptions = AnalysisOptions(), sinks: [any EvidenceSink], sinkThreads: Int = 0
  ) {
    log = EvidenceLog(options, sinks: sinks, sinkThreads: sinkThreads)
  }

  package func report(_ finding: Finding) throws {
    if let excerpt = log.beginExcerpt(of: finding) { try log.add { try $0.excerpt(excerpt) } }
    try log.add(finding)
  }

  /// Analyses the events of one window of an input.
  package func consume(_ batch: EventBatch) throws {
    try log.withWindow(of: batch) {
      var next = 0
      while next < batch.events.count {
        let index = next
        next += 1
        switch batch.events[index] {
        case .bytes(let event): next = try bytes(event, at: index, in: batch)
        case .opened(let slot, let identity):
          while streams.count <= slot { streams.append(nil) }
          streams[Int(slot)] = StreamAnalysis(batch.identities[Int(identity)], log: log)
        case .gap(let slot, let side, let gap):
          if let stream = stream(slot) { try stream.add(batch.gaps[Int(gap)], to: &stream[side]) }
        case .finding(let slot, let finding): try take(batch.findings[Int(finding)], in: slot)
        case .uncertain(let slot, let side, let offset, let count):
          stream(slot)?[side].makeExtras().uncertain.append(offset..<offset &+ count)
        case .secrets: break
        case .closed(let slot, let report): try close(batch.reports[Int(report)], in: Int(slot))
        }
      }
    }
  }

  private func stream(_ slot: Int32) -> StreamAnalysis? {
    streams.indices.contains(Int(slot)) ? streams[Int(slot)] : nil
  }

  /// Takes the bytes of an event and, of feedback, of those in a row with it. Returns the index after them.
  private func bytes(_ event: ByteEvent, at index: Int, in batch: EventBatch) throws -> Int {
    guard let stream = stream(event.slot) else { return index + 1 }
    let first = Int(event.firstOrigin)
    // Excerpts have the bytes of packets, up to those that were decided when each came.
    if stream[event.side].isFeedback, stream.excerpts.isEmpty, !log.needs.contains(.bytes) {
      let (end, count) = batch.row(from: index)
      if end > index + 1, case .bytes(let last) = batch.events[end - 1] {
        let bytes = batch.bytes(of: index..<end, count)
        try stream.append(
          bytes.span.bytes, at: ChunkLocation(storage: log.keep(bytes), start: 0),
          origins: batch.origins.span.extracting(first..<Int(last.firstOrigin &+ last.originCount)),
          isRecord: false, to: &stream[event.side])
        return end
      }
    }
    let origins = batch.origins.span.extracting(first..<first &+ Int(event.originCount))
    let source = if case .chunk(let index) = event.storage { batch.chunks[Int(index)] } else { batch.window }
    try stream.append(
      source.span.bytes.extracting(event.start..<event.start &+ event.count),
      at: ChunkLocation(storage: event.storage, start: event.start), origins: origins,
      isRecord: event.isRecord, to: &stream[event.side])
    if log.gateway.isExceeded { for stream in streams { try stream?.settleResponses() } }
    return index + 1
  }

  private func take(_ finding: StreamFinding, in slot: Int32?) throws {
    if let stream = slot.flatMap({ stream($0) }) { return try stream.finding(finding) }
    try report(
      Finding(
        source: log.source(finding.packet?.input ?? log.currentInput), length: finding.length,
        packet: finding.packet?.number, fileOffset: finding.fileOffset, code: finding.code,
        message: finding.message))
  }

  /// Closes a stream, which is not open if it has no bytes.
  private func close(_ report: StreamReport, in slot: Int) throws {
    let isOpen = streams.indices.contains(slot) && streams[slot]?.identity.number == report.identity.number
    let stream = isOpen ? streams[slot] : nil
    try (stream ?? StreamAnalysis(report.identity, log: log)).close(report)
    if isOpen { streams[slot] = nil }
  }
}
