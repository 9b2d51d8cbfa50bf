import CommandTestSupport
import Testing

/// What `export` and `inspect` write (docs/spec/interface.md#export, docs/spec/interface.md#inspect).
@Suite("Formats")
struct FormatTests {
  private let directory = TestDirectory()
  /// Two sound tuples, one of 54 bytes, one of year 2030, half a tuple: flags and findings in one dump.
  private let damaged: [Tuple] =
    tuples(2) + [Tuple(1_400_000_500, token(50, length: 54)), Tuple(1_900_000_000, token(51))]
  private let cutBytes = 20

  init() throws {
    try directory.write(feedback(damaged + tuples(1)).dropLast(38 - cutBytes), to: "dump.bin")
  }

  /// The keys of each object of NDJSON.
  static let keys = [
    "header": "type schema version options",
    "feedback": "type source stream direction client server offset packet original_packet file_offset "
      + "captured_at timestamp time token_length token flags",
    "stream": "type source stream protocol client server first_packet last_packet started_at ended_at "
      + "client_bytes server_bytes client_gap_bytes server_gap_bytes records findings",
    "finding": "type source stream direction offset length packet file_offset code severity message",
    "summary": "type inputs streams stream_bytes record_bytes skipped_bytes truncated_bytes undecoded_bytes "
      + "gap_bytes feedback distinct_tokens requests responses findings flags earliest latest",
  ].mapValues(\.words)
  static let findingKeys = keys["finding", default: []].dropFirst()
  @Test("CSV: the default columns, every value")
  func defaultCSV() throws {
    let outcome = try directory.apnsift("export", "dump.bin")
    let rows = [
      "source,stream,offset,packet,captured_at,timestamp,time,token_length,token,flags",
      "dump.bin,0,0,,,1400000000,2014-05-13T16:53:20Z,32,\(hex(token(0))),",
      "dump.bin,0,38,,,1400000060,2014-05-13T16:54:20Z,32,\(hex(token(1))),",
      "dump.bin,0,76,,,1400000500,2014-05-13T17:01:40Z,54,\(hex(token(50, length: 54))),unexpected-token-length",
      "dump.bin,0,136,,,1900000000,2030-03-17T17:46:40Z,32,\(hex(token(51))),implausible-timestamp",
    ]
    #expect(outcome.text == rows.map { $0 + "\n" }.joined())
  }

  @Test("NDJSON: the header first, the summary last, every key of every object")
  func ndjson() throws {
    let exported = try directory.export("dump.bin")
    #expect(exported.outcome.output.last == UInt8(ascii: "\n"))
    let types = exported.objects.map { $0["type"] as? String ?? "" }
    #expect(types.first == "header" && types.last == "summary")
    #expect(
      types.dropFirst().dropLast().sorted() == [
        "feedback", "feedback", "feedback", "feedback", "finding", "stream",
      ])
    for (type, object) in zip(types, exported.objects) {
      #expect(object.keys.sorted() == Self.keys[type]?.sorted(), "\(type)")
    }
    #expect(exported.objects.first?["schema"] as? String == "apnsift/1")
  }

  @Test("JSON: one document with the same objects as NDJSON")
  func json() throws {
    let document = try Evidence.object(try directory.apnsift("export", "dump.bin", "-t", "json").text)
    #expect(document.keys.sorted() == ["options", "records", "schema", "summary", "version"])
    let exported = try directory.export("dump.bin")
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(Evidence.same(records, Array(exported.objects.dropFirst().dropLast())))
    var summary = exported.summary
    summary["type"] = nil
    let options = try #require(exported.objects[0]["options"] as? Evidence.Object)
    for (key, expected) in [("summary", summary), ("options", options)] {
      #expect(Evidence.same([try #require(document[key] as? Evidence.Object)], [expected]), "\(key)")
    }
  }

  @Test("the summary accounts for every byte")
  func summary() throws {
    let summary = try directory.export("dump.bin", "--distinct").summary
    let expected: [String: Int] = [
      "streams": 1, "stream_bytes": 194, "record_bytes": 174, "skipped_bytes": 0, "truncated_bytes": 20,
      "undecoded_bytes": 0, "gap_bytes": 0, "feedback": 4, "distinct_tokens": 4, "requests": 0,
      "responses": 0, "earliest": 1_400_000_000, "latest": 1_400_000_500,
    ]
    for (key, value) in expected { #expect(summary[key] as? Int == value, "\(key)") }
    #expect(summary["findings"] as? [String: Int] == ["error": 1, "warning": 0, "note": 0])
    #expect(summary["flags"] as? [String: Int] == ["unexpected-token-length": 1, "implausible-timestamp": 1])
    let input = try #require((summary["inputs"] as? [Evidence.Object])?.first)
    #expect(input.keys.sorted() == ["bytes", "format", "sha256", "source"])
    #expect(input["sha256"] as? String == (try directory.digest("dump.bin")))
    #expect(try directory.export("dump.bin").summary["distinct_tokens"] is Null)
  }

  @Test(
    "--records writes one kind",
    arguments: [("feedback", "feedback"), ("streams", "stream"), ("findings", "finding")])
  func oneKind(_ records: String, _ type: String) throws {
    let exported = try directory.export("dump.bin", "--records", records)
    #expect(Set(exported.objects.dropFirst().dropLast().compactMap { $0["type"] as? String }) == [type])
    let csv = parseCSV(try directory.apnsift("export", "dump.bin", "--records", records).text)
    #expect(csv.count == exported.objects.count - 1)
    #expect(csv.allSatisfy { $0.count == csv[0].count })
  }

  @Test("findings as CSV are those of NDJSON")
  func findingsFile() throws {
    _ = try directory.apnsift("export dump.bin -o out.csv --findings wrong.csv".words)
    let table = try directory.text(of: "wrong.csv")
    let findings = try directory.export("dump.bin", "--records", "findings").objects.dropFirst().dropLast()
    let expected = findings.map { finding in
      Self.findingKeys.map { finding[$0].map { $0 is Null ? "" : "\($0)" } ?? "missing" }
    }
    #expect(parseCSV(table) == [Array(Self.findingKeys)] + expected)
    #expect(try directory.apnsift("export dump.bin --records findings".words).text == table)
  }

  @Test("inspect --json has streams and findings alone, and no records of tuples")
  func inspectJSON() throws {
    let document = try Evidence.object(try directory.apnsift("inspect", "--json", "dump.bin").text)
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(records.map { $0["type"] as? String ?? "" }.sorted() == ["finding", "stream"])
    let summary = try #require(document["summary"] as? Evidence.Object)
    #expect(summary.keys.sorted() == Self.keys["summary"]?.dropFirst().sorted())
    #expect(summary["distinct_tokens"] as? Int == 4)
    let quick = try Evidence.object(
      try directory.apnsift("inspect --json --no-hash --no-distinct dump.bin".words).text)
    let without = try #require(quick["summary"] as? Evidence.Object)
    #expect(without["distinct_tokens"] is Null)
    #expect((without["inputs"] as? [Evidence.Object])?.first?["sha256"] is Null)
  }

  @Test("inspect names the format, the size, the hash, the span, the flags and the findings")
  func inspectText() throws {
    let text = try directory.apnsift("inspect", "dump.bin").text
    for part in [
      "dump.bin\n", "raw, 194 bytes", "SHA-256", "stream 0: feedback", "4 records with 4 distinct tokens",
      "from 2014-05-13T16:53:20Z to 2014-05-13T17:01:40Z", "unexpected-token-length  1",
      "error truncated-record  1", "offset 174", "174 of 194 bytes are in records, 20 cut off",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test(
    "an input that cannot be read is a finding in JSON",
    arguments: [["export", "-t", "json"], ["inspect", "--json"]])
  func unreadableInput(_ arguments: [String]) throws {
    let outcome = try directory.apnsift(arguments + ["missing.bin"]).exits(2)
    let document = try Evidence.object(outcome.text)
    let findings = (document["records"] as? [Evidence.Object])?.map { $0["code"] as? String }
    #expect(findings == ["unreadable-input"])
    #expect((document["summary"] as? Evidence.Object)?["earliest"] is Null)
    let empty = try directory.apnsift("export", "-t", "json", "--records", "feedback", "missing.bin")
    #expect((try Evidence.object(empty.text)["records"] as? [Any])?.isEmpty == true)
  }
}
