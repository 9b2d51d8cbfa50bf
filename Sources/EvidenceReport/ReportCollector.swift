import APNsWire
import Analysis
import PacketCapture
import Reports
import WireBytes

/// Collects streams and responses for a report, up to a limit for each.
package final class ReportCollector: EvidenceSink {
  private let maxStreams: Int
  private let maxResponses: Int
  private let names: TokenNames
  /// Inputs so far.
  private var inputs = 0
  /// Every file among the inputs, whatever became of it.
  package private(set) var files: [InputRecord] = []
  private var streams: [(input: Int, stream: StreamSummary)] = []
  package private(set) var streamsLeftOut = 0
  package private(set) var decodedStreams = 0
  package private(set) var gateway = GatewayRows()

  package init(maxStreams: Int, maxResponses: Int, names: TokenNames) {
    self.maxStreams = maxStreams
    self.maxResponses = maxResponses
    self.names = names
  }

  package func inputBegan(_ source: String) { inputs += 1 }

  /// In the order of the inputs, and within an input by number.
  package var sortedStreams: [StreamSummary] {
    streams.sorted { ($0.input, $0.stream.number) < ($1.input, $1.stream.number) }.map(\.stream)
  }

  package var needs: EvidenceNeeds { [.gatewayRecords, .inventory] }

  package func inputEnded(_ input: InputRecord) { files.append(input) }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    for request in requests.records {
      guard !request.range.isEmpty else { continue }
      let command = Int(bytes.byte(at: request.range.lowerBound))
      if gateway.commands.indices.contains(command) { gateway.commands[command] &+= 1 }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    if gateway.responses.count < maxResponses { gateway.responses.append(try row(response)) }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) {
    let isDecoded = stream.streamProtocol != .encrypted && stream.streamProtocol != .other
    if isDecoded { decodedStreams += 1 }
    if streams.count < maxStreams { return streams.append((inputs, stream)) }
    streamsLeftOut += 1
    // A decoded stream replaces one that was not decoded.
    if isDecoded, let index = streams.lastIndex(where: { $0.stream.streamProtocol == .other }) {
      streams.remove(at: index)
      streams.append((inputs, stream))
    }
  }

  private func row(_ response: ResponseRecord) throws -> GatewayRows.Response {
    var row = GatewayRows.Response(
      source: response.labels.source, stream: response.labels.stream, offset: response.offset)
    row.packet = response.packet?.number
    row.capturedAt = response.packet?.time?.text
    // A response that refers to no request may be other bytes, such as those of a token.
    let isShown = names.key == nil || response.request != nil
    row.status = isShown ? response.response.status : nil
    row.identifier = isShown ? response.response.identifier : nil
    row.requestOffset = response.request?.offset
    row.token = try response.request?.token.map { try names.name($0) }
    row.flags = response.flags.codes
    return row
  }
}
