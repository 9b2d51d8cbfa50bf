import APNsWire
import Analysis
import Basics
import Foundation
import PacketCapture
import Reports
import StreamInputs
import TestSupport
import Testing

@Suite("JSON and NDJSON")
struct JSONTests {
  private func parse(_ text: some StringProtocol) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  private static let finding = Finding(source: "x", code: .skippedBytes, message: "why")

  @Test(
    "documents with any number of objects are valid JSON", arguments: 0...4, DocumentFormat.allCases)
  func documents(_ count: Int, _ format: DocumentFormat) throws {
    let batch = Batch(tokens: [[1], [2], [3]], times: [1, 2, 3])
    let stream = StreamSummary(source: "x", number: 0, streamProtocol: .feedback)
    let text = try document(format) { writer in
      if count > 0 { try writer.finding(Self.finding) }
      if count > 1 { try writer.batch(batch) }
      if count > 2 { try writer.stream(stream, report: StreamReport(.dump)) }
      if count > 3 { try writer.batch(batch) }
    }
    let feedback = ["feedback", "feedback", "feedback"]
    let expected = [["finding"], feedback, ["stream"], feedback].prefix(count).flatMap(\.self)
    #expect(try types(text, format) == expected)
  }

  /// The types of the objects between the first and the last line of the document.
  private func types(_ text: String, _ format: DocumentFormat) throws -> [String] {
    if format == .json {
      let document = try parse(text)
      #expect(document["schema"] as? String == "apnsift/1" && document["version"] as? String == "1.2")
      #expect((document["options"] as? [String: String]) == ["from": "auto"])
      #expect(document["summary"] is [String: Any])
      let records = try #require(document["records"] as? [[String: Any]])
      return records.compactMap { $0["type"] as? String }
    }
    let types = try text.split(separator: "\n").compactMap { try parse($0)["type"] as? String }
    #expect(types.first == "header" && types.last == "summary" && text.hasSuffix("}\n"))
    return Array(types.dropFirst().dropLast())
  }

  @Test("a document may begin with records: the first has no comma", arguments: 1...3)
  func recordsFirst(_ count: Int) throws {
    let batch = Batch(tokens: (0..<count).map { [UInt8($0)] }, times: (0..<count).map { UInt32($0) })
    let text = try document(.json) { try $0.batch(batch) }
    let records = try #require(try parse(text)["records"] as? [[String: Any]])
    #expect(records.map { $0["token"] as? String } == (0..<count).map { Hex.string([UInt8($0)]) })
  }

  @Test("records have all columns, with the values of a slow reference")
  func records() throws {
    var generator = SeededGenerator(seed: 91)
    for _ in 0..<150 {
      let letterCase = generator.pick([Hex.LetterCase.lower, .upper])
      let batches = (0..<generator.pick(1...4)).map { _ in Batch.random(&generator) }
      let text = try document(.ndjson, .all, letterCase) { for batch in batches { try $0.batch(batch) } }
      let lines = text.split(separator: "\n").dropFirst().dropLast()
      let rows = batches.flatMap { $0.rows(letterCase) }
      #expect(lines.count == rows.count)
      for (line, row) in zip(lines, rows) { try expect(line, row) }
    }
  }

  private func expect(_ line: Substring, _ row: [String: String]) throws {
    let object = try parse(line)
    // Those of carving are in carved records only.
    let carving = ["form", "chain", "chain_length", "confidence", "fs_path", "fs_inode", "fs_state"]
    let columns = Set(ExportedKind.feedback.names(hasLocalTimes: false)).subtracting(carving)
    #expect(Set(object.keys) == columns.union(["type"]))
    for column in columns {
      let value = object[column]
      switch column {
      case "stream", "offset", "file_offset", "timestamp", "token_length":
        #expect((value as? NSNumber)?.stringValue == row[column])
      case "source", "direction", "time", "token": #expect(value as? String == row[column])
      case "flags": #expect((value as? [String])?.joined(separator: ";") == row[column])
      default: #expect(value is NSNull)
      }
    }
  }

  @Test("the order of keys is fixed")
  func keyOrder() throws {
    let batch = Batch(tokens: [[0xab]], times: [1_367_400_600], offset: 5, flags: .unexpectedTokenLength)
    let text = try document(.ndjson) { try $0.batch(batch) }
    #expect(
      text.split(separator: "\n")[1] == """
        {"type":"feedback","source":"dump.bin","stream":0,"direction":"server","client":null,"server":null,\
        "offset":5,"packet":null,"original_packet":null,"file_offset":5,"captured_at":null,\
        "timestamp":1367400600,"time":"2013-05-01T09:30:00Z","token_length":1,"token":"ab",\
        "flags":["unexpected-token-length"]}
        """)
  }

  @Test("carved records have members of their own")
  func carved() throws {
    let batch = Batch(tokens: [[0xab]], times: [1_367_400_600], offset: 0, flags: .carved)
    var records = batch.records
    records.labels = StreamLabels(
      source: "disk.img", stream: 7, carving: Carving(.quotedPrintable, chain: 3, chainLength: 2),
      file: FileOwner(path: "/a", inode: 12, .slack, 0..<1))
    let lines = try document(.ndjson) { writer in
      try writer.records(records, in: batch.bytes.span.bytes)
      try writer.batch(batch)
    }.split(separator: "\n")
    #expect(
      lines[1].hasSuffix(
        #""form":"quoted-printable","chain":3,"chain_length":2,"confidence":"likely","#
          + #""fs_path":"/a","fs_inode":12,"fs_state":"slack"}"#))
    #expect(lines[2].hasSuffix(#""flags":["carved"]}"#))
  }

  @Test("strings with every ASCII character and others survive a round trip")
  func escaping() throws {
    let ascii = String(String.UnicodeScalarView((0...0x7f).compactMap { Unicode.Scalar(UInt32($0)) }))
    for value in [ascii, "é\"\u{301}\\", "\u{2028}\u{2029}", "😀", "\u{fffd}", "", "\r\n", "</script>"] {
      let quoted = JSONValue.quoted(value)
      let parsed = try JSONSerialization.jsonObject(with: Data("[\(quoted)]".utf8)) as? [String]
      #expect(parsed?.first.map { Array($0.utf8) } == Array(value.utf8))
      #expect(!quoted.utf8.contains { $0 < 0x20 })
    }
  }

  @Test("a finding about an input has nulls, and so has a summary of nothing")
  func nulls() throws {
    let lines = try document(.ndjson) { try $0.finding(Self.finding) }.split(separator: "\n")
    let finding = try parse(lines[1])
    for key in ["stream", "direction", "offset", "length", "packet", "file_offset"] {
      #expect(finding[key] is NSNull)
    }
    #expect(finding["severity"] as? String == "error")
    let summary = try parse(lines[2])
    #expect(summary["earliest"] is NSNull && summary["distinct_tokens"] is NSNull)
  }
}
