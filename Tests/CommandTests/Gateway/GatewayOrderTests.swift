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
    let (client, identifier) = Self.damaged
    var conversation = Conversation([.init(.client, client), .init(.server, refusal(8, identifier))])
    conversation.server.port = 2195
    conversation.segmentSizes = [100]
    try directory.writeCapture(conversation.segments())
    try directory.write(client, to: "sent")
    try directory.write(refusal(8, identifier), to: "received")
    for inputs in [["capture.pcap"], ["--requests", "sent", "--responses", "received"]] {
      let exported = try directory.export(inputs + kind + limit)
      try expectOrder(exported)
      let findings = exported.findings("skipped-bytes").count + exported.findings("truncated-record").count
      #expect(kind == ["--records", "requests"] ? findings == 0 : findings > 8)
      #expect(exported.findings("pending-limit").count == (limit.isEmpty || kind == Self.kinds[2] ? 0 : 1))
      let summary = try #require(exported.objects("summary").first)
      #expect(summary["stream_bytes"] as? Int == client.count + 6)
      let parts = ["record_bytes", "skipped_bytes", "truncated_bytes"].compactMap { summary[$0] as? Int }
      #expect(parts.reduce(0, +) == client.count + 6)
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
    try directory.write(requests(200_000), to: "sent")
    try directory.write(refusal(8, 150_000), to: "received")
    let pair = ["--requests", "sent", "--responses", "received", "-t", "ndjson"]
    let usual = try directory.apnsift(["export"] + pair + ["--memory", "1GiB", "-o", "usual"])
    let little = try directory.apnsift(["export"] + pair + ["--memory", "1MiB", "-o", "little"])
    #expect(usual.code == 0 && little.code == 0)
    // The options, and so the memory, are in the first line.
    let same = try directory.shell("tail -n +2 usual | cksum; tail -n +2 little | cksum")
    #expect(Set(same.lines).count == 1 && same.lines.count == 2)
    let outcomes = try directory.shell(
      #"for o in accepted rejected discarded; do grep -c "\"outcome\":\"$o\"" little; done"#)
    #expect(outcomes.lines == ["150000", "1", "49999"])
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("and the process stays small")
  func peak() throws {
    try directory.write(refusal(8, 150_000), to: "received")
    let words = ["--requests", "-", "--responses", "received", "--records", "resend", "--memory", "1MiB"]
    try directory.expectMemory(below: 100 << 20, of: ["export"] + words) {
      try $0.write(requests(200_000))
    }
  }

  @Test(
    "a directory for temporary files that is missing, or is none, is named",
    arguments: ["/missing", "/dev/full"])
  func noTemporaryFile(_ path: String) throws {
    try directory.write(requests(10_000), to: "sent")
    try directory.write(refusal(8, 1), to: "received")
    let outcome = try directory.apnsift(
      [
        "export", "--requests", "sent", "--responses", "received", "--records", "requests", "--memory",
        "64KiB",
      ],
      environment: ["TMPDIR": path]
    ).exits(2)
    #expect(outcome.errors.contains(path) && outcome.errors.contains("TMPDIR"), "\(outcome.errors)")
  }

  @Test("a temporary file that finds no more room is named, with the remedy")
  func noRoom() throws {
    try directory.write(requests(10_000), to: "sent")
    try directory.write(refusal(8, 1), to: "received")
    let outcome = try directory.shell(
      """
      ulimit -f 200
      "$APNSIFT" export --requests sent --responses received --records requests --memory 64KiB -o out
      """
    ).exits(2)
    #expect(
      outcome.errors.contains(directory.temporaryPath) && outcome.errors.contains("TMPDIR"),
      "\(outcome.errors)")
    #expect(try directory.names == ["received", "sent"] && directory.temporaryNames.isEmpty)
  }

  @Test("500,000 responses on one connection")
  func manyResponses() throws {
    try directory.write(Push(2, 7, token: token(7)).bytes + Push(2, 8, token: token(8)).bytes, to: "sent")
    var responses: [UInt8] = []
    for _ in 0..<250_000 { responses += [8, 8, 0, 0, 0, 7, 8, 8, 0, 0, 0, 9] }
    try directory.write(responses, to: "received")
    let outcome = try directory.shell(
      """
      "$APNSIFT" export --requests sent --responses received --records responses --columns request_offset,flags |
        sort | uniq -c | awk '{print $1, $2}'
      """)
    #expect(
      outcome.lines == [
        "250000 ,after-close;uncorrelated", "1 0,", "249999 0,after-close", "1 request_offset,flags",
      ])
  }

  @Test("10,000 connections with ten requests each, all of which wait")
  func manyConnections() throws {
    let pushes = (0..<10).map { Push(1, UInt32($0), token: token($0)) }
    let sent = pushes.flatMap(\.bytes)
    var packets: [CapturedPacket] = []
    let frames = FrameWriter(.raw)
    for turn in 0..<2 {
      for number in 0..<10_000 {
        let client = Host([10, 0, UInt8(number >> 8), UInt8(number & 255)], port: 50_000)
        let server = Host.v4(20, port: 2195)
        var segment = Segment(
          from: turn == 0 ? client : server, to: turn == 0 ? server : client, sequence: 1001,
          time: UInt64(number))
        segment.flags = [.ack, .psh]
        segment.payload = turn == 0 ? sent : refusal(8, UInt32(number % 10))
        // The answer to a third of them is lost.
        if turn == 0 || number % 3 > 0 { packets += frames.packets([segment]) }
      }
    }
    try directory.write(PcapWriter().file(packets), to: "capture.pcap")
    let outcome = try directory.shell(
      """
      "$APNSIFT" export capture.pcap --memory 1MiB --records requests --columns outcome | sort | uniq -c |
        awk '{print $1, $2}'
      """)
    // Counted by the rule: number % 10 accepted before the one refused, the rest discarded.
    let answered = (0..<10_000).filter { $0 % 3 > 0 }
    let accepted = answered.map { $0 % 10 }.reduce(0, +)
    let discarded = answered.map { 9 - $0 % 10 }.reduce(0, +)
    #expect(
      outcome.lines == [
        "\(accepted) accepted", "\(discarded) discarded", "1 outcome", "\(answered.count) rejected",
        "\(100_000 - answered.count * 10) unknown",
      ])
  }
}
