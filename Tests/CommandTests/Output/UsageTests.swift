import CommandTestSupport
import Testing

@Suite("Wrong usage, help and version") struct UsageTests {
  /// A part of what the command says, of lines with which it does nothing.
  typealias Wrong = KeyValuePairs<String, [String]>

  static let wrong: [(line: String, message: String)] =
    values + formats + captures
    + [general, times, commands, outputs, tables, stores, mapped, trials].joined().flatMap { message, lines in
      lines.map { ($0, message) }
    }

  private static let general: Wrong = [
    "no input: name files": ["export", "replay"],
    "standard input (-) can be read only once": ["inspect - -", "search 740f4707 - dump.bin -"],
    "--max-token-length is 65536: give 0 to 65535": ["export --max-token-length 65536 dump.bin"],
    "--memory is 0: give 1 or more": ["export --memory 0 dump.bin"],
    "'xml' is invalid for '-t <FORMAT>'. Please provide one of: csv, json, ndjson": [
      "export -t xml dump.bin"
    ],
    "'tuples' is invalid for '--records <KIND>'. Please provide one of: feedback": [
      "export --records tuples"
    ],
    "'red' is invalid for '--color <WHEN>'. Please provide one of 'auto', 'always'": ["inspect --color red"],
    "missing value for '--max-pending <COUNT>'": ["export dump.bin --max-pending -1"],
    "missing value for '--offset <OFFSET>'": ["show --offset -1 dump.bin"],
    "carve takes no other --from: use export --from FORMAT": ["carve dump.bin --from hex"],
    "compare takes two inputs": ["compare dump.bin", "compare dump.bin dump.bin dump.bin"],
    "dump.bin: expected a token": ["search dump.bin"],
    "the token has 7 hex digits; expected 8 to 1024": ["search 740f470 dump.bin"],
    "no input: name files or directories after the tokens": ["search 740f4707"],
  ]

  /// Options with values that they do not take, by command.
  private static let values: [(String, String)] = [
    ("export dump.bin", "--earliest", "2015 2014-02-30 4294967296"),
    ("export dump.bin", "--max-expansion", "x"),
    ("export dump.bin", "--memory", "1parsec 9999999999GiB"), ("export dump.bin", "--from", "pdf pcap"),
    ("export dump.bin", "--protocol", "smtp nonsense"),
    ("export dump.bin", "--token-length", "'' 32, 9-3 65536"),
    ("show dump.bin", "--offset", "0x x26 0x-1 2g ''"), ("store register aa", "--at", "yesterday"),
    ("store show", "<token>", "abc"), ("replay dump.bin", "--grace", "soon -1s 5y"),
    ("replay dump.bin", "--max-invalidate", "many 101% % 1.5 -1 99999999999999999999"),
    ("store export", "--columns", "token,token '' id"), ("store history", "--trim-journal", "soon"),
    ("store import dump.bin --create", "--delimiter", "ab \" é"),
    ("store import dump.bin --create", "--time-form", "timestamp:Europe/Atlantis x"),
    ("store import dump.bin --create", "--token-form", "x"),
    ("store import dump.bin --create", "--at", "soon"),
  ].flatMap { command, option, values in
    values.words.map { value in
      let name = option.hasPrefix("-") ? option + (value.hasPrefix("-") ? "=" : " ") : ""
      let given = value == "''" ? "" : value
      return ("\(command) \(name)\(value)", "the value '\(given)' is invalid for '\(option)")
    }
  }

  private static let times: Wrong = [
    "--earliest 1970-01-01T00:03:20Z is after --latest 1970-01-01T00:01:40Z": [
      "export --earliest 200 --latest 100 dump.bin"
    ],
    "is not before --until": ["export --since 2018-01-01 --until 2018-01-01 dump.bin"],
    "times are 2015-01-01T00:00:00Z": [
      "export --since 2018 dump.bin", "export --until 2018-01-01T00:00:00.5Z dump.bin",
    ],
    "--since and --until choose records": [
      "export --until 2018-01-01 --records streams dump.bin", "export --flagged --records findings dump.bin",
    ],
    "--log-zone: ": ["Mars/Base", "+24:00", "+02:0"].map { "carve dump.bin --log-zone \($0)" },
    "--time-zone: no time zone is named 'Europe/Berlon'; did you mean Europe/Berlin?": [
      "export dump.bin --time-zone Europe/Berlon"
    ],
    "--columns: time_local needs --time-zone, such as --time-zone Europe/Berlin": [
      "export dump.bin --columns time_local"
    ],
  ]

  /// Options and commands that are none, with the nearest.
  private static let commands: Wrong = [
    "unknown option '--bogus' (`apnsift inspect --help`": ["--bogus dump.bin", "--bogus"],
    "unknown option '--bogus' (`apnsift export --help`": ["export --bogus dump.bin"],
    "unknown option '-x' (`apnsift export --help`": ["export -x dump.bin"],
    "'--recrods'; did you mean '--records'? (`apnsift export --help`": ["export --recrods=requests dump.bin"],
    "'--ded'; did you mean '--dead'? (`apnsift store list --help`": ["store list --ded"],
    "'--dead'; options follow the command: `apnsift store list --dead …`": ["store --dead list"],
    "'--colums'; options follow the command: `apnsift export --columns …`": ["--colums time export dump.bin"],
    "'--columns'; it is an option of `apnsift export`, `apnsift carve`, `apnsift store export`": [
      "--columns time dump.bin"
    ],
    "'--offset'; it is an option of `apnsift show`": ["inspect dump.bin --offset 3"],
    "'export' is a command and must come first": ["--strict export dump.bin"],
    "'generate' is in apnsift-lab": ["generate --kind dump"],
    "'serve' is in apnsift-lab": ["help serve", "serve dump.bin"],
    "'inspct' is neither a command nor a file; the nearest is 'inspect'": ["inspct"],
    "the nearest is 'export'": ["exprot dump.bin"],
    "the nearest is 'replay'": ["replya dump.bin"],
    "'tokens' is neither a command nor a file (`apnsift help`": ["tokens dump.bin"],
    "'shwo' is not a command of apnsift store; the nearest is 'show'": ["store shwo aa"],
    "'replya' is not a command of apnsift; the nearest is 'replay'": ["help replya"],
    "'lits' is not a command of apnsift store; the nearest is 'list'": ["help store lits"],
  ]

  private static let outputs: Wrong = [
    "--distinct is for the summary": [
      "export --distinct dump.bin", "export -t timesketch --distinct dump.bin",
    ],
    "-o and --findings name the same file": [
      "-o same --findings same", "-o same --findings ./same", "--findings -",
    ].map { "export \($0) dump.bin" },
    "-o x.csv.gz: output is not compressed": ["export -o x.csv.gz dump.bin"],
    "-o x.json.zst: output is not compressed": ["export -o x.json.zst dump.bin"],
    "-o x.html.gz: output is not compressed": ["report -o x.html.gz dump.bin"],
    "findings have no times": ["export -t timesketch --records findings dump.bin"],
    "-o names a directory, which gets tables": [
      "export -t bodyfile -o out/ dump.bin", "export -t json -o tables/ dump.bin",
    ],
    "-t raw writes a directory: name it with -o": ["export --to raw dump.bin"],
    "-t raw writes only streams: leave out --records, --findings, --distinct": [
      "--records feedback", "--findings f.csv", "--distinct",
    ].map { "export --to raw dump.bin -o out \($0)" },
    "--redact excludes --checksums, --dfxml and --manifest": ["--manifest", "--dfxml", "--checksums"].map {
      "report dump.bin -o page.html --redact dump.bin \($0) list"
    },
  ]

  /// Outputs whose names contradict their formats, what the format is, and what helps.
  private static let formats: [(String, String)] = [
    ("export -t csv -o x.json", "csv: leave out -t csv"), ("export -t raw -o x.csv", "raw: leave out -t raw"),
    ("export -t csv -o x.arrows", "csv: leave out -t csv"),
    ("export -t json -o x.db", "json: leave out -t json"),
    ("export -t json -o x.ndjson", "json: leave out -t json"),
    ("export --findings x.json", "csv: name a .csv file"),
    ("replay --dry-run -o x.json", "csv: name a .csv file"), ("export -o x.xlsx", "csv: name a .csv file"),
    ("export -o x.PDF", "csv: name a .csv file"), ("export -o x.html", "csv: name a .csv file"),
    ("export -o x.parquet", "csv: name a .csv file"), ("report -o x.pdf", "html: name a .html file"),
    ("report -o x.csv", "html: name a .html file"), ("search 740f4707 -o a.arrow", "csv: name a .csv file"),
    ("export -t timesketch -o x.ndjson", "timesketch: leave out -t timesketch"),
    ("export -t bodyfile -o x.jsonl", "bodyfile: leave out -t bodyfile"),
  ].map { line, remedy in
    let ending = line.drop { $0 != "." }.lowercased()
    return ("\(line) dump.bin", "names a \(ending) file, but the output is \(remedy)")
  }

  /// Columns and kinds of tables, and Arrow.
  private static let tables: Wrong = [
    "--columns: unknown column 'tokn'; the columns are source, stream, direction, client, server, offset, packet, "
      + "original_packet, file_offset, captured_at, timestamp, time, token_length, token, flags, form, chain, "
      + "chain_length, confidence, fs_path, fs_inode, fs_state, stream_offset": [
        "export --columns time,tokn dump.bin"
      ],
    "--columns: unknown column ''": ["export --columns '' dump.bin"],
    "--columns: unknown column 'timestamp'": ["export dump.bin --records requests --columns timestamp"],
    "--columns: unknown column 'outcome'": [
      "export dump.bin --records responses --columns outcome", "export dump.bin --columns outcome",
    ],
    "--columns chooses columns of one kind of record in CSV, NDJSON or Arrow: name the kind with --records": [
      "-t ndjson", "--records feedback -t json", "-t bodyfile --records feedback", "-t raw -o out",
    ].map { "export --columns time \($0) dump.bin" },
    "a directory gets all kinds": [
      "export --columns stream -o tables/ dump.bin", "export --records streams -o tables/ dump.bin",
    ],
    "leave out --uppercase": ["export -t arrow --uppercase dump.bin"],
    "--batch-rows is for Arrow": ["export --batch-rows 7 dump.bin"],
    "--batch-rows is 0: give 1 to 16777216": ["export -t arrow --batch-rows 0 dump.bin"],
  ]

  private static let captures: [(String, String)] = [
    "--reorder-window x", "--reorder-window=-1", "--reorder-window 1048577", "--stream-buffer x",
    "--stream-buffer=-1", "--total-buffer 1.5", "--total-buffer ''", "--fragment-buffer 9ZB",
    "--max-connections 0", "--max-connections=-5", "--max-connections 99999999999999999999",
    "--max-packet 63", "--max-packet 2GiB", "--feedback-port 65536", "--feedback-port=-1",
    "--gateway-port apns", "--jobs=0", "--jobs=1025", "--jobs=-1", "--jobs=many",
  ].map { ("export dump.bin -o out.csv \($0)", String($0.prefix { !" =".contains($0) })) }

  private static let stores: Wrong = [
    "'tokens.sqlite': expected sqlite:PATH": ["replay --store tokens.sqlite dump.bin"],
    "'sqlite:': expected a path after the colon": ["replay --store sqlite: dump.bin"],
    "the database's name contains an @": ["replay --store postgres://u:secret/s@h/d dump.bin"],
    "--lock-timeout is 86401: give 0 to 86400": ["replay --store sqlite:s --lock-timeout 86401 dump.bin"],
    "the value 'staging' is invalid for '--environment <NAME>'. Please provide one of 'production' and 'sandbox'":
      ["replay --environment staging dump.bin"],
    "--each-app and --app exclude each other": ["replay dump.bin --each-app --app a"],
    "--each-app and --other-app exclude each other": ["replay dump.bin --each-app --other-app"],
    "--each-app and -o exclude each other": ["replay dump.bin --each-app --dry-run -o rows.csv"],
    "-o requires --dry-run": ["replay dump.bin -o rows.csv"],
    "for '--fail-on <LIST>'. Please provide one of 'unrecognised'": ["replay dump.bin --fail-on everything"],
    "--skip-replayed skips single files": [
      "replay --skip-replayed --join dump.bin",
      "replay --skip-replayed --requests dump.bin --responses dump.bin",
    ],
    "--dead and --live exclude each other": ["store list --dead --live", "store export --dead --live"],
    "give either tokens or --csv FILE": ["store register", "store register aa --csv list.csv"],
    "--at and --csv exclude each other": ["store register --csv list.csv --at 1"],
    "missing expected argument '<token> ...'": ["store show"],
    "a number and --last exclude each other": ["store history 1 --last 1"],
    "--last is 0: give 1 to": ["store history --last 0"],
    "--trim-journal goes without a number": ["store history --trim-journal 9d --json"],
  ]

  private static let mapped: Wrong = [
    "--create creates apnsift's own table, but the mapping names devices: remove --create or the mapping": [
      "replay --create \(own)", "store register aa --create --store sqlite:own.sqlite --mapping sound.yml",
    ],
    "no store is named: name the database that has the table devices with --store": [
      "replay dump.bin --mapping sound.yml", "store list --mapping sound.yml",
    ],
    "token store 'own.sqlite': expected sqlite:PATH; for that file write sqlite:own.sqlite": [
      "store list --store own.sqlite --mapping sound.yml"
    ],
    "--known-only and --insert-unknown exclude each other": ["replay --known-only --insert-unknown \(own)"],
    "--journal and --no-journal exclude each other": ["replay --journal sqlite:j --no-journal \(own)"],
    "--journal": ["replay --journal journal.sqlite \(own)"],
    "leave out --table and --token-column": ["replay --table devices --token-column token \(own)"],
    "--insert-unknown requires --mapping": [
      "replay dump.bin --insert-unknown", "store register aa --insert-unknown",
    ],
  ]
  private static let own = "dump.bin --store sqlite:own.sqlite --mapping sound.yml"

  /// A table that two options name can be read and tried, and no more.
  private static let trials: Wrong = [
    "--table and --token-column go together": [
      "replay dump.bin --table devices \(other)", "store list --token-column token \(other)",
    ],
    "--table and --token-column require --dry-run; to write, describe the table in a file for --mapping "
      + "(docs/stores.md, Your own table)": ["replay dump.bin", "store register aa", "store undo 1"].map {
        "\($0) --table devices --token-column token \(other)"
      },
    "--table a.b.c --token-column token: ": ["store list --table a.b.c --token-column token \(other)"],
    "--table devices --token-column : ": ["store list --table devices --token-column '' \(other)"],
    "'--token-form'": ["store list --token-form hex \(other)"],
  ]

  private static let other = "--store sqlite:own.sqlite"

  private static let mapping =
    "table: devices\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n"

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ line: String, _ message: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2)), "sound.yml": Self.mapping.utf8])
    let outcome = try directory.apnsift(line.words.map { $0 == "''" ? "" : $0 }).exits(64)
    #expect(outcome.output.isEmpty)
    #expect(try directory.names == ["dump.bin", "sound.yml"])
    let errors = outcome.messages.joined(separator: "\n")
    #expect(errors.contains(message) && !errors.contains("secret"), "\(line): \(errors)")
  }

  @Test("the version", arguments: [["--version"], ["export", "--version"]])
  func version(_ arguments: [String]) throws {
    let outcome = try TestDirectory().apnsift(arguments).exits(0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }

  /// docs/spec/interface.md#input-options.
  static let repeated: [(line: String, message: String)] = [
    ("export --token-length 32 --token-length 54", "(32, then 54): give it once, as a list: "),
    ("inspect --token-length=32 --token-length 54", "(32, then 54): give it once, as a list: "),
    ("export --columns time --columns=token", "(time, then token): give it once, as a list: "),
    ("inspect --fail-on warning --fail-on unrecognised", "as a list: --fail-on warning,unrec"),
    ("inspect --earliest 1 --earliest 2", "--earliest is given twice (1, then 2)"),
    ("export -t csv --to json", "--to is given twice (csv, then json)"),
    ("export -t csv -t csv", "--to is given twice (csv, then csv)"),
    ("export --log-zone -05:00 --log-zone UTC", "--log-zone is given twice (-05:00, then UTC)"),
    ("report --title one\n --title two", #"--title is given twice (one\n, then two)"#),
    ("store list --store sqlite:a --store postgres://u:secret@h/d", "--store is given twice: give it once"),
  ]

  @Test("of an option that is given twice both values are named; of a URL, neither is", arguments: repeated)
  func refused(_ line: String, _ message: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2))])
    let outcome = try directory.apnsift(line.words + (line.hasPrefix("store") ? [] : ["dump.bin"])).exits(64)
    #expect(outcome.output.isEmpty && outcome.messages.count == 1)
    #expect(outcome.errors.contains(message) && !outcome.errors.contains("secret"), "\(outcome.errors)")
    #expect(try directory.names == ["dump.bin"])
  }

  @Test(
    "flags, repeatable options and words after -- may be there twice",
    arguments: [
      "export --strict --strict dump.bin", "export --feedback-port 1 --feedback-port 2 dump.bin",
      "export -t csv --token-length 32,54 dump.bin", "inspect dump.bin -- --earliest --earliest",
      "export --log-zone -05:00 dump.bin", "report --title same --examiner same -o - dump.bin",
    ])
  func taken(_ line: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2)), "--earliest": feedback(tuples(2))])
    try directory.apnsift(line.words).exits(0)
  }

  // MARK: - Help

  static let helps: [[String]] =
    [
      "inspect", "export", "replay", "audit", "show", "report", "verify", "store", "store show", "store list",
      "store register", "store import", "store export", "store history", "store undo",
    ].map { "apnsift \($0) --help".words }
    + ["", "--help", "-h", "help", "help replay", "help store list"].map { "apnsift \($0)".words }
    + ["generate --help", "serve --help", "verify --help", ""].map { "apnsift-lab \($0)".words }

  private func help(_ words: [String]) throws -> Outcome {
    let arguments = Array(words.dropFirst())
    return try words[0] == "apnsift" ? TestDirectory().apnsift(arguments) : TestDirectory().lab(arguments)
  }

  /// An option takes at most two lines, or four with a list of values.
  @Test(
    "lines have at most 80 columns, no example is wrapped, options are short, and groups are in one order",
    arguments: helps)
  func form(_ arguments: [String]) throws {
    let outcome = try help(arguments)
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
    let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(outcome.text)")
    let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    // The rest of a wrapped line begins in column 1.
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
    let groups = outcome.text.split(separator: "\n\n").filter {
      $0.wholeMatch(of: /[A-Z ]+:\n[\s\S]*/) != nil
    }
    let titles = groups.map { $0.prefix { $0 != ":" } }
    #expect(titles.filter { $0 == "OPTIONS" }.count == 1, "\(titles)")
    if let advanced = titles.firstIndex(of: "ADVANCED") { #expect(advanced == titles.count - 1, "\(titles)") }
    for group in groups where !group.hasPrefix("SUBCOMMANDS") {
      for option in group.split(separator: /\n  (?=[-<])/).dropFirst() {
        let name = option.prefix { $0 != "\n" && $0 != " " }
        // A name that is too long for its column has a line of its own.
        let lines = option.split(separator: "\n")
        let count = lines.count - (lines[0].contains("  ") ? 0 : 1)
        #expect(count <= (option.contains("(values:") ? 4 : 2), "\(name): \(option)")
      }
    }
  }

  @Test("the reference of limits has each option of the group ADVANCED, and no other that --help lacks")
  func limits() throws {
    let help = try TestDirectory().apnsift("export", "--help").text
    let advanced = try #require(help.split(separator: "\n\n").last { $0.hasPrefix("ADVANCED:\n") })
    let page = try TestDirectory().apnsift("explain", "--page", "limits").text
    let listed = page.matches(of: /\n\| `(--[a-z-]+)`/).map { String($0.1) }
    let offered = advanced.matches(of: /\n  (--[a-z-]+)/).map { String($0.1) }
    #expect(offered.contains("--memory") && Set(offered).isSubset(of: listed))
    #expect(listed.allSatisfy { help.contains("  \($0) <") })
    #expect(!advanced.contains("--filter"))
  }
}
