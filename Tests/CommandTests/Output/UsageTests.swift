import CommandTestSupport
import Testing

@Suite("Wrong usage, help and version") struct UsageTests {
  /// Arguments with which the command does nothing, and parts of what it says.
  typealias Wrong = (line: String, names: [String])

  static let wrong = general + values + captures + commands + outputs + stores + mappings

  private static let general: [Wrong] = [
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

  private static let values: [Wrong] = [
    ("export dump.bin --protocol nonsense", ["--protocol"]),
    ("export dump.bin --max-pending -1", ["--max-pending"]),
    (
      "export dump.bin --time-zone Europe/Berlon",
      ["--time-zone: no time zone is named 'Europe/Berlon'; did you mean Europe/Berlin?"]
    ),
    ("export --since 2018-01-01 --until 2018-01-01 dump.bin", ["is not before --until"]),
    ("export --since 2018 dump.bin", ["times are 2015-01-01T00:00:00Z"]),
    ("export --until 2018-01-01 --records streams dump.bin", ["--since and --until choose records"]),
    ("carve dump.bin --log-zone Mars/Base", ["--log-zone: "]),
    ("carve dump.bin --log-zone +24:00", ["--log-zone: "]),
    ("carve dump.bin --log-zone +02:0", ["--log-zone: "]),
    ("carve dump.bin --from hex", ["carve takes no other --from: use export --from FORMAT"]),
    ("inspect --color red dump.bin", ["--color", "red", "always"]),
    ("compare dump.bin", ["compare takes two inputs"]),
    ("compare dump.bin dump.bin dump.bin", ["compare takes two inputs"]),
    ("search dump.bin", ["dump.bin: expected a token"]),
    ("search 740f470 dump.bin", ["the token has 7 hex digits; expected 8 to 1024"]),
    ("search 740f4707", ["no input: name files or directories after the tokens"]),
    ("search 740f4707 - dump.bin -", ["standard input (-) can be read only once"]),
    ("show --offset 0x dump.bin", ["--offset"]),
    ("show --offset x26 dump.bin", ["--offset"]),
    ("show --offset 0x-1 dump.bin", ["--offset"]),
    ("show --offset -1 dump.bin", ["--offset"]),
    ("show --offset 2g dump.bin", ["--offset"]),
    ("show --offset '' dump.bin", ["--offset"]),
  ]

  /// Options and commands that are none, with the nearest.
  private static let commands: [Wrong] = [
    ("--bogus dump.bin", ["unknown option '--bogus' (`apnsift inspect --help`"]),
    ("--bogus", ["unknown option '--bogus' (`apnsift inspect --help`"]),
    ("export --bogus dump.bin", ["unknown option '--bogus' (`apnsift export --help`"]),
    ("export -x dump.bin", ["unknown option '-x' (`apnsift export --help`"]),
    (
      "export --recrods=requests dump.bin",
      ["'--recrods'; did you mean '--records'? (`apnsift export --help`"]
    ),
    ("store list --ded", ["'--ded'; did you mean '--dead'? (`apnsift store list --help`"]),
    ("store --dead list", ["'--dead'; options follow the command: `apnsift store list --dead …`"]),
    (
      "--colums time export dump.bin",
      ["'--colums'; options follow the command: `apnsift export --columns …`"]
    ),
    (
      "--columns time dump.bin",
      ["'--columns'; it is an option of `apnsift export`, `apnsift carve`, `apnsift store export`"]
    ),
    ("inspect dump.bin --offset 3", ["'--offset'; it is an option of `apnsift show`"]),
    ("--strict export dump.bin", ["'export' is a command and must come first"]),
    ("generate --kind dump", ["'generate' is in apnsift-lab"]),
    ("help serve", ["'serve' is in apnsift-lab"]),
    ("serve dump.bin", ["'serve' is in apnsift-lab"]),
    ("inspct", ["'inspct' is neither a command nor a file; the nearest is 'inspect'"]),
    ("exprot dump.bin", ["the nearest is 'export'"]),
    ("replya dump.bin", ["the nearest is 'replay'"]),
    ("tokens dump.bin", ["'tokens' is neither a command nor a file (`apnsift help`"]),
    ("store shwo aa", ["'shwo' is not a command of apnsift store; the nearest is 'show'"]),
    ("help replya", ["'replya' is not a command of apnsift; the nearest is 'replay'"]),
    ("help store lits", ["'lits' is not a command of apnsift store; the nearest is 'list'"]),
  ]

  /// Outputs whose names contradict their formats, and what a format cannot have.
  private static let outputs: [Wrong] = [
    ("export -t csv -o x.json dump.bin", [".json file, but the output is csv: leave out -t csv"]),
    ("export -t json -o x.ndjson dump.bin", [".ndjson file, but the output is json: leave out -t json"]),
    ("export -t raw -o x.csv dump.bin", [".csv file, but the output is raw: leave out -t raw"]),
    ("export -t csv -o x.arrows dump.bin", [".arrows file, but the output is csv: leave out -t csv"]),
    ("export -t json -o x.db dump.bin", [".db file, but the output is json: leave out -t json"]),
    ("export --findings x.json dump.bin", [".json file, but the output is csv: name a .csv file"]),
    ("replay --dry-run -o x.json dump.bin", [".json file, but the output is csv: name a .csv file"]),
    ("export -o x.xlsx dump.bin", [".xlsx file, but the output is csv"]),
    ("export -o x.PDF dump.bin", [".pdf file, but the out"]),
    ("export -o x.html dump.bin", [".html file, but the output is csv"]),
    ("export -o x.parquet dump.bin", [".parquet file, but"]),
    ("report -o x.pdf dump.bin", [".pdf file, but the output is html: name a .html file"]),
    ("report -o x.csv dump.bin", [".csv file, but the output is html: name a .html file"]),
    ("export -o x.csv.gz dump.bin", ["-o x.csv.gz: output is not compressed"]),
    ("export -o x.json.zst dump.bin", ["-o x.json.zst: output is not compressed"]),
    ("report -o x.html.gz dump.bin", ["-o x.html.gz: output is not compressed"]),
    ("export -t timesketch --records findings dump.bin", ["findings have no times"]),
    ("export -t timesketch -o x.ndjson dump.bin", ["names a .ndjson file"]),
    ("export -t bodyfile -o x.jsonl dump.bin", ["names a .jsonl file"]),
    ("export -t bodyfile -o out/ dump.bin", ["a directory, which gets tables"]),
    ("export -t timesketch --distinct dump.bin", ["--distinct"]),
    ("export -t bodyfile --records feedback --columns time dump.bin", ["--columns chooses"]),
    ("export --to raw dump.bin", []),
    ("export --to raw dump.bin -o out --records feedback", []),
    ("export --to raw dump.bin -o out --findings f.csv", []),
    ("export --to raw dump.bin -o out --distinct", []),
    ("export --to raw dump.bin -o out --columns time", []),
    ("export dump.bin --records requests --columns timestamp", ["--columns"]),
    ("export dump.bin --records responses --columns outcome", ["--columns"]),
    ("export dump.bin --columns outcome", ["--columns"]),
    (
      "export dump.bin --columns time_local",
      ["--columns: time_local needs --time-zone, such as --time-zone Europe/Berlin"]
    ),
    ("search 740f4707 dump.bin -o a.arrow", ["names a .arrow file"]),
    (
      "report dump.bin -o page.html --redact dump.bin --manifest list",
      ["--redact excludes --checksums, --dfxml and --manifest"]
    ),
    (
      "report dump.bin -o page.html --redact dump.bin --dfxml list",
      ["--redact excludes --checksums, --dfxml and --manifest"]
    ),
    (
      "report dump.bin -o page.html --redact dump.bin --checksums list",
      ["--redact excludes --checksums, --dfxml and --manifest"]
    ),
  ]

  private static let captures: [Wrong] = [
    "--reorder-window x", "--reorder-window=-1", "--reorder-window 1048577", "--stream-buffer x",
    "--stream-buffer=-1", "--total-buffer 1.5", "--total-buffer ''", "--fragment-buffer 9ZB",
    "--max-connections 0", "--max-connections=-5", "--max-connections 99999999999999999999",
    "--max-packet 63", "--max-packet 2GiB", "--feedback-port 65536", "--feedback-port=-1",
    "--gateway-port apns", "--protocol nonsense", "--from pcap", "--jobs=0", "--jobs=1025", "--jobs=-1",
    "--jobs=many",
  ].map { ("export dump.bin -o out.csv \($0)", [String($0.prefix { !" =".contains($0) })]) }

  private static let stores: [Wrong] = [
    ("replay dump.bin --max-invalidate many", []),
    ("replay dump.bin --max-invalidate 101%", []),
    ("replay dump.bin --max-invalidate %", []),
    ("replay dump.bin --max-invalidate 1.5", []),
    ("replay dump.bin --max-invalidate=-1", []),
    ("replay dump.bin --max-invalidate 99999999999999999999", []),
    ("replay dump.bin --grace soon", []),
    ("replay dump.bin --grace=-1s", []),
    ("replay dump.bin --grace 5y", []),
    ("replay dump.bin --each-app --app a", ["--each-app and "]),
    ("replay dump.bin --each-app --other-app", ["--each-app and "]),
    ("replay dump.bin --each-app --dry-run -o rows.csv", ["--each-app and "]),
    ("replay dump.bin -o rows.csv", ["-o requires --dry-run"]),
    ("replay dump.bin --fail-on everything", ["unrecognised"]),
    ("replay --skip-replayed --join dump.bin", []),
    ("replay --skip-replayed --requests dump.bin --responses dump.bin", []),
    ("store export --columns token,token", []),
    ("store export --columns ''", []),
    ("store export --columns id", []),
    ("store export --dead --live", []),
    ("store history 1 --last 1", []),
    ("store history --last 0", []),
    ("store history --trim-journal 9d --json", []),
    ("store history --trim-journal soon", []),
    ("store import dump.bin --create --delimiter ab", ["--delimiter"]),
    ("store import dump.bin --create --delimiter \"", ["--delimiter"]),
    ("store import dump.bin --create --delimiter é", ["--delimiter"]),
    ("store import dump.bin --create --time-form timestamp:Europe/Atlantis", ["--time-form"]),
    ("store import dump.bin --create --time-form x", ["--time-form"]),
    ("store import dump.bin --create --token-form x", ["--token-form"]),
    ("store import dump.bin --create --at soon", ["--at"]),
  ]

  /// Of tables of one's own: commands and options, and what is said of them.
  private static let mappings = (mapped + trials).flatMap { all in
    all.commands.map { ("\($0) \(all.options)", [all.message]) }
  }

  private static let mapped: [(commands: [String], options: String, message: String)] = [
    (
      ["replay dump.bin", "store register aa"], "--create --store sqlite:own.sqlite --mapping sound.yml",
      "--create creates apnsift's own table, but the mapping names devices: remove --create or the mapping"
    ),
    (
      ["replay dump.bin", "store list"], "--mapping sound.yml",
      "no store is named: name the database that has the table devices with --store"
    ),
    (
      ["store list"], "--store own.sqlite --mapping sound.yml",
      "token store 'own.sqlite': expected sqlite:PATH; for that file write sqlite:own.sqlite"
    ),
    (
      ["replay dump.bin --known-only"], "--insert-unknown --store sqlite:own.sqlite --mapping sound.yml",
      "--known-only and --insert-unknown exclude each other"
    ),
    (
      ["replay dump.bin --journal sqlite:j"], "--no-journal --store sqlite:own.sqlite --mapping sound.yml",
      "--journal and --no-journal exclude each other"
    ),
    (
      ["replay dump.bin"], "--journal journal.sqlite --store sqlite:own.sqlite --mapping sound.yml",
      "--journal"
    ),
    (
      ["replay dump.bin --store sqlite:own.sqlite"],
      "--table devices --token-column token --mapping sound.yml", "leave out --table and --token-column"
    ),
    (
      ["replay dump.bin", "store register aa"], "--insert-unknown", "--insert-unknown requires --mapping"
    ),
  ]

  /// A table that two options name can be read and tried, and no more.
  private static let trials: [(commands: [String], options: String, message: String)] = [
    (
      ["replay dump.bin --table devices", "store list --token-column token"], "--store sqlite:own.sqlite",
      "--table and --token-column go together"
    ),
    (
      ["replay dump.bin", "store register aa", "store undo 1"],
      "--table devices --token-column token --store sqlite:own.sqlite",
      "--table and --token-column require --dry-run; to write, describe the table in a file for --mapping "
        + "(docs/stores.md, Your own table)"
    ),
    (
      ["store list --store sqlite:own.sqlite"], "--table a.b.c --token-column token",
      "--table a.b.c --token-column token: "
    ),
    (
      ["store list --store sqlite:own.sqlite"], "--table devices --token-column ''",
      "--table devices --token-column : "
    ), (["store list --store sqlite:own.sqlite"], "--token-form hex", "'--token-form'"),
  ]

  private static let mapping =
    "table: devices\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n"

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ line: String, _ names: [String]) throws {
    let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    let errors = try refuse(words).joined(separator: "\n")
    for name in names { #expect(errors.contains(name), "\(line): \(errors)") }
    #expect(!errors.contains("secret"))
  }

  /// What the command says of arguments with which it does nothing.
  private func refuse(_ arguments: [String]) throws -> [String] {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2)), "sound.yml": Self.mapping.utf8])
    let outcome = try directory.apnsift(arguments).exits(64)
    #expect(outcome.output.isEmpty)
    #expect(try directory.names == ["dump.bin", "sound.yml"])
    return outcome.messages
  }

  @Test("a file may be named like a mistyped command") func fileNamedLikeACommand() throws {
    let directory = TestDirectory(["exprot": feedback(tuples(2))])
    let outcome = try directory.apnsift("exprot").exits(0)
    #expect(outcome.text.hasPrefix("exprot\n"))
  }

  @Test("the version", arguments: [["--version"], ["export", "--version"]]) func version(
    _ arguments: [String]
  ) throws {
    let outcome = try TestDirectory().apnsift(arguments).exits(0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }
}
