import APNsWire
import Analysis
import Basics
import PacketCapture

/// Connections of HTTP/2: whatever the frames of both sides and their order, all bytes are accounted for, and a request has
/// at most one answer. A sound connection has the exchanges that were made.
extension Target {
  static let exchanges = Target("exchanges") { sample in
    let options = sample.options[0]
    let script = ConnectionScript(sample.bytes, beginning: options & 7)
    let isLimited = options & 8 != 0
    let whole = examine(script.items, isLimited: isLimited, sample.lengths(.whole))
    checkAnswers(whole.pushes)
    let chunking = sample.chunkings()[1]
    let cut = examine(script.items, isLimited: isLimited, sample.lengths(chunking))
    expectSame(
      cut.lines.sorted(), whole.lines.sorted(), "evidence does not depend on chunks, in chunks: \(chunking)")
    if script.isSound, !isLimited { checkExchanges(script, whole.pushes) }
    // Wrong bytes may be settings, which are of the other side.
    guard !script.isDamaged else { return }
    let clients = script.items.filter { $0.side == .first }
    let servers = script.items.filter { $0.side == .second }
    let apart = examine(
      options & 16 == 0 ? clients + servers : servers + clients, isLimited: isLimited, sample.lengths(.whole))
    checkAnswers(apart.pushes)
    checkSides(apart.pushes, whole.pushes)
  }

  private static func examine(
    _ items: [(side: Side, item: ConnectionScript.Item)], isLimited: Bool, _ length: () -> Int
  ) -> Evidences {
    var options = AnalysisOptions()
    options.choice.named = .pushes
    if isLimited { options.gateway.maxPending = 1 }
    let evidence = Evidences()
    evidence.needs = [.payloads]
    let analyzer = Analyzer(options, sinks: [evidence])
    let identity = StreamIdentity(number: 0, server: .second, serverEvidence: .handshake)
    var batch = EventBatch()
    batch.opened(identity, slot: 0)
    var ends = [0, 0]
    for (side, item) in items {
      let side = (side, number: Int(side.rawValue))
      switch item {
      case .gap(let length):
        batch.gap(
          StreamGap(offset: ends[side.number], length: length, fileOffset: nil), slot: 0, side: side.0)
        ends[side.number] += length
      case .bytes(let bytes):
        var rest = bytes[...]
        while !rest.isEmpty {
          let chunk = Array(rest.prefix(length()))
          rest = rest.dropFirst(chunk.count)
          // The two sides are apart in a file.
          let origin = SourceExtent(
            streamOffset: ends[side.number], fileOffset: side.number << 20 + ends[side.number], stride: 1)
          batch.bytes(chunk, slot: 0, side: side.0, origins: [origin])
          ends[side.number] += chunk.count
        }
      }
    }
    batch.closed(StreamReport(identity), slot: 0)
    do {
      try analyzer.log.begin(source: "input")
      try analyzer.consume(batch)
      try analyzer.log.finish()
    } catch { fail("a sink that never fails: \(error)") }
    evidence.checkSums(analyzer.log.summary)
    return evidence
  }

  /// No frame is in two exchanges.
  private static func checkAnswers(_ pushes: [Evidences.Push]) {
    for offsets in [pushes.compactMap(\.request), pushes.compactMap(\.response)] {
      expect(Set(offsets).count == offsets.count, "a request has at most one answer: \(pushes)")
    }
  }

  private static func checkExchanges(_ script: ConnectionScript, _ pushes: [Evidences.Push]) {
    let found = pushes.sorted { $0.stream < $1.stream }.map { "\($0.stream) \($0.token) \($0.status ?? 0)" }
    let made = script.exchanges.map { "\($0.id) \($0.token) \($0.status ?? 0)" }
    expectSame(found, made, "a sound connection has the exchanges that were made")
  }

  /// What a side says does not depend on when the other one says something.
  private static func checkSides(_ found: [Evidences.Push], _ others: [Evidences.Push]) {
    var (tokens, statuses): ([Int: String], [Int: UInt16?]) = ([:], [:])
    for one in others {
      if let request = one.request { tokens[request] = one.token }
      if let response = one.response, !one.isInferred { statuses[response] = .some(one.status) }
    }
    for one in found {
      if let request = one.request, let token = tokens[request] {
        expect(token == one.token, "a request is that of its side: \(one), not \(token)")
      }
      if !one.isInferred, let response = one.response, let status = statuses[response] {
        expect(status == one.status, "a response is that of its side: \(one), not \(status ?? 0)")
      }
    }
  }
}
