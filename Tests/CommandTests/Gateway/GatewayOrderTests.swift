import CaptureWriting
import CommandTestSupport
import Testing

/// Within one direction of one stream records and findings come in order of offset (docs/spec/interface.md#order-of-records).
@Suite("The order of records of a gateway connection")
struct GatewayOrderTests {
  private func expectOrder(_ exported: Exported) throws {
    var last: [String: Int] = [:]
    for object in exported.objects where object["type"] as? String != "stream" {
      guard let direction = object["direction"] as? String, let offset = object["offset"] as? Int else {
        continue
      }
      let key = "\(object["stream"] ?? "") \(direction)"
      #expect(last[key, default: 0] <= offset, "\(object)")
      last[key] = offset
    }
  }

  /// A client's stream with damage at its beginning, in the middle and at the end.
  private static var damaged: (client: [UInt8], identifier: UInt32) {
    let pushes = (0..<60).map { Push(UInt8($0 % 3), UInt32(0x100 + $0), token: token($0)) }
    var bytes: [UInt8] = [0xff, 0xfe]
    for (number, push) in pushes.enumerated() {
      bytes += number % 7 == 3 ? Array(push.bytes.dropLast(9)) : push.bytes
      if number % 11 == 5 { bytes += [9, 9, 9] }
    }
    return (bytes + pushes[1].bytes.prefix(20), 0x100 + 37)
  }

  static let kinds: [[String]] = [[], ["--records", "findings"], ["--records", "requests"]]

  @Test(
    "findings wait after requests for the response at the end", arguments: kinds,
    [[], ["--max-pending", "3"]])
  func damagedStream(_ kind: [String], _ limit: [String]) throws {
    let directory = TestDirectory()
    let (client, response) = (Self.damaged.client, refusal(8, Self.damaged.identifier))
    var conversation = Conversation(gateway: [.init(.client, client), .init(.server, response)])
    conversation.segmentSizes = [100]
    try directory.writeCapture(conversation.segments())
    try directory.writePair(client, response)
    for inputs in [["capture.pcap"], pair] {
      let exported = try directory.export(inputs + kind + limit)
      try expectOrder(exported)
      let findings = exported.findings("skipped-bytes").count + exported.findings("truncated-record").count
      #expect(kind == ["--records", "requests"] ? findings == 0 : findings > 8)
      #expect(exported.findings("pending-limit").count == (limit.isEmpty || kind == Self.kinds[2] ? 0 : 1))
      #expect(exported.summary["stream_bytes"] as? Int == client.count + 6)
      let parts = ["record_bytes", "skipped_bytes", "truncated_bytes"]
      #expect(parts.reduce(0) { $0 + (exported.summary[$1] as? Int ?? 0) } == client.count + 6)
    }
  }
}

/// What waits for its outcome goes through a temporary file where it is too much.
@Suite("Gateway connections that are large or many", .serialized)
struct GatewayMemoryTests {
  private let directory = TestDirectory()

  /// `count` requests of 300 bytes with command 1, numbered in their identifiers.
  private func requests(_ count: Int) -> [UInt8] {
    let text = #"{"aps":{"alert":""# + String(repeating: "x", count: 300 - 45 - 21) + #""}}"#
    let push = Push(1, 0, token: token(1), payload: text).bytes
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * push.count)
    for number in 0..<count {
      bytes += push[..<1] + big(UInt32(number))
      bytes += push[5...]
    }
    return bytes
  }

  @Test("200,000 requests of 300 bytes: --memory 1MiB gives the bytes of the default")
  func littleMemory() throws {
    try directory.writePair(requests(200_000), refusal(8, 150_000))
    for memory in ["1GiB", "1MiB"] {
      try directory.apnsift("export -t ndjson --memory \(memory) -o \(memory)".words + pair).exits(0)
    }
    // The options, and so the memory, are in the first line.
    let same = try directory.shell("tail -n +2 1GiB | cksum; tail -n +2 1MiB | cksum")
    #expect(Set(same.lines).count == 1 && same.lines.count == 2)
    let outcomes = try directory.shell(
      #"for o in accepted rejected discarded; do grep -c "\"outcome\":\"$o\"" 1MiB; done"#)
    #expect(outcomes.lines == ["150000", "1", "49999"])
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("and the process stays small")
  func peak() throws {
    try directory.write(refusal(8, 150_000), to: "received")
    let words = "export --requests - --responses received --records resend --memory 1MiB".words
    try directory.expectMemory(below: 100 << 20, of: words) { try $0.write(requests(200_000)) }
  }

  @Test(
    "a directory for temporary files that is missing, or is none, is named",
    arguments: ["/missing", "/dev/full"])
  func noTemporaryFile(_ path: String) throws {
    try directory.writePair(requests(10_000), refusal(8, 1))
    let outcome = try directory.apnsift(
      "export --records requests --memory 64KiB".words + pair, environment: ["TMPDIR": path]
    ).exits(2)
    #expect(outcome.errors.contains(path) && outcome.errors.contains("TMPDIR"), "\(outcome.errors)")
  }

  @Test("a temporary file that finds no more room is named, with the remedy")
  func noRoom() throws {
    try directory.writePair(requests(10_000), refusal(8, 1))
    let export = "\"$APNSIFT\" export --requests sent --responses received --records requests"
    let outcome = try directory.shell("ulimit -f 200; \(export) --memory 64KiB -o out").exits(2)
    #expect(
      outcome.errors.contains(directory.temporaryPath) && outcome.errors.contains("TMPDIR"),
      "\(outcome.errors)")
    #expect(try directory.names == ["received", "sent"] && directory.temporaryNames.isEmpty)
  }

  @Test("500,000 responses on one connection")
  func manyResponses() throws {
    let responses = repeatElement([8, 8, 0, 0, 0, 7, 8, 8, 0, 0, 0, 9] as [UInt8], count: 250_000)
    try directory.writePair(
      Push(2, 7, token: token(7)).bytes + Push(2, 8, token: token(8)).bytes, responses.flatMap { $0 })
    #expect(
      try tally("--requests sent --responses received --records responses --columns request_offset,flags")
        == ["250000 ,after-close;uncorrelated", "1 0,", "249999 0,after-close", "1 request_offset,flags"])
  }

  /// The different lines of an export, with their counts.
  private func tally(_ line: String) throws -> [String] {
    try directory.shell("\"$APNSIFT\" export \(line) | sort | uniq -c | awk '{print $1, $2}'").lines
  }

  @Test("10,000 connections with ten requests each, all of which wait")
  func manyConnections() throws {
    let sent = (0..<10).flatMap { Push(1, UInt32($0), token: token($0)).bytes }
    var segments: [Segment] = []
    for isAnswer in [false, true] {
      // The answer to a third of them is lost.
      for number in 0..<10_000 where !isAnswer || number % 3 > 0 {
        let client = Host([10, 0, UInt8(number >> 8), UInt8(number & 255)], port: 50_000)
        let server = Host.v4(20, port: 2195)
        var segment = Segment(
          from: isAnswer ? server : client, to: isAnswer ? client : server, sequence: 1001,
          time: UInt64(number))
        segment.flags = [.ack, .psh]
        segment.payload = isAnswer ? refusal(8, UInt32(number % 10)) : sent
        segments.append(segment)
      }
    }
    try directory.write(PcapWriter().file(FrameWriter(.raw).packets(segments)), to: "capture.pcap")
    // Counted by the rule: number % 10 accepted before the one refused, the rest discarded.
    let answered = (0..<10_000).filter { $0 % 3 > 0 }
    let accepted = answered.map { $0 % 10 }.reduce(0, +)
    let discarded = answered.map { 9 - $0 % 10 }.reduce(0, +)
    #expect(
      try tally("capture.pcap --memory 1MiB --records requests --columns outcome") == [
        "\(accepted) accepted", "\(discarded) discarded", "1 outcome", "\(answered.count) rejected",
        "\(100_000 - answered.count * 10) unknown",
      ])
  }
}
