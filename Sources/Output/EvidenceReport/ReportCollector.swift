import APNsWire
import Analysis
import Basics
import PacketCapture
import Reports

/// Collects files, and up to a limit streams and responses.
final class ReportCollector: EvidenceSink {
  private let limits: ReportLimits
  /// Inputs so far.
  private var inputs = 0
  /// Every file among the inputs, whatever became of it.
  private(set) var files: [InputRecord] = []
  private var streams: [(input: Int, stream: StreamSummary)] = []
  private(set) var streamsLeftOut = 0
  private(set) var decodedStreams = 0
  private(set) var gateway = GatewayRows()

  init(_ limits: ReportLimits) { self.limits = limits }

  func inputBegan(_ source: String) { inputs += 1 }

  /// In the order of the inputs, and within an input by number.
  var sortedStreams: [StreamSummary] {
    streams.sorted { ($0.input, $0.stream.number) < ($1.input, $1.stream.number) }.map(\.stream)
  }

  var needs: EvidenceNeeds { [.gatewayRecords, .inventory] }

  func inputEnded(_ input: InputRecord) { files.append(input) }

  func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    for request in requests.records where !request.range.isEmpty {
      let command = Int(bytes.byte(at: request.range.lowerBound))
      if gateway.commands.indices.contains(command) { gateway.commands[command] &+= 1 }
    }
  }

  func response(_ response: ResponseRecord) {
    guard gateway.responses.count < limits.responses else { return }
    var row = GatewayRows.Response(
      at: RecordLocation(response.labels, response.offset, packet: response.packet))
    row.capturedAt = response.packet?.time?.text
    (row.status, row.identifier) = (response.response.status, response.response.identifier)
    row.requestOffset = response.request?.offset
    row.token = response.request?.token.map(ShownToken.hex)
    row.flags = response.flags.codes
    gateway.responses.append(row)
  }

  func stream(_ stream: StreamSummary, report: StreamReport) {
    let isDecoded = stream.streamProtocol != .encrypted && stream.streamProtocol != .other
    if isDecoded { decodedStreams += 1 }
    if streams.count < limits.streams { return streams.append((inputs, stream)) }
    streamsLeftOut += 1
    // A decoded stream replaces one that was not decoded.
    if isDecoded, let index = streams.lastIndex(where: { $0.stream.streamProtocol == .other }) {
      streams.remove(at: index)
      streams.append((inputs, stream))
    }
  }
}
