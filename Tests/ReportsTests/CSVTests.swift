import Analysis
import Basics
import Foundation
import PacketCapture
import Reports
import TestSupport
import Testing

@Suite("CSV")
struct CSVTests {
  /// RFC 4180, section 2, rules 5 to 7.
  private func field(_ value: String) -> String {
    let bytes = Array(value.utf8)
    guard bytes.contains(where: { [0x2c, 0x22, 0x0a, 0x0d].contains($0) }) else { return value }
    return String(decoding: [0x22] + bytes.flatMap { $0 == 0x22 ? [$0, $0] : [$0] } + [0x22], as: UTF8.self)
  }

  private func table(_ rows: [[String: String]], _ columns: [String]) -> String {
    let lines = [columns] + rows.map { row in columns.map { field(row[$0] ?? "") } }
    return lines.map { $0.joined(separator: ",") + "\n" }.joined()
  }

  @Test("rows of random records in random columns equal a slow reference")
  func rows() throws {
    var generator = SeededGenerator(seed: 81)
    let names = ExportedKind.feedback.columnNames.filter { !ColumnEntry.isLocal($0) }
    for _ in 0..<400 {
      let count = generator.pick(1...20)
      let columns = (0..<count).map { _ in generator.pick(names) }
      let letterCase = generator.pick([Hex.LetterCase.lower, .upper])
      let batches = (0..<generator.pick(1...6)).map { _ in Batch.random(&generator) }
      let text = try csv(.feedback, columns, letterCase) { for batch in batches { try $0.batch(batch) } }
      #expect(text == table(batches.flatMap { $0.rows(letterCase) }, columns))
    }
  }

  @Test("each column of each kind has an entry in columns.txt", arguments: ExportedKind.tables)
  func columns(_ kind: ExportedKind) {
    for column in kind.columns { #expect(!column.meaning.isEmpty, "\(column.name)") }
  }

  @Test(
    "tokens of every length up to 130 bytes, and very long ones",
    arguments: [Array(0...130), [40_000, 65_535]])
  func tokenLengths(_ lengths: [Int]) throws {
    var generator = SeededGenerator(seed: 82)
    let columns = ["token", "token", "offset", "time", "token"]
    let batches = lengths.map { length in
      Batch(tokens: (0..<3).map { _ in generator.bytes(length) }, times: [0, 1_400_000_000, .max])
    }
    let text = try csv(.feedback, columns) { for batch in batches { try $0.batch(batch) } }
    let isSame = text == table(batches.flatMap { $0.rows() }, columns)
    #expect(isSame)
  }

  @Test("rows that exceed the buffer are complete")
  func manyRows() throws {
    var generator = SeededGenerator(seed: 83)
    let batch = Batch(
      tokens: (0..<20_000).map { _ in generator.bytes(32) },
      times: (0..<20_000).map { 1_400_000_000 + $0 * 7919 })
    let sink = MemorySink()
    let output = OutputBuffer(sink)
    let columns = ExportedKind.feedback.standard
    let writer = try RecordWriter(.csv, .table(.feedback, columns), output: output)
    try writer.begin(version: "0")
    try writer.batch(batch)
    try output.flush()
    let isSame = sink.text == table(batch.rows(), columns)
    #expect(isSame)
    #expect(sink.chunks.count > 5 && sink.chunks.allSatisfy { $0 > 0 && $0 <= 256 << 10 })
  }

  @Test(
    "fields are quoted if necessary",
    arguments: [
      ("plain", "plain"), ("", ""), ("a b", "a b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
      ("\"", "\"\"\"\""), ("\"\"", "\"\"\"\"\"\""), ("a\nb", "\"a\nb\""), ("a\r\nb", "\"a\r\nb\""),
      ("a\rb", "\"a\rb\""), ("é", "é"), ("a;b", "a;b"),
      // With a combining mark after it, the quote is part of another grapheme.
      ("a\"\u{301}b", "\"a\"\"\u{301}b\""), (",\u{301}", "\",\u{301}\""), ("\"\u{200d}", "\"\"\"\u{200d}\""),
    ])
  func quoting(_ value: String, _ expected: String) {
    #expect(Array(CSVText.field(value).utf8) == Array(expected.utf8))
  }

  @Test("findings")
  func findings() throws {
    let text = try csv(.findings) { writer in
      try writer.finding(
        Finding(
          source: "a,b", stream: 0, direction: .server, offset: 76, length: 20, fileOffset: 152,
          code: .truncatedRecord, message: "cut \"off\""))
      try writer.finding(Finding(source: "x", code: .unrecognisedInput, message: "skipped"))
      try writer.stream(
        StreamSummary(source: "x", number: 0, streamProtocol: .feedback), report: StreamReport(.dump))
    }
    #expect(
      text == """
        source,stream,direction,offset,length,packet,file_offset,code,severity,message
        "a,b",0,server,76,20,,152,truncated-record,error,"cut ""off\"""
        x,,,,,,,unrecognised-input,note,skipped

        """)
  }

  @Test("streams")
  func streams() throws {
    var stream = StreamSummary(source: "x", number: 3, streamProtocol: .encrypted)
    (stream.clientBytes, stream.serverBytes) = (1, 2)
    (stream.clientGapBytes, stream.serverGapBytes) = (3, 4)
    (stream.records, stream.findings) = (5, 6)
    var decrypted = StreamSummary(source: "x", number: 4, streamProtocol: .feedback)
    var encryption = StreamEncryption()
    (encryption.version, encryption.serverSubject) = ("TLS 1.2", "CN=a, C=US")
    (encryption.keyFile, encryption.keyLine) = ("keys.log", 7)
    decrypted.encryption = encryption
    let text = try csv(.streams) { writer in
      try writer.stream(stream, report: StreamReport(.dump))
      try writer.stream(decrypted, report: StreamReport(.dump))
      try writer.finding(Finding(source: "x", code: .skippedBytes, message: ""))
    }
    #expect(
      text == """
        source,stream,protocol,client,server,first_packet,last_packet,started_at,ended_at,client_bytes,server_bytes,\
        client_gap_bytes,server_gap_bytes,records,findings,tls_version,tls_cipher,tls_server_name,tls_protocol,\
        tls_server_subject,tls_client_subject,tls_client_user_id,tls_key_file,tls_key_line
        x,3,encrypted,,,,,,,1,2,3,4,5,6,,,,,,,,,
        x,4,feedback,,,,,,,0,0,0,0,0,0,TLS 1.2,,,,"CN=a, C=US",,,keys.log,7

        """)
  }
}
