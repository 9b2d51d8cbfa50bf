import APNsWire
import Foundation
import TestSupport
import Testing

@Suite("Public gateway streams")
struct GatewayVectorTests {
  /// The flags of each request, worked out by hand. Requests with tokens of 32 bytes and JSON have none.
  static let requests: [String: String] = [
    "cmd0-041": "request 0+75",
    // Eight bytes of the token are missing, so the payload's text is read as its length: 3a7b, 14,971 bytes.
    "cmd0-043": "undecodable 0, skipped 0+67",
    "cmd0-044": "request 0+22 unexpected-token-length",
    "cmd1-046": "request 0+142",
    "cmd1-048": "request 0+105",
    "cmd2-049": "request 0+121",
    "cmd2-050": "request 0+121",
    "cmd2-051": "request 0+71",
    "cmd2-053": "request 0+277",
    "cmd2-055": "request 0+270",
    "cmd2-057": "request 0+273",
    "cmd2-058": "request 0+99 unexpected-token-length",
    "cmd2-060": "request 0+69",
    "cmd2-062": "request 0+29 payload-not-json zero-length-token",
  ]

  @Test("every vector is used")
  func coverage() {
    #expect(Set(Vector.requests.map(\.id)) == Set(Self.requests.keys))
    #expect(Vector.responses.count >= 23)
    #expect(Vector.tuples.count + 1 + Vector.requests.count + Vector.responses.count == Vector.all.count)
  }

  @Test("a request, whole and in chunks", arguments: Vector.requests)
  func request(_ vector: Vector) throws {
    let bytes = vector.bytes
    for size in [bytes.count + 1, 1, 2, 3, 7, 37] {
      let decoding = WatchedDecoding(requests: bytes) { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence.text == Self.requests[vector.id])
      guard vector.expected.error == nil else { continue }
      guard case .request(_, _, let content, _) = try #require(decoding.evidence.first) else { return }
      expect(content, toSay: vector.expected, command: Int(vector.kind.suffix(1)))
    }
  }

  private func expect(_ content: RequestContent, toSay expected: Vector.Expected, command: Int?) {
    #expect(content.command == command)
    #expect(content.token.map(hex) == expected.token)
    #expect(content.payload.map { String(decoding: $0, as: UTF8.self) } == expected.payload)
    #expect(content.identifier == expected.identifier)
    #expect(content.expiry == expected.expiry ?? expected.expiration)
    #expect(content.priority == expected.priority)
    #expect(content.items?.map(\.id) == expected.items?.map(\.id))
    #expect(content.items?.map { hex($0.data) } == expected.items?.map(\.data))
  }

  @Test("a request that is read and written again", arguments: Vector.requests)
  func readAndWritten(_ vector: Vector) throws {
    guard vector.expected.error == nil else { return }
    let bytes = vector.bytes
    let request = GatewayRequest(0..<bytes.count, in: bytes.span.bytes)
    var again: [UInt8] = []
    #expect(RequestEncoder.append(try #require(request), to: &again))
    #expect(again == bytes)
  }

  /// Each vector begins with a known extent, so it does not affect the request before it. The undecodable vector,
  /// which would, is excluded.
  @Test("requests joined with every other, with the seam anywhere in a chunk")
  func joinedRequests() {
    let whole = Vector.requests.filter { $0.expected.error == nil }
    for first in whole {
      for second in whole {
        let bytes = first.bytes + second.bytes
        let expected =
          WatchedDecoding(requests: first.bytes) { .max / 2 }.evidence
          + WatchedDecoding(requests: second.bytes) { .max / 2 }.evidence.map {
            $0.moved(by: first.bytes.count)
          }
        for size in [1, first.bytes.count, 37, bytes.count + 1] {
          let decoding = WatchedDecoding(requests: bytes) { size }
          #expect(decoding.breach == nil)
          #expect(decoding.evidence == expected, "\(first.id), \(second.id) in chunks of \(size)")
        }
      }
    }
  }

  @Test("a response, whole and in chunks", arguments: Vector.responses)
  func response(_ vector: Vector) throws {
    let bytes = vector.bytes
    let expected = vector.expected
    var evidence: [GatewayEvidence] = []
    if let status = expected.status, let identifier = expected.identifier, let command = expected.command {
      evidence =
        expected.validCommand == true
        ? [.response(offset: 0, status: status, identifier: identifier, flags: [])]
        : [.undecodable(offset: 0, command: command), .skipped(offset: 0, length: 6)]
      let text = try #require(ErrorStatus(rawValue: UInt8(status))).text
      // The vectors have capital letters, as in Apple's table.
      #expect(text.first?.uppercased().appending(text.dropFirst()) == expected.statusText)
    } else {
      #expect(expected.error == "truncated" && bytes.isEmpty)
    }
    for size in [bytes.count + 1, 1, 2, 5] {
      let decoding = WatchedDecoding(responses: bytes) { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence == evidence)
    }
  }

  @Test("all responses with the right command, one after another")
  func joinedResponses() {
    let valid = Vector.responses.filter { $0.expected.validCommand == true }
    let bytes = valid.flatMap(\.bytes)
    let expected = valid.enumerated().map { index, vector in
      GatewayEvidence.response(
        offset: 6 * index, status: vector.expected.status ?? -1, identifier: vector.expected.identifier ?? -1,
        flags: [])
    }
    for size in 1...bytes.count {
      #expect(WatchedDecoding(responses: bytes) { size }.evidence == expected)
    }
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}
