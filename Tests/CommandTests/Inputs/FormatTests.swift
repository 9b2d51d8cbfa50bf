import CommandTestSupport
import Testing

/// What `export` and `inspect` write (docs/spec/interface.md#export, docs/spec/interface.md#inspect), and forms of dumps.
@Suite("Formats")
struct FormatTests {
  /// Two sound tuples, one of 54 bytes, one of year 2030, half a tuple: flags and findings in one dump.
  private let directory = TestDirectory([
    "dump.bin": feedback(
      tuples(2) + [Tuple(1_400_000_500, token(50, length: 54)), Tuple(1_900_000_000, token(51))] + tuples(1)
    ).dropLast(18)
  ])

  /// Which keys each object has is the business of scripts/check-schemas.
  @Test("NDJSON has the header first, the summary last; JSON is one document with the same objects")
  func json() throws {
    let exported = try directory.export("dump.bin")
    #expect(exported.outcome.output.last == UInt8(ascii: "\n"))
    let types = exported.objects.map { $0["type"] as? String ?? "" }
    #expect(types.first == "header" && types.last == "summary")
    #expect(
      types.dropFirst().dropLast().sorted() == [
        "feedback", "feedback", "feedback", "feedback", "finding", "stream",
      ])
    #expect(exported.objects.first?["schema"] as? String == "apnsift/1")
    let document = try Evidence.object(try directory.apnsift("export", "dump.bin", "-t", "json").text)
    #expect(document.keys.sorted() == ["options", "records", "schema", "summary", "version"])
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(Evidence.same(records, Array(exported.objects.dropFirst().dropLast())))
    var summary = exported.summary
    summary["type"] = nil
    let options = try #require(exported.objects[0]["options"] as? Evidence.Object)
    for (key, expected) in [("summary", summary), ("options", options)] {
      #expect(Evidence.same([try #require(document[key] as? Evidence.Object)], [expected]), "\(key)")
    }
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

  static let findingKeys =
    "source stream direction offset length packet file_offset code severity message".words

  @Test("findings as CSV are those of NDJSON")
  func findingsFile() throws {
    _ = try directory.apnsift("export dump.bin -o out.csv --findings wrong.csv".words)
    let table = try directory.text(of: "wrong.csv")
    let findings = try directory.export("dump.bin", "--records", "findings").objects.dropFirst().dropLast()
    let expected = findings.map { finding in
      Self.findingKeys.map { finding[$0].map { $0 is Null ? "" : "\($0)" } ?? "missing" }
    }
    #expect(parseCSV(table) == [Self.findingKeys] + expected)
    #expect(try directory.apnsift("export dump.bin --records findings".words).text == table)
  }

  @Test("inspect --json has streams and findings alone, and no records of tuples")
  func inspectJSON() throws {
    let document = try Evidence.object(try directory.apnsift("inspect", "--json", "dump.bin").text)
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(records.map { $0["type"] as? String ?? "" }.sorted() == ["finding", "stream"])
    let summary = try #require(document["summary"] as? Evidence.Object)
    #expect(summary["distinct_tokens"] as? Int == 4)
    let quick = try Evidence.object(
      try directory.apnsift("inspect --json --no-hash --no-distinct dump.bin".words).text)
    let without = try #require(quick["summary"] as? Evidence.Object)
    #expect(without["distinct_tokens"] is Null)
    #expect((without["inputs"] as? [Evidence.Object])?.first?["sha256"] is Null)
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

  // MARK: - Recognition

  /// Text forms of a dump, made by the tools that people use.
  static let forms: [(from: String, tool: [String])] = [
    ("raw", ["cat"]), ("hex", ["xxd", "-p"]), ("hex", ["xxd"]), ("hex", ["hexdump", "-C"]),
    ("base64", ["base64"]),
  ]

  /// Records enough for several lines of each form, an odd length and a cut end among them.
  private static let dump = feedback(
    tuples(20) + [Tuple(1_400_009_000, token(77, length: 54))] + tuples(20, from: 40)
  ).dropLast(7)

  /// The rows without the name of the input.
  private func export(_ words: String..., input: StandardInput = .nothing) throws -> [[String]] {
    try directory.apnsift(["export"] + words, input: input).rows.map { Array($0.dropFirst()) }
  }

  @Test("one dump in all its forms gives the same records, by content, and by --from", arguments: forms)
  func everyForm(_ from: String, _ tool: [String]) throws {
    try directory.write(Self.dump, to: "dump.bin")
    let expected = try export("dump.bin")
    #expect(expected.count == 40)
    let text = try directory.tool(tool[0], tool.dropFirst() + ["dump.bin"])
    // A name that says something else is not looked at.
    try directory.write(text, to: "texts/dump.pcap")
    for input in ["texts/dump.pcap", "texts"] { #expect(try export(input) == expected) }
    #expect(try export("-", input: .bytes(text)) == expected)
    #expect(try export("-", input: .file("texts/dump.pcap")) == expected)
    #expect(try export("--from", from, "texts/dump.pcap") == expected)
    let inspected = try directory.apnsift("inspect", "texts/dump.pcap")
    #expect(inspected.text.contains("  \(from), \(text.count) bytes"))
  }
}
