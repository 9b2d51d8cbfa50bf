import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Wrong usage, help and version")
struct UsageTests {
  private static let feedbackColumns = [
    "source", "stream", "direction", "client", "server", "offset", "packet", "original_packet", "file_offset",
    "captured_at", "timestamp", "time", "token_length", "token", "flags", "form",
    "chain", "chain_length", "confidence", "stream_offset",
  ]

  static let wrong: [(arguments: [String], message: Message)] = [
    (["inspct"], .unknownCommand("inspct", nearest: "inspect")),
    (["exprot", "dump.bin"], .unknownCommand("exprot", nearest: "export")),
    (["replya", "dump.bin"], .unknownCommand("replya", nearest: "replay")),
    (["tokens", "dump.bin"], .unknownCommand("tokens", nearest: nil)),
    (["store", "shwo", "aa"], .unknownSubcommand("shwo", of: "apnsift store", nearest: "show")),
    (["help", "replya"], .unknownSubcommand("replya", of: "apnsift", nearest: "replay")),
    (["help", "store", "lits"], .unknownSubcommand("lits", of: "apnsift store", nearest: "list")),
    (["--bogus", "dump.bin"], .unknownOption("--bogus", of: "apnsift inspect")),
    (["export", "--bogus", "dump.bin"], .unknownOption("--bogus", of: "apnsift export")),
    (["export"], "no input: name files or directories, or - for standard input"),
    (["replay"], "no input: name files or directories, or - for standard input"),
    (["inspect", "-", "-"], .standardInputTwice),
    (
      ["export", "--max-token-length", "65536", "dump.bin"],
      .outOfRange("--max-token-length", "65536", 0...65535)
    ),
    (["export", "--earliest", "200", "--latest", "100", "dump.bin"], .earliestAfterLatest(200, 100)),
    (
      ["export", "--earliest", "2015", "dump.bin"],
      "the value '2015' is invalid for '--earliest <TIME>': times are 2015-01-01T00:00:00Z, 2015-01-01 "
        + "(midnight in UTC) or Unix seconds"
    ),
    (
      ["export", "-t", "arrow", "--uppercase", "dump.bin"],
      "tokens are bytes in Arrow, not digits: leave out --uppercase"
    ),
    (
      ["export", "--distinct", "dump.bin"],
      "--distinct is for the summary, which a table lacks: add -t json or -t ndjson"
    ),
    (["export", "--memory", "0", "dump.bin"], .tooSmall("--memory", 0, least: 1)),
    (["export", "--columns", "time,tokn", "dump.bin"], .noSuchColumn("tokn", known: feedbackColumns)),
    (["export", "--columns", "", "dump.bin"], .noSuchColumn("", known: feedbackColumns)),
    (
      ["export", "--columns", "time", "-t", "ndjson", "dump.bin"],
      "--columns chooses columns of one kind of record in CSV, NDJSON or Arrow: name the kind with "
        + "--records, and one of these formats with -t"
    ),
    (
      ["export", "--columns", "time", "--records", "feedback", "-t", "json", "dump.bin"],
      "--columns chooses columns of one kind of record in CSV, NDJSON or Arrow: name the kind with "
        + "--records, and one of these formats with -t"
    ),
    (
      ["export", "--columns", "stream", "-o", "tables/", "dump.bin"],
      "a directory gets all kinds of records with their usual columns: leave out --records and --columns"
    ),
    (
      ["export", "--records", "streams", "-o", "tables/", "dump.bin"],
      "a directory gets all kinds of records with their usual columns: leave out --records and --columns"
    ),
    (
      ["export", "-t", "json", "-o", "tables/", "dump.bin"],
      "-o names a directory, which gets tables: give -t csv, ndjson or arrow, or name a file"
    ),
    (
      ["export", "--batch-rows", "7", "dump.bin"], "--batch-rows is for Arrow: add -t arrow, or leave it out"
    ),
    (
      ["export", "-t", "arrow", "--batch-rows", "0", "dump.bin"],
      .outOfRange("--batch-rows", "0", 1...(1 << 24))
    ),
    (
      ["export", "-t", "csv", "-o", "out.arrows", "dump.bin"],
      .outputOfOtherFormat("-o", "out.arrows", named: "arrows", format: "csv", chosenBy: "-t csv")
    ),
    (
      ["export", "--flagged", "--records", "findings", "dump.bin"],
      "--token and --flagged choose records: leave them out with --records streams, findings or inputs"
    ),
    (["export", "-o", "same", "--findings", "same", "dump.bin"], .outputsAreSame("-o", "--findings")),
    (["export", "-o", "same", "--findings", "./same", "dump.bin"], .outputsAreSame("-o", "--findings")),
    (["export", "--findings", "-", "dump.bin"], .outputsAreSame("-o", "--findings")),
    (["replay", "--store", "tokens.sqlite", "dump.bin"], .notAStoreURL("tokens.sqlite")),
    (
      ["replay", "--store", "sqlite:", "dump.bin"],
      "token store 'sqlite:': expected a path after the colon, as in sqlite:tokens.sqlite"
    ),
    (
      ["replay", "--store", "postgres://u:secret/s@h/d", "dump.bin"],
      .unreadableURI("postgresql", .databaseWithAt)
    ),
    (
      ["replay", "--store", "sqlite:s", "--lock-timeout", "86401", "dump.bin"],
      .outOfRange("--lock-timeout", "86401", 0...86400)
    ),
    (["store", "list", "--dead", "--live"], .exclusive("--dead", "--live")),
    (["store", "register"], "give either tokens or --csv FILE"),
    (["store", "register", "aa", "--csv", "list.csv"], "give either tokens or --csv FILE"),
    (
      ["store", "register", "--csv", "list.csv", "--at", "1"],
      "--at and --csv exclude each other: the CSV file has the times"
    ),
  ]

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ arguments: [String], _ message: Message) throws {
    let errors = try refuse(arguments)
    #expect(errors.first == message.text, "\(arguments)")
    #expect(!errors.joined().contains("secret"))
  }

  /// Arguments that the parser refuses in its own words, and what those must name.
  static let refused: [(arguments: [String], names: [String])] = [
    (["export", "--from", "pdf", "dump.bin"], ["--from", "pdf"]),
    (["export", "--protocol", "smtp", "dump.bin"], ["--protocol", "smtp"]),
    (["export", "--token-length", "", "dump.bin"], ["--token-length"]),
    (["export", "--token-length", "32,", "dump.bin"], ["--token-length", "32,"]),
    (["export", "--token-length", "9-3", "dump.bin"], ["--token-length", "9-3"]),
    (["export", "--token-length", "65536", "dump.bin"], ["--token-length", "65536"]),
    (["export", "--earliest", "2014-02-30", "dump.bin"], ["--earliest", "2014-02-30"]),
    (["export", "--earliest", "4294967296", "dump.bin"], ["--earliest", "4294967296"]),
    (["export", "--memory", "1parsec", "dump.bin"], ["--memory", "1parsec"]),
    (["export", "--memory", "9999999999GiB", "dump.bin"], ["--memory", "9999999999GiB"]),
    (["export", "--max-expansion", "x", "dump.bin"], ["--max-expansion", "x"]),
    (["export", "-t", "xml", "dump.bin"], ["xml", "ndjson"]),
    (["export", "--records", "tuples", "dump.bin"], ["tuples", "feedback"]),
    (["replay", "--environment", "staging", "dump.bin"], ["staging", "production", "sandbox"]),
    (["store", "show"], ["token"]),
    (["store", "show", "abc"], ["abc"]),
    (["store", "register", "aa", "--at", "yesterday"], ["--at", "yesterday"]),
  ]

  @Test("what the parser refuses is wrong usage and named, too", arguments: refused)
  func refusedArguments(_ arguments: [String], _ names: [String]) throws {
    let errors = try refuse(arguments).joined(separator: "\n")
    for name in names { #expect(errors.contains(name), "\(arguments): \(errors)") }
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

  @Test("a file may be named like a mistyped command")
  func fileNamedLikeACommand() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "exprot")
    let outcome = try directory.apnsift("exprot")
    #expect(outcome.code == 0)
    #expect(outcome.text.hasPrefix("exprot\n"))
  }

  @Test("the version", arguments: [["--version"], ["export", "--version"]])
  func version(_ arguments: [String]) throws {
    let outcome = try TestDirectory().apnsift(arguments)
    #expect(outcome.code == 0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }
}
