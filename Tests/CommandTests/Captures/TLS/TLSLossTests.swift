import CaptureWriting
import CommandTestSupport
import Testing

/// Captures of TLS with packets that are lost, late or doubled (docs/spec/captures.md#tls).
@Suite("Captures of TLS with faults")
struct TLSLossTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Segments of the server's data: five tuples each.
  private func data(_ flow: TLSFlow, _ segments: [Segment]) -> [Int] {
    segments.dataIndices.filter {
      segments[$0].source == flow.conversation.server && segments[$0].payload.first == 23
        && segments[$0].payload.count > 190
    }.suffix(8)
  }

  @Test("a lost record costs its tuples", arguments: TLSFlow.some)
  func loss(_ flow: TLSFlow) throws {
    let segments = flow.segments
    let data = data(flow, segments)
    // Of a CBC cipher the length of the gap is an upper bound, and later offsets count it.
    let isCBC = ["AES128-SHA256", "AES128-SHA"].contains { flow.name.hasSuffix($0) }
    for lost in data.indices.dropLast() {
      let exported = try directory.exportTLS(flow, segments.dropping([data[lost]]))
      let expected = flow.tuples.enumerated().filter { $0.offset / 5 != lost }.map(\.element)
      let found = try exported.tupleTexts
      #expect(found.map(Self.withoutOffset) == expected.map(Self.withoutOffset), "record \(lost)")
      if !isCBC { #expect(found == expected, "record \(lost)") }
      let gaps = exported.findings("stream-gap")
      #expect(gaps.count == 1)
      guard let gap = gaps.first else { continue }
      #expect(gap["offset"] as? Int == lost * 190)
      let length = try #require(gap["length"] as? Int)
      #expect(isCBC ? length >= 190 : length == 190)
      // Before the first data of TLS 1.3 there may have been tickets.
      let isBound = isCBC || (flow.name.contains("-1.3-") && lost == 0)
      #expect((gap["message"] as? String)?.contains("at most") == isBound)
      #expect(exported.findings("decryption-failed").isEmpty)
    }
  }

  private static func withoutOffset(_ tuple: String) -> Substring { tuple.drop { $0 != " " } }

  @Test("swapped and doubled packets give the same", arguments: TLSFlow.some)
  func order(_ flow: TLSFlow) throws {
    let segments = flow.segments
    for index in segments.dataIndices.dropLast() {
      var swapped = segments
      if let next = segments.dataIndices.first(where: {
        $0 > index && segments[$0].source == segments[index].source
      }) {
        swapped.swapAt(index, next)
      }
      #expect(try directory.exportTLS(flow, swapped).tupleTexts == flow.tuples, "\(index) swapped")
      var doubled = segments
      doubled.insert(segments[index], at: index + 1)
      #expect(try directory.exportTLS(flow, doubled).tupleTexts == flow.tuples, "\(index) doubled")
    }
  }

  @Test("the server's direction alone", arguments: TLSFlow.some)
  func oneDirection(_ flow: TLSFlow) throws {
    let exported = try directory.exportTLS(flow, flow.segments.only(from: flow.conversation.server))
    #expect(try exported.tupleTexts == flow.tuples)
    #expect(exported.findings("decryption-failed").isEmpty)
  }

  @Test("TLS 1.3 from any packet on; TLS 1.2 says what is missing")
  func midstream() throws {
    let flow = TLSFlow("openssl-1.3-AES_128_GCM_SHA256.flow")
    let data = data(flow, flow.segments)
    for (number, index) in data.enumerated() {
      let exported = try directory.exportTLS(flow, Array(flow.segments[index...]))
      let expected = flow.tuples.dropFirst(5 * number).map(Self.withoutOffset)
      #expect(try exported.tupleTexts.map(Self.withoutOffset) == expected)
    }
    let old = TLSFlow.gcm
    let first = try #require(self.data(old, old.segments).first)
    let exported = try directory.exportTLS(old, Array(old.segments[first...]))
    #expect(try exported.tuples == [])
    #expect(exported.findings("decryption-failed").count == 1)
  }

  @Test("within a record", arguments: [3, 40, 100])
  func withinRecord(_ cut: Int) throws {
    let flow = TLSFlow("openssl-1.3-AES_128_GCM_SHA256.flow")
    let segments = flow.segments
    let index = try #require(data(flow, segments).first)
    var rest = Array(segments[index...])
    rest[0].payload.removeFirst(cut)
    rest[0].sequence &+= UInt32(cut)
    let exported = try directory.exportTLS(flow, rest)
    #expect(try exported.tuples.count == 35)
  }

  @Test("a flipped byte costs its record", arguments: TLSFlow.some)
  func flipped(_ flow: TLSFlow) throws {
    var segments = flow.segments
    let data = data(flow, segments)
    segments[data[3]].payload[60] ^= 1
    let exported = try directory.exportTLS(flow, segments)
    let found = try exported.tupleTexts.map(Self.withoutOffset)
    let isChained = flow.name.contains("-1.0-")
    // The IV of the next record is in the damaged one.
    let expected = flow.tuples.enumerated().filter {
      $0.offset / 5 != 3 && !(isChained && $0.offset / 5 == 4)
    }
    #expect(Set(found).isSuperset(of: expected.map { Self.withoutOffset($0.element) }))
    #expect(found.count <= 35)
    #expect(exported.findings("stream-gap").count == 1)
    #expect(exported.findings("decryption-failed").isEmpty)
  }
}
