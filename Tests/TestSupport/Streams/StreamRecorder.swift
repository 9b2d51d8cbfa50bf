import PacketCapture

/// Takes the events of a source one by one, bytes with what they are.
package protocol StreamRecorder {
  mutating func opened(_ stream: StreamIdentity)
  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent])
  mutating func gap(_ gap: StreamGap, in direction: StreamDirection)
  mutating func finding(_ finding: StreamFinding)
  mutating func closed(_ report: StreamReport)
}

/// Gives batches to a recorder, and finds out what a source must not do with slots.
package struct Playback<Recorder: StreamRecorder> {
  package var recorder: Recorder
  private var open: [Int32: Int] = [:]
  /// What a source must not do.
  package private(set) var misuse: [String] = []

  package init(_ recorder: Recorder) { self.recorder = recorder }

  package mutating func play(_ batch: borrowing EventBatch, window: RawSpan) {
    for event in batch.events {
      switch event {
      case .opened(let slot, let identity):
        let identity = batch.identities[Int(identity)]
        if open.updateValue(identity.number, forKey: slot) != nil {
          misuse.append("slot \(slot) opened twice")
        }
        recorder.opened(identity)
      case .bytes(let event):
        let origins = Array(
          batch.origins[Int(event.firstOrigin)..<Int(event.firstOrigin + event.originCount)])
        if origins.first?.streamOffset != event.offset {
          misuse.append("bytes at \(event.offset) are from elsewhere")
        }
        let range = event.start..<event.start + event.count
        switch event.storage {
        case .window:
          recorder.bytes(window.extracting(range), of: direction(event.slot, event.side), origins: origins)
        case .chunk(let index):
          let chunk = batch.chunks[Int(index)]
          recorder.bytes(
            chunk.span.bytes.extracting(range), of: direction(event.slot, event.side), origins: origins)
        }
      case .gap(let slot, let side, let gap):
        recorder.gap(batch.gaps[Int(gap)], in: direction(slot, side))
      case .finding(let slot, let finding):
        let finding = batch.findings[Int(finding)]
        if slot.flatMap({ open[$0] }) != (slot == nil ? nil : finding.stream) {
          misuse.append("\(finding) in slot \(slot ?? -1)")
        }
        recorder.finding(finding)
      case .secrets, .uncertain: break
      case .closed(let slot, let report):
        let report = batch.reports[Int(report)]
        if let number = open.removeValue(forKey: slot), number != report.identity.number {
          misuse.append("slot \(slot) is of \(number), not of \(report.identity.number)")
        }
        recorder.closed(report)
      }
    }
  }

  private func direction(_ slot: Int32, _ side: Side) -> StreamDirection {
    StreamDirection(stream: open[slot] ?? -1, side: side)
  }
}
