import APNsWire
import Analysis
import Basics

/// Requests and responses written by hand.
enum GatewayBytes {
  static func big(_ word: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }

  /// Command 1 with the shortest JSON as payload; command 0 where there is no identifier.
  static func request(
    _ identifier: UInt32?, token: [UInt8] = [UInt8](repeating: 0xaa, count: 32), payload: String = "{}"
  ) -> [UInt8] {
    let lengths = [token.count, payload.utf8.count].map { [0, UInt8($0)] }
    let body = lengths[0] + token + lengths[1] + Array(payload.utf8)
    guard let identifier else { return [0] + body }
    return [1] + big(identifier) + big(1_400_000_000) + body
  }

  static func response(_ status: UInt8, _ identifier: UInt32) -> [UInt8] { [8, status] + big(identifier) }
}

/// A sink that keeps requests and responses.
final class GatewayRecording: EvidenceSink {
  struct Request: Equatable {
    var offset: Int
    var bytes: [UInt8]
    var outcome: RequestOutcome
    var status: UInt8?
    var packet: Int?
  }

  private(set) var requests: [Request] = []
  private(set) var responses: [ResponseRecord] = []
  private(set) var findings: [Finding] = []
  /// Those of all evidence, in the order in which it came.
  private(set) var offsets: [Direction: [Int]] = [.client: [], .server: []]
  let needs: EvidenceNeeds

  init(needs: EvidenceNeeds = .gatewayRecords) { self.needs = needs }

  func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    for request in requests.records {
      let body = bytes.extracting(request.range).withUnsafeBytes { Array($0) }
      self.requests.append(
        Request(
          offset: request.offset, bytes: body, outcome: request.outcome, status: request.status,
          packet: request.packet?.number))
      offsets[.client]?.append(request.offset)
    }
  }

  func response(_ response: ResponseRecord) {
    responses.append(response)
    offsets[.server]?.append(response.offset)
  }

  func finding(_ finding: Finding) {
    findings.append(finding)
    if let direction = finding.direction, let offset = finding.offset { offsets[direction]?.append(offset) }
  }
}
