import Testing

@Suite("Wrong usage, help and version")
struct UsageTests {
  /// Arguments that do not fit, with what the message must name.
  static let wrong: [(arguments: [String], says: [String])] = [
    (["inspct"], ["'inspct'", "'inspect'"]),
    (["exprot", "dump.bin"], ["'exprot'", "'export'"]),
    (["replya", "dump.bin"], ["'replya'", "'replay'"]),
    (["tokens", "dump.bin"], ["'tokens' is neither a command nor a file (`apnsift help`"]),
    (["store", "shwo", "aa"], ["'shwo'", "'show'", "apnsift store"]),
    (["help", "replya"], ["'replya'", "'replay'"]),
    (["help", "store", "lits"], ["'lits'", "'list'"]),
    (["--bogus", "dump.bin"], ["--bogus"]),
    (["export", "--bogus", "dump.bin"], ["--bogus"]),
    (["export"], ["no input"]),
    (["replay"], ["no input"]),
    (["inspect", "-", "-"], ["standard input", "once"]),
    (["export", "--from", "pdf", "dump.bin"], ["--from", "pdf"]),
    (["export", "--protocol", "smtp", "dump.bin"], ["--protocol", "smtp"]),
    (["export", "--token-length", "", "dump.bin"], ["--token-length"]),
    (["export", "--token-length", "32,", "dump.bin"], ["--token-length", "32,"]),
    (["export", "--token-length", "9-3", "dump.bin"], ["--token-length", "9-3"]),
    (["export", "--token-length", "65536", "dump.bin"], ["--token-length", "65536"]),
    (["export", "--max-token-length", "65536", "dump.bin"], ["--max-token-length", "65536", "65535"]),
    (["export", "--earliest", "2014-01-01", "dump.bin"], ["--earliest", "2014-01-01"]),
    (["export", "--earliest", "4294967296", "dump.bin"], ["--earliest", "4294967296"]),
    (
      ["export", "--earliest", "200", "--latest", "100", "dump.bin"],
      ["--earliest 1970-01-01T00:03:20Z", "--latest 1970-01-01T00:01:40Z"]
    ),
    (["export", "--memory", "0", "dump.bin"], ["--memory", "0"]),
    (["export", "--memory", "1parsec", "dump.bin"], ["--memory", "1parsec"]),
    (["export", "--memory", "9999999999GiB", "dump.bin"], ["--memory", "9999999999GiB"]),
    (["export", "--max-expansion", "x", "dump.bin"], ["--max-expansion", "x"]),
    (["export", "--columns", "time,tokn", "dump.bin"], ["--columns", "tokn", "token_length"]),
    (["export", "--columns", "", "dump.bin"], ["--columns"]),
    (["export", "--columns", "time", "-t", "ndjson", "dump.bin"], ["--columns"]),
    (["export", "--columns", "time", "--records", "streams", "dump.bin"], ["--columns"]),
    (["export", "-t", "xml", "dump.bin"], ["xml", "ndjson"]),
    (["export", "--records", "tuples", "dump.bin"], ["tuples", "feedback"]),
    (["export", "-o", "same", "--findings", "same", "dump.bin"], ["-o", "--findings", "same file"]),
    (["export", "-o", "same", "--findings", "./same", "dump.bin"], ["-o", "--findings", "same file"]),
    (["export", "--findings", "-", "dump.bin"], ["--findings", "same file"]),
    (["replay", "--store", "tokens.sqlite", "dump.bin"], ["'tokens.sqlite'", "sqlite:tokens.sqlite"]),
    (["replay", "--store", "sqlite:", "dump.bin"], ["sqlite:", "path"]),
    (["replay", "--store", "postgres://u:sec/ret@h/d", "dump.bin"], ["postgresql://", "%XX"]),
    (["replay", "--store", "sqlite:s", "--lock-timeout", "86401", "dump.bin"], ["--lock-timeout", "86400"]),
    (["replay", "--environment", "staging", "dump.bin"], ["staging", "production", "sandbox"]),
    (["store", "list", "--dead", "--live"], ["--dead", "--live"]),
    (["store", "show"], ["token"]),
    (["store", "show", "abc"], ["abc"]),
    (["store", "register"], ["--csv"]),
    (["store", "register", "aa", "--csv", "list.csv"], ["--csv"]),
    (["store", "register", "--csv", "list.csv", "--at", "1"], ["--at"]),
    (["store", "register", "aa", "--at", "yesterday"], ["--at", "yesterday"]),
  ]

  @Test("wrong usage exits with 64, names what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ arguments: [String], _ says: [String]) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    for part in says {
      #expect(outcome.errors.contains(part), "\(arguments): \(outcome.errors)")
    }
    #expect(!outcome.errors.contains("secret"))
    #expect(try directory.names == ["dump.bin"])
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
