import CommandTestSupport
import Testing

@Suite("Wrong usage, help and version") struct UsageTests {
  /// Arguments with which the command does nothing, and parts of what it says.
  static let wrong: [(line: String, names: [String])] = [
    ("export", ["no input: name files"]), ("replay", ["no input: name files"]),
    ("inspect - -", ["standard input (-) can be read only once"]),
    ("export --max-token-length 65536 dump.bin", ["--max-token-length is 65536: give 0 to 65535"]),
    (
      "export --earliest 200 --latest 100 dump.bin",
      ["1970-01-01T00:03:20Z is after --latest 1970-01-01T00:01:40Z"]
    ), ("export --earliest 2015 dump.bin", ["'2015' is invalid for '--earliest <TIME>'"]),
    ("export --earliest 2014-02-30 dump.bin", ["--earliest", "2014-02-30"]),
    ("export --earliest 4294967296 dump.bin", ["--earliest", "4294967296"]),
    ("export -t arrow --uppercase dump.bin", ["leave out --uppercase"]),
    ("export --distinct dump.bin", ["--distinct is for the summary"]),
    ("export --memory 0 dump.bin", ["--memory is 0: give 1 or more"]),
    ("export --memory 1parsec dump.bin", ["--memory", "1parsec"]),
    ("export --memory 9999999999GiB dump.bin", ["--memory", "9999999999GiB"]),
    (
      "export --columns time,tokn dump.bin",
      [
        "--columns: unknown column 'tokn'; the columns are source, stream, direction, client, server, offset, packet, "
          + "original_packet, file_offset, captured_at, timestamp, time, token_length, token, flags, form, chain, "
          + "chain_length, confidence, fs_path, fs_inode, fs_state, stream_offset"
      ]
    ), ("export --columns '' dump.bin", ["unknown column ''"]),
    ("export --columns time -t ndjson dump.bin", ["name the kind with --records"]),
    ("export --columns time --records feedback -t json dump.bin", ["name the kind with --records"]),
    ("export --columns stream -o tables/ dump.bin", ["a directory gets all kinds"]),
    ("export --records streams -o tables/ dump.bin", ["a directory gets all kinds"]),
    ("export -t json -o tables/ dump.bin", ["-o names a directory, which gets tables"]),
    ("export --batch-rows 7 dump.bin", ["--batch-rows is for Arrow"]),
    ("export -t arrow --batch-rows 0 dump.bin", ["--batch-rows is 0: give 1 to 16777216"]),
    ("export --flagged --records findings dump.bin", ["--since and --until choose records"]),
    ("export -o same --findings same dump.bin", ["-o and --findings name the same file"]),
    ("export -o same --findings ./same dump.bin", ["-o and --findings name the same file"]),
    ("export --findings - dump.bin", ["-o and --findings name the same file"]),
    ("replay --store tokens.sqlite dump.bin", ["'tokens.sqlite': expected sqlite:PATH"]),
    ("replay --store sqlite: dump.bin", ["'sqlite:': expected a path after the colon"]),
    ("replay --store postgres://u:secret/s@h/d dump.bin", ["the database's name contains an @"]),
    ("replay --store sqlite:s --lock-timeout 86401 dump.bin", ["--lock-timeout is 86401: give 0 to 86400"]),
    ("replay --environment staging dump.bin", ["staging", "production", "sandbox"]),
    ("store list --dead --live", ["--dead and --live exclude each other"]),
    ("store register", ["give either tokens or --csv FILE"]),
    ("store register aa --csv list.csv", ["give either tokens or --csv FILE"]),
    ("store register --csv list.csv --at 1", ["--at and --csv exclude each other"]),
    ("store register aa --at yesterday", ["--at", "yesterday"]), ("store show", ["token"]),
    ("store show abc", ["abc"]), ("export --from pdf dump.bin", ["--from", "pdf"]),
    ("export --protocol smtp dump.bin", ["--protocol", "smtp"]),
    ("export --token-length '' dump.bin", ["--token-length"]),
    ("export --token-length 32, dump.bin", ["--token-length", "32,"]),
    ("export --token-length 9-3 dump.bin", ["--token-length", "9-3"]),
    ("export --token-length 65536 dump.bin", ["--token-length", "65536"]),
    ("export --max-expansion x dump.bin", ["--max-expansion", "x"]),
    ("export -t xml dump.bin", ["xml", "ndjson"]),
    ("export --records tuples dump.bin", ["tuples", "feedback"]),
  ]

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ line: String, _ names: [String]) throws {
    let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    let errors = try refuse(words).joined(separator: "\n")
    for name in names { #expect(errors.contains(name), "\(line): \(errors)") }
    #expect(!errors.contains("secret"))
  }

  /// What the command says of arguments with which it does nothing.
  private func refuse(_ arguments: [String]) throws -> [String] {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(try directory.names == ["dump.bin"])
    return outcome.messages
  }

  @Test("a file may be named like a mistyped command") func fileNamedLikeACommand() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "exprot")
    let outcome = try directory.apnsift("exprot")
    #expect(outcome.code == 0)
    #expect(outcome.text.hasPrefix("exprot\n"))
  }

  @Test("the version", arguments: [["--version"], ["export", "--version"]]) func version(
    _ arguments: [String]
  ) throws {
    let outcome = try TestDirectory().apnsift(arguments)
    #expect(outcome.code == 0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }
}
