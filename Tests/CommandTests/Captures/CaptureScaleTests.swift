import CommandTestSupport
import Testing

/// Captures that were made to be dear cost no more than their size (docs/spec/captures.md#limits); the files are those
/// of Benchmarks/make-capture.
@Suite("Captures that were made to be dear", .serialized)
struct CaptureScaleTests {
  private let directory = TestDirectory()

  /// What the process takes with nothing to hold back.
  private static let ground = 64 << 20
  /// `--total-buffer` where nothing else is said.
  private static let totalBuffer = 64 << 20

  /// The directions of `out`, and the bytes of the server.
  private func streams() throws -> (entry: Evidence.Object, bytes: [UInt8]) {
    let entries = try Evidence.objects(try directory.text(of: "out/streams.json"))
    return (try #require(entries.first), try directory.bytes(of: "out/stream-0-b.raw"))
  }
  @Test(
    "100,000 holes of one byte in one stream, in any order", arguments: ["ascending", "descending", "random"])
  func holes(_ order: String) throws {
    try directory.makeCapture(order, 100_000)
    let (outcome, peak) = try directory.measured(
      "export", "-t", "raw", "-o", "out", "--reorder-window", "200000", "large.pcap")
    outcome.exits(0)
    #expect(peak < Self.ground + Self.totalBuffer, "\(peak) bytes")
    let (entry, bytes) = try streams()
    #expect(bytes == [UInt8](repeating: 0x55, count: 100_001))
    #expect(entry["gaps"] as? [[Int]] == (0..<100_000).map { [2 * $0 + 1, 1] })
    #expect(entry["duplicate_bytes"] as? Int == 0)
  }

  @Test("half a million connections that never opened")
  func halfOpen() throws {
    let (count, remembered) = (500_000, 300_000)
    try directory.makeCapture("half-open", count)
    let (outcome, peak) = try directory.measured(
      "export", "--records", "findings", "--max-connections", "\(remembered)", "large.pcap")
    #expect(outcome.code == 0 && outcome.lines.count == 2)
    let dropped = "dropped \(count - remembered) idle connections without data"
    #expect(outcome.text.contains(dropped), "\(outcome.text)")
    // Each takes up to 2 KiB.
    #expect(peak < Self.ground + remembered << 11, "\(peak) bytes")
  }

  @Test("200,000 streams of one byte far after their beginnings")
  func farBytes() throws {
    let count = 200_000
    try directory.makeCapture("far-byte", count)
    let (outcome, peak) = try directory.measured(
      "export", "--records", "streams", "-o", "streams.csv", "large.pcap")
    #expect(outcome.code == 0)
    // Each takes up to 2 KiB.
    #expect(peak < Self.ground + Self.totalBuffer + count << 11, "\(peak) bytes")
    // server_bytes and server_gap_bytes of each stream.
    let tally = try directory.shell("cut -d, -f11,13 streams.csv | sort | uniq -c")
    #expect(
      tally.lines.map { $0.split(separator: " ").joined(separator: " ") }.sorted()
        == ["1 server_bytes,server_gap_bytes", "\(count) 1,1000000"])
  }

  @Test("a stream of 6 GiB of which a few bytes are there")
  func longStream() throws {
    try directory.makeCapture("long", 6)
    let (outcome, peak) = try directory.measured("export", "-t", "raw", "-o", "out", "large.pcap")
    #expect(outcome.code == 0)
    #expect(peak < Self.ground, "\(peak) bytes")
    let (entry, bytes) = try streams()
    #expect(entry["bytes"] as? Int == 7 * 38)
    #expect(entry["gaps"] as? [[Int]] == (0..<6).map { [$0 << 30 + 38, 1 << 30 - 38] })
    #expect(stride(from: 6, to: bytes.count, by: 38).map { bytes[$0] } == [1, 2, 3, 4, 5, 6, 7])
  }
}
