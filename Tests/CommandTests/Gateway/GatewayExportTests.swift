import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

/// Requests and responses as CSV, JSON and NDJSON (docs/spec/interface.md#export).
@Suite("Requests and responses, exported")
struct GatewayExportTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func csv(_ push: [UInt8], _ options: String...) throws -> [[String]] {
    try directory.write(push, to: "sent")
    let outcome = try directory.apnsift(
      ["export", "sent", "--protocol", "requests", "--from", "raw", "--records", "requests"] + options)
    #expect(outcome.code == 0)
    return Array(parseCSV(outcome.text).dropFirst())
  }

  static let payloads: [String] = [
    "{}", #"{"aps":{"alert":"a, b"}}"#, "{\"a\":\n1}", "{\r\n}", #"{"a":"\"\\,"}"#, "{\"é\":\"\u{1F600}\"}",
    ",", "\"", "\"\"",
    "\n", "a,b\nc\"d\"", "", " ", "'", "\u{0}", "\u{7f}\u{1}\t",
  ]

  @Test("payloads with commas, quotes and line ends come back as they were", arguments: payloads)
  func quoting(_ payload: String) throws {
    let push = Push(0, nil, token: token(1), payload: payload)
    let rows = try csv(push.bytes, "--columns", "payload,payload_length,payload_hex")
    #expect(rows == [[payload, "\(payload.utf8.count)", ""]])
    let outcome = try directory.apnsift(
      "export", "sent", "--protocol", "requests", "--from", "raw", "-t", "ndjson")
    let request = try #require(try Evidence.lines(outcome.text).first { $0["type"] as? String == "request" })
    #expect((request["payload"] as? String).map { Array($0.utf8) } == Array(payload.utf8))
    #expect(request["payload_hex"] is Null)
  }

  static let bad: [[UInt8]] = [
    [0xff], [0x7b, 0x22, 0xe9, 0x22, 0x7d], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
  ]

  @Test("a payload that is not UTF-8 is in payload_hex alone", arguments: bad)
  func notText(_ payload: [UInt8]) throws {
    var push = Push(1, 0xab, token: token(1))
    push.payload = payload
    #expect(
      try csv(push.bytes, "--columns", "payload,payload_length,payload_hex,flags", "--uppercase") == [
        ["", "\(payload.count)", hex(payload), "payload-not-json"]
      ])
    let outcome = try directory.apnsift(
      "export", "sent", "--protocol", "requests", "--from", "raw", "-t", "json")
    let records = try #require(try Evidence.object(outcome.text)["records"] as? [Evidence.Object])
    let request = try #require(records.first { $0["type"] as? String == "request" })
    #expect(request["payload"] is Null && request["payload_hex"] as? String == hex(payload))
  }

  @Test("columns in any order, items joined, tokens in upper case")
  func columns() throws {
    var push = Push(2, 0x0102_0304, token: token(1))
    push.items = [5, 2, 1, 4, 3]
    let columns = [
      "--columns", "items,token,command,identifier,expiry,priority,outcome,outcome_status,length",
      "--uppercase",
    ]
    try directory.write(push.bytes + Push(0, nil, token: token(2)).bytes, to: "sent")
    let outcome = try directory.apnsift(["export", "sent", "--records", "requests"] + columns)
    #expect(
      outcome.lines == [
        columns[1],
        "5;2;1;4;3,\(hex(push.token).uppercased()),2,16909060,1400086400,10,unknown,,\(push.bytes.count)",
        ",\(hex(token(2)).uppercased()),0,,,,unknown,,\(Push(0, nil, token: token(2)).bytes.count)",
      ])
  }

  @Test("of items that are missing or of the wrong size there is nothing")
  func missingItems() throws {
    // Token; priority of two bytes; an item of id 9.
    let items: [UInt8] = [1, 0, 32] + token(1) + [5, 0, 2, 0, 10] + [9, 0, 1, 7]
    let rows = try csv(
      [2] + big(UInt32(items.count)) + items, "--columns",
      "items,identifier,expiry,priority,token,payload,payload_length,flags")
    #expect(rows == [["1;5;9", "", "", "", hex(token(1)), "", "", "malformed-items;unknown-item"]])
  }

  @Test("the hint names what a table of feedback leaves out")
  func hint() throws {
    try directory.write(Push(2, 1, token: token(1)).bytes, to: "sent")
    try directory.write(refusal(8, 1) + refusal(8, 2), to: "received")
    let outcome = try directory.apnsift("export", "--requests", "sent", "--responses", "received")
    #expect(outcome.lines.count == 1 && outcome.code == 0)
    #expect(
      outcome.messages.first == Message.leftOut(requests: 1, responses: 2, findings: 0).text)
    let named = try directory.apnsift(
      "export", "--requests", "sent", "--responses", "received", "--records", "responses")
    #expect(named.messages.count == 1 && named.lines.count == 3)
  }

  /// A capture of three requests, the second of which is refused, as a shell for keys and values.
  private func writeCapture() throws {
    var conversation = Conversation([
      .init(.client, [1, 2, 3].flatMap { Push(2, $0, token: token(Int($0))).bytes }),
      .init(.server, refusal(8, 2)),
    ])
    conversation.server.port = 2195
    try directory.writeCapture(conversation.segments())
  }

  static let requestKeys = [
    "type", "source", "stream", "direction", "offset", "length", "packet", "original_packet", "file_offset",
    "captured_at",
    "command", "identifier", "expiry", "priority", "token_length", "token", "payload_length", "payload",
    "payload_hex",
    "items", "outcome", "outcome_status", "flags",
  ]
  static let responseKeys = [
    "type", "source", "stream", "direction", "offset", "packet", "original_packet", "file_offset",
    "captured_at", "status",
    "status_text", "identifier", "request_offset", "token", "flags",
  ]

  /// The keys of a flat object in the order of the text; values that are texts hold no quote here.
  private func keys(_ line: String) -> [String] {
    line.matches(of: /[{,]"([a-z_]+)":/).map { String($0.1) }
  }

  @Test("every key of the interface, in its order")
  func order() throws {
    try directory.write(Push(2, 1, token: token(1), payload: "7").bytes, to: "sent")
    try directory.write(refusal(77, 5), to: "received")
    let outcome = try directory.apnsift(
      "export", "-t", "ndjson", "--requests", "sent", "--responses", "received")
    #expect(
      keys(try #require(outcome.lines.first { $0.hasPrefix(#"{"type":"request""#) })) == Self.requestKeys)
    #expect(
      keys(try #require(outcome.lines.first { $0.hasPrefix(#"{"type":"response""#) })) == Self.responseKeys)
    for (kind, keys) in [
      ("requests", Self.requestKeys), ("responses", Self.responseKeys), ("resend", Self.requestKeys),
    ] {
      let csv = try directory.apnsift(
        "export", "--requests", "sent", "--responses", "received", "--records", kind)
      #expect(csv.lines.first == keys.dropFirst().joined(separator: ","))
    }
  }

  @Test("packets and times are those that brought the first bytes")
  func evidence() throws {
    try writeCapture()
    let exported = try directory.export("capture.pcap")
    // Packets 1 to 3 are the handshake, 5 acknowledges; 1,234,567 ns from one to the next.
    let request = try #require(exported.objects("request").last)
    #expect(
      request["packet"] as? Int == 4 && request["captured_at"] as? String == "2013-05-01T09:30:00.003703Z")
    // 24 bytes of the file's header; before the payload of packet 4 a record header and 54 bytes, four times, and what
    // the handshake's frames hold besides: 6 bytes of padding each, and an option in two of them (which is part of it).
    let length = Push(2, 1, token: token(1)).bytes.count
    #expect(request["file_offset"] as? Int == 24 + 3 * (16 + 60) + 16 + 54 + 2 * length)
    let response = try #require(exported.objects("response").first)
    #expect(
      response["packet"] as? Int == 6 && response["captured_at"] as? String == "2013-05-01T09:30:00.006172Z")
    #expect(
      response["status_text"] as? String == "invalid token" && response["direction"] as? String == "server")
    #expect(request["direction"] as? String == "client" && request["outcome"] as? String == "discarded")
    let stream = try #require(exported.streams.first)
    #expect(stream["records"] as? Int == 4 && stream["server_bytes"] as? Int == 6)
    #expect(stream["client_bytes"] as? Int == 3 * length)
    let summary = try #require(exported.objects("summary").first)
    #expect(
      summary["requests"] as? Int == 3 && summary["responses"] as? Int == 1
        && summary["feedback"] as? Int == 0)
    #expect(summary["record_bytes"] as? Int == 3 * length + 6 && summary["earliest"] is Null)
  }

  @Test(
    "only what was named", arguments: ["requests", "responses", "resend", "feedback", "streams", "findings"])
  func kinds(_ kind: String) throws {
    try writeCapture()
    let exported = try directory.export("capture.pcap", "--records", kind)
    let types = exported.objects.dropFirst().dropLast().compactMap { $0["type"] as? String }
    let expected = [
      "requests": ["request", "request", "request"], "responses": ["response"], "resend": ["request"],
      "streams": ["stream"],
    ]
    #expect(types == expected[kind, default: []])
    if kind == "resend" { #expect(exported.outcomes == "d") }
  }

  @Test("--to raw writes both directions")
  func raw() throws {
    try writeCapture()
    let outcome = try directory.apnsift("export", "capture.pcap", "-t", "raw", "-o", "streams")
    #expect(outcome.code == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "streams"))
      .filter { !$0.hasSuffix(".json") }.sorted()
    let contents = try files.map { try directory.bytes(of: "streams/\($0)") }
    let sent = [1, 2, 3].flatMap { Push(2, $0, token: token(Int($0))).bytes }
    #expect(Set(contents) == [sent, refusal(8, 2)])
    let client = try #require(zip(files, contents).first { $0.1 == sent }?.0)
    let server = try #require(zip(files, contents).first { $0.1 != sent }?.0)
    let again = try directory.apnsift(
      "export", "--requests", "streams/\(client)", "--responses", "streams/\(server)", "--records",
      "requests", "--columns", "outcome")
    #expect(again.lines == ["outcome", "accepted", "rejected", "discarded"])
  }

  @Test("inspect counts requests and responses")
  func inspected() throws {
    try writeCapture()
    let outcome = try directory.apnsift("inspect", "capture.pcap")
    let counts = Message.recordCounts(feedback: 0, requests: 3, responses: 1)
    #expect(outcome.said(.inspected(inputs: 1, counts)))
    // Of them one each is accepted, rejected and discarded; one response.
    #expect(outcome.lines.contains { figuresOf($0) == ["3", "1", "1", "1", "1"] }, "\(outcome.text)")
    #expect(outcome.text.contains("gateway"))
  }
}
