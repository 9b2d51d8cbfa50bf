import Basics
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `show`: bytes with the names of their fields. Expected lines are written by hand from docs/spec/protocol.md#the-protocols.
@Suite("Annotated hex dump") struct ShowTests {
  private let directory = TestDirectory()
  private static let token: [UInt8] = Array(0x01...0x20)
  /// 2014-05-13T16:53:20Z, 1,400,000,000 seconds.
  private static let tuple: [UInt8] = [0x53, 0x72, 0x4e, 0x00, 0x00, 0x20] + token

  private static let tupleLines = [
    "          38  53 72 4e 00                                      time          2014-05-13T16:53:20Z, 1400000000 seconds since 1970",
    "          42  00 20                                            token length  32",
    "          44  01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10  token",
    "          60  11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20",
  ]

  private func lines(_ arguments: String...) throws -> [String] {
    try directory.apnsift(["show"] + arguments).exits(0).lines
  }

  @Test(
    "a tuple, by its number or any of its offsets",
    arguments: ["--record 2", "--offset 38", "--offset 75", "--offset 44 --direction server"])
  func tuple(_ options: String) throws {
    try directory.write(Self.tuple + Self.tuple + Self.tuple, to: "dump.bin")
    let found = try directory.apnsift("show dump.bin \(options)".words).exits(0).lines
    #expect(found.contains("stream 0, from the server, offset 38, 38 bytes, file offset 38"))
    #expect(found.suffix(4) == Self.tupleLines)
  }

  @Test("a request of command 2, each item named, payloads readable") func request() throws {
    let payload = Array(#"{"aps":{}}"#.utf8)
    let items: [UInt8] =
      [1, 0, 32] + Self.token + [2, 0, 10] + payload + [3, 0, 4, 0, 0, 0, 7, 5, 0, 1, 10, 9, 0, 1, 0xff]
    try directory.write([2, 0, 0, 0, UInt8(items.count)] + items, to: "sent.bin")
    let found = try lines("sent.bin", "--protocol", "requests", "--record", "1")
    for line in [
      "command       2", "frame length  63", "item          1, token", "payload       {\"aps\":{}}",
      "identifier    7", "priority      10", "item          9, unknown", "data",
    ] { #expect(found.contains { $0.hasSuffix("  \(line)") }, "\(line) in \(found)") }
    #expect(found.contains("flags: unknown-item"))
  }

  @Test("bytes outside records are shown with their findings") func skipped() throws {
    let noise = [UInt8](repeating: 0xff, count: 50)
    try directory.write(Self.tuple + noise + Self.tuple + Self.tuple, to: "dump.bin")
    let found = try lines("dump.bin", "--offset", "38", "--limit", "16")
    #expect(found.contains("no record begins here"))
    #expect(
      found.contains("          38  \(Array(repeating: "ff", count: 16).joined(separator: " "))  bytes"))
    #expect(found.contains { $0.hasPrefix("skipped-bytes at offset 38: 50 bytes skipped") })
  }

  @Test("the largest possible numbers are accepted") func largest() throws {
    try directory.write(Self.tuple + [1, 2, 3], to: "dump.bin")
    try directory.apnsift("show dump.bin --offset \(Int.max)".words)
      .exits(2, saying: "no selected stream has bytes at offset \(Int.max)")
    let found = try lines("dump.bin", "--offset", "38", "--limit", "\(Int.max)")
    #expect(found.contains { $0.contains("  01 02 03 ") }, "\(found)")
  }

  @Test("a field is cut at the limit, with a note") func limit() throws {
    try directory.write(Self.tuple, to: "dump.bin")
    #expect(
      try lines("dump.bin", "--record", "1", "--limit", "16").contains(
        "              … 16 more bytes of token (--limit shows more)"))
  }

  @Test(
    "missing locations and usage errors",
    arguments: Fixtures.rows("locations to show", in: "usage") as [([String], Int32, String)])
  func nothing(_ arguments: [String], _ code: Int32, _ message: String) throws {
    try directory.write(Self.tuple, to: "dump.bin")
    let outcome = try directory.apnsift(["show", "dump.bin"] + arguments)
    #expect(outcome.code == code && outcome.said(.verbatim(message)), "\(outcome.errors)")
    #expect(outcome.text.isEmpty)
  }

  @Test(
    "a push: its fields, by its number, or by the first byte or the packet of its request or response",
    arguments: ["--record 10", "--offset 382 --direction client", "--offset 165 --direction server"])
  func push(_ options: String) throws {
    // Stream 3 in samples/pushes/httpx-clear.truth.ndjson, which the mock wrote.
    let capture = Repository.path(of: "samples/pushes/httpx-clear.pcap")
    let found = Set(try directory.apnsift("show \(capture) \(options)".words).exits(0).lines)
    #expect(
      found.isSuperset(of: [
        "push", "HTTP/2 stream: 3", "topic: com.example.watch", "push type: complication", "status: 413",
        "token: 6e65014b904f9e7af5f19843136fd2bdc7b6607affca45024e6bee4642870503", "reason: PayloadTooLarge",
        "outcome: rejected",
      ]), "\(found)")
  }

  @Test("all records of a token, over all inputs") func token() throws {
    try directory.write(Self.tuple, to: "a.bin")
    try directory.write([UInt8](repeating: 0, count: 38) + Self.tuple, to: "b.bin")
    let found = try directory.apnsift("show a.bin b.bin --from raw --token \(hex(Self.token))".words).lines
    #expect(found.filter { $0.hasSuffix(".bin") } == ["a.bin", "b.bin"])
    #expect(found.filter { $0.hasPrefix("          ") }.suffix(4) == Self.tupleLines[...])
    try directory.apnsift("show a.bin --token 0102".words)
      .exits(2, saying: "no record of this token: the input has 1 record")
  }

  @Test("a store shows the rows of a token, and the replays that changed them") func store() throws {
    try directory.write(Self.tuple + Self.tuple, to: "dump.bin")
    let token = hex(Self.token)
    func run(_ line: String) throws -> Outcome {
      try directory.apnsift("\(line) --store sqlite:t.sqlite".words)
    }
    let missing = try run("show dump.bin --token \(token)").exits(2)
    #expect(!missing.text.contains("time"))
    for line in [
      "store register \(token) --at 2014-01-01T00:00:00Z --create", "replay dump.bin", "store undo 1",
      "replay dump.bin",
    ] { try run(line).exits(0) }
    let shown = try run("show dump.bin --token \(token)").exits(0)
    #expect(shown.text.components(separatedBy: "feedback tuple").count == 3)
    let part = try #require(shown.text.components(separatedBy: "sqlite:t.sqlite\n").last)
    let lines = part.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(3) == [
        token, "  production: invalidated at 2014-05-13T16:53:20Z", "  registered: 2014-01-01T00:00:00Z",
      ])
    #expect(lines.count == 7)
    #expect(
      lines[3].hasPrefix("  replay 1 at ")
        && lines[3].hasSuffix(", production: invalidated, invalidated at 2014-05-13T16:53:20Z; undone by 2"))
    #expect(
      lines[5].hasPrefix("  replay 3 at ")
        && lines[5].hasSuffix(": invalidated, invalidated at 2014-05-13T16:53:20Z"))
    let digest = try directory.digest("dump.bin")
    #expect(lines[6] == "    by dump.bin, stream 0, offset 0, SHA-256 \(digest)")
    try directory.write([], to: "empty.bin")
    let onlyStore = try run("show empty.bin --token \(token)")
      .exits(0, saying: "no record of this token: the input has 0 records")
    #expect(onlyStore.text == "sqlite:t.sqlite\n" + part)
    try run("show empty.bin --token \(String(repeating: "ee", count: 32))").exits(2)
    try run("show dump.bin --record 1")
      .exits(64, saying: "--store, --mapping and --journal are for --token")
  }
}
