import APNsWire
import Foundation
import TestSupport
import Testing

@Suite("Public feedback streams")
struct VectorTests {
  /// The expected result for each, worked out by hand.
  static let expectations: [String: String] = [
    "feedback-001": "record 0",
    "feedback-003": "record 0, record 38, record 76",
    "feedback-006": "record 0",
    "feedback-007": "record 0 unexpected-token-length",
    "feedback-009": (0..<10).map { "record \($0 * 38)" }.joined(separator: ", "),
    "feedback-011":
      "record 0 implausible-timestamp, record 38 implausible-timestamp, record 76 implausible-timestamp",
    "feedback-063": "record 0, record 38",
    "feedback-064": "record 0, record 38, truncated 76+20",
    "feedback-066": "record 0, record 38 zero-length-token",
    "feedback-067": "record 0 unexpected-token-length, record 11 unexpected-token-length",
    "feedback-069":
      "record 0 implausible-timestamp, record 38 implausible-timestamp, record 76 implausible-timestamp",
    "feedback-070": "record 0, record 38, record 76",
    "feedback-073": "record 0 implausible-timestamp, record 38",
    "feedback-074": "",
  ]

  @Test("every vector has an expectation")
  func coverage() {
    #expect(Vector.tuples.count >= 14)
    #expect(Set(Vector.tuples.map(\.id)) == Set(Self.expectations.keys))
  }

  @Test("whole, byte by byte, and in the chunks that its source delivers", arguments: Vector.tuples)
  func alone(_ vector: Vector) throws {
    for sizes in [[vector.bytes.count + 1], [1], vector.chunks ?? [64]] {
      var index = 0
      let decoding = IncrementalDecoding(vector.bytes, rules: .standard) {
        defer { index += 1 }
        return sizes[index % sizes.count]
      }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence.text == Self.expectations[vector.id])
      #expect(
        Self.tuples(decoding.evidence) == (vector.expected.tuples ?? []).map { "\($0.timestamp) \($0.token)" }
      )
    }
  }

  @Test("joined with every other, with the seam anywhere in a chunk", arguments: Vector.tuples)
  func joined(_ vector: Vector) throws {
    let first = Self.whole(vector.bytes)
    for other in Vector.tuples {
      let bytes = vector.bytes + other.bytes
      let whole = Self.whole(bytes)
      for size in [1, max(1, vector.bytes.count), 37, 64] {
        let decoding = IncrementalDecoding(bytes, rules: .standard) { size }
        #expect(decoding.breach == nil)
        #expect(decoding.evidence == whole, "with \(other.id) in chunks of \(size)")
      }
      // Valid tuples of a normal length do not affect whole tuples before or after them.
      let isWhole = !first.contains { if case .truncated = $0 { true } else { false } }
      if isWhole, other.hex.dropFirst(8).hasPrefix("0020") {
        let second = Self.whole(other.bytes).map { $0.moved(by: vector.bytes.count) }
        #expect(whole == first + second, "with \(other.id)")
      }
    }
  }

  @Test("a TLS record is ciphertext")
  func ciphertext() throws {
    let vector = try #require(Vector.all.first { $0.id == Vector.ciphertext })
    #expect(Ciphertext.begins(vector.bytes))
    #expect(!Vector.tuples.contains { Ciphertext.begins($0.bytes) })
  }

  private static func whole(_ bytes: [UInt8]) -> [Evidence] {
    IncrementalDecoding(bytes, rules: .standard) { .max / 2 }.evidence
  }

  private static func tuples(_ evidence: [Evidence]) -> [String] {
    evidence.compactMap {
      guard case .record(_, let time, let token, _) = $0 else { return nil }
      return "\(time) \(token.map { String(format: "%02x", $0) }.joined())"
    }
  }
}
