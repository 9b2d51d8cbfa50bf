import APNsWire
import Analysis
import Basics
import PacketCapture
import Reports

/// Fills a page with what it lists of the evidence, up to its limits.
final class ReportCollector: EvidenceSink {
  private(set) var page: ReportPage
  /// Inputs so far.
  private var inputs = 0
  private var streams: [(input: Int, stream: StreamSummary)] = []
  private var doubtful: FairSample<FlaggedRecord>
  private var recovered: RecoveredChains
  private var excerpts: [FindingCode: FairSample<Excerpt>] = [:]
  private var text = FileText()

  init(_ head: ReportHead, _ limits: ReportLimits) {
    page = ReportPage(head)
    page.limits = limits
    doubtful = FairSample(capacity: limits.doubtful)
    recovered = RecoveredChains(capacity: limits.chains)
  }

  var needs: EvidenceNeeds { [.gatewayRecords, .inventory, .fileText, .extents] }

  func inputBegan(_ source: String) {
    inputs += 1
    text.forget()
  }

  func inputEnded(_ input: InputRecord) { page.files.append(input) }

  func text(_ window: [UInt8], at offsets: Range<Int>) { text.keep(window, at: offsets) }

  func stream(_ stream: StreamSummary, report: StreamReport) {
    recovered.end(stream.number, input: inputs)
    let isDecoded = stream.streamProtocol != .encrypted && stream.streamProtocol != .other
    if isDecoded { page.decodedStreams += 1 }
    if streams.count < page.limits.streams { return streams.append((inputs, stream)) }
    page.streamsLeftOut += 1
    // A decoded stream replaces one that was not decoded.
    if isDecoded, let index = streams.lastIndex(where: { $0.stream.streamProtocol == .other }) {
      streams.remove(at: index)
      streams.append((inputs, stream))
    }
  }

  func excerpt(_ excerpt: Excerpt) {
    var excerpt = excerpt
    let bytes = excerpt.findingBytes
    if let offset = excerpt.finding.fileOffset, bytes.isEmpty || text.isSource(of: bytes, at: offset) {
      (excerpt.isDecoded, excerpt.fileText) = (!bytes.isEmpty, text.lines(with: offset..<offset + 1))
    }
    excerpts[excerpt.finding.code, default: FairSample(capacity: page.limits.excerpts)]
      .add(excerpt, input: excerpt.input, at: (0, excerpt.number))
  }

  /// Completes the rows of the page, when all evidence is there.
  /// - Parameters:
  ///   - summary: of all inputs.
  ///   - command: returns the command that shows a finding's bytes.
  func finish(_ summary: Summary, command: (Finding) -> String?) {
    page.summary = summary
    (page.flaggedRecords, page.recovered) = (doubtful.chosen, recovered.counts)
    (page.chains, page.chainCount) = (recovered.chains, recovered.chainCount)
    streams.sort { ($0.input, $0.stream.number) < ($1.input, $1.stream.number) }
    page.streams = streams.map(\.stream)
    page.findings = FindingCode.allCases.compactMap { code in
      guard let count = summary.findings[code], count > 0 else { return nil }
      let chosen = excerpts[code]?.chosen ?? []
      return FindingGroup(
        code: code, count: count, examples: chosen.map { FindingExample($0, command: command($0.finding)) })
    }
  }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    if !records.run.flags.isEmpty { records.eachExtent { flagged($0, in: bytes) } }
  }

  private func flagged(_ records: FeedbackRecords, in bytes: RawSpan) {
    let run = records.run
    func location(_ offset: Int) -> RecordLocation {
      RecordLocation(
        records.labels, offset, records.direction, packet: records.origin.packet,
        fileOffset: records.origin.fileOffset(of: offset))
    }
    recovered.add(.feedback, run.count, run.flags, records.labels, location(run.offset)) {
      $0.add(run, records.confidence)
    }
    if run.flags.withoutCarved.isEmpty { return }
    page.flagged[.feedback] &+= run.count
    for index in 0..<run.count {
      let isAdmitted = add(.feedback, location(run.offset &+ index &* run.stride), run.flags.codes) {
        $0.token = ShownToken.hex(run.token(of: index), in: bytes)
        $0.time = bytes.bigEndianUInt32(at: run.start &+ index &* run.stride)
      }
      // Later records are not in the sample either.
      if !isAdmitted { return }
    }
  }

  func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    for request in requests.records {
      let command = Int(request.fields.command)
      if page.gateway.commands.indices.contains(command) { page.gateway.commands[command] &+= 1 }
      if request.flags.isEmpty { continue }
      let location = RecordLocation(
        requests.labels, request.offset, .client, packet: request.packet, fileOffset: request.fileOffset)
      add(.requests, location, request.flags, requests.labels) {
        request.fields.token.map { ShownToken.hex($0, in: bytes) }
      }
    }
  }

  func response(_ response: ResponseRecord) {
    let location = RecordLocation(
      response.labels, response.offset, .server, packet: response.packet, fileOffset: response.fileOffset)
    let token = response.request?.token.map(ShownToken.hex)
    add(.responses, location, response.flags, response.labels) { token }
    guard page.gateway.responses.count < page.limits.responses else { return }
    var row = GatewayRows.Response(
      at: RecordLocation(response.labels, response.offset, packet: response.packet))
    row.capturedAt = response.packet?.time?.text
    (row.status, row.identifier) = (response.response.status, response.response.identifier)
    (row.requestOffset, row.token, row.flags) = (response.request?.offset, token, response.flags.codes)
    page.gateway.responses.append(row)
  }

  func pushes(_ pushes: PushRecords, in bytes: RawSpan) { addFlagged(pushes, .pushes, in: bytes) }

  func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) {
    let isBroadcast = exchanges.records.first?.kind == .broadcast
    addFlagged(exchanges, isBroadcast ? .broadcasts : .channels, in: bytes)
  }

  private func addFlagged(_ pushes: PushRecords, _ kind: ExportedKind, in bytes: RawSpan) {
    for push in pushes.records where !push.fields.flags.isEmpty {
      page.flagged[kind] &+= 1
      var location = RecordLocation(
        pushes.labels, push.offset, push.direction, packet: push.packet, fileOffset: push.fileOffset)
      location.line = push.fields.line
      add(kind, location, push.fields.flags.codes) {
        $0.token = push.fields[.token].map { ShownToken.hex($0, in: bytes) }
        $0.time = push.fields.timestamp.flatMap { UInt32(exactly: $0 / 1000) }
      }
    }
  }

  /// Adds a record of a gateway connection, if it has flags.
  private func add(
    _ kind: ExportedKind, _ location: RecordLocation, _ flags: RecordFlags, _ labels: StreamLabels,
    token: () -> String?
  ) {
    if flags.isEmpty { return }
    recovered.add(kind, 1, flags, labels, location)
    if flags.withoutCarved.isEmpty { return }
    page.flagged[kind] &+= 1
    add(kind, location, flags.codes) { $0.token = token() }
  }

  /// Returns false if the record is not in the sample.
  /// - Parameter complete: sets the rest of the record.
  @discardableResult
  private func add(
    _ kind: ExportedKind, _ location: RecordLocation, _ flags: @autoclosure () -> [String],
    complete: (inout FlaggedRecord) -> Void
  ) -> Bool {
    let position = (location.stream, location.offset)
    guard doubtful.admits(input: inputs, at: position) else { return false }
    var record = FlaggedRecord(kind, at: location, flags: flags())
    complete(&record)
    doubtful.add(record, input: inputs, at: position)
    return true
  }
}

extension RecordFlags {
  /// The flags that make a record doubtful.
  fileprivate var withoutCarved: RecordFlags { subtracting(.carved) }
}
