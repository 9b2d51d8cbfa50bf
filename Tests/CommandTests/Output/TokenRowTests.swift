import CommandTestSupport
import TestSupport
import Testing

/// `export --records tokens`: a row for each token, with what all records say of it (docs/spec/interface.md#tokens).
@Suite("Tokens as rows")
struct TokenRowTests {
  private let directory = TestDirectory()

  /// Lines of a log: a status, Apple's time in milliseconds, a topic.
  private func push(_ number: Int, _ status: Int, _ timestamp: Int? = nil, topic: String? = nil) -> String {
    let members = [
      timestamp.map { #","reason":"Unregistered","timestamp":\#($0)"# }, topic.map { #","topic":"\#($0)""# },
    ]
    return #"{"token":"\#(hex(token(number)))","status":\#(status)\#(members.compactMap { $0 }.joined())}"#
      + "\n"
  }

  @Test("one row has the counts of all inputs, and the latest sound time")
  func counts() throws {
    let log = [
      push(1, 200, topic: "com.example.app"), push(1, 200, topic: "com.example.app.voip"), push(1, 400),
      push(1, 410, 1_600_000_000_123, topic: "com.example.app"), push(2, 200), push(3, 410, 1_000),
    ]
    try directory.write(log.joined(), to: "pushes.ndjson")
    try directory.write(
      Tuples.of(token(1), time: 1_400_000_000) + Tuples.of(token(4), time: 1_500_000_000)
        + Tuples.of(token(4), time: 1_450_000_000), to: "dump.bin")
    let rows = try directory.apnsift("export", "--records", "tokens", "dump.bin", "pushes.ndjson").exits(0)
    let names =
      "token,kind,topics,environment,first_seen,last_seen,sends,accepted,rejected,invalidated,unknown,"
      + "invalidated_at,source,stream,offset,file_offset,packet,doubtful,recovered,inputs,sends_after_410"
    let offset = log.prefix(3).joined().utf8.count
    let late = log.prefix(5).joined().utf8.count
    let expected = [
      "\(hex(token(1))),,com.example.app;com.example.app.voip,,2014-05-13T16:53:20Z,2020-09-13T12:26:40.123Z,"
        + "4,2,1,2,0,2020-09-13T12:26:40.123Z,pushes.ndjson,0,\(offset),\(offset),,0,0,2,0",
      "\(hex(token(2))),,,,,,1,1,0,0,0,,pushes.ndjson,0,\(late - log[4].utf8.count),\(late - log[4].utf8.count),,0,0,1,0",
      "\(hex(token(3))),,,,,,1,0,0,1,0,,pushes.ndjson,0,\(late),\(late),,1,0,1,0",
      "\(hex(token(4))),,,,2015-12-13T09:46:40Z,2017-07-14T02:40:00Z,0,0,0,2,0,2017-07-14T02:40:00Z,dump.bin,0,38,38,,0,0,1,0",
    ]
    #expect(rows.lines.first == names)
    #expect(rows.lines.dropFirst().sorted() == expected.sorted(), "\(rows.text)")
    #expect(rows.errors.contains("exported 4 tokens of 2 inputs"), "\(rows.errors)")
  }

  @Test("rows are those of records, counted by a second program", arguments: ["1MiB", "1GiB"])
  func sums(memory: String) throws {
    let words =
      ["--memory", memory] + ["captures", "pushes", "corpus"].map { Repository.path(of: "samples/\($0)") }
    var counts: [String: [String: Int]] = [:]
    for record in try directory.export(words).objects where record["type"] as? String != "response" {
      guard let token = record["token"] as? String, !token.isEmpty else { continue }
      let isSend = record["type"] as? String != "feedback"
      if isSend { counts[token, default: [:]]["sends", default: 0] += 1 }
      let outcome = isSend ? record["outcome"] as? String ?? "" : "invalidated"
      counts[token, default: [:]][outcome, default: 0] += 1
    }
    let rows = try directory.export(["--records", "tokens"] + words).objects("token")
    #expect(rows.count == counts.count && rows.count > 1000)
    for row in rows {
      let token = row["token"] as? String ?? ""
      for name in ["sends", "accepted", "rejected", "invalidated", "unknown"] {
        #expect(row[name] as? Int == counts[token]?[name] ?? 0, "\(name) of \(token)")
      }
    }
    #expect(rows.map { $0["token"] as? String ?? "" } == counts.keys.sorted())
  }

  @Test("--token and --flagged choose the records that count")
  func filters() throws {
    try directory.write(Tuples.of(token(1)) + Tuples.of(token(2)), to: "dump.bin")
    let one = try directory.apnsift(
      "export dump.bin --records tokens --columns token --token \(hex(token(2)))".words)
    #expect(one.lines == ["token", hex(token(2))])
    #expect(try directory.apnsift("export dump.bin --records tokens --flagged".words).lines.count == 1)
  }
}
