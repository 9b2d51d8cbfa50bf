import CommandTestSupport
import Testing

/// Arguments and streams of any command.
@Suite("Command line") struct CommandLineTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])
  private let dump = feedback(tuples(3))
  /// What would move the cursor, colour text or turn its direction on a terminal.
  private static let hidden = ["\u{1b}[31m", "\u{1b}]", "\u{7}", "\u{202e}"]
  @Test("without arguments, a pipe or a file on standard input is inspected") func bareCommand() throws {
    let named = try directory.apnsift("inspect", "-", input: .bytes(dump)).exits(0)
    for input in [StandardInput.bytes(dump), .file("dump.bin")] {
      let bare = try directory.apnsift([], input: input)
      #expect(bare.code == 0 && bare.text == named.text && bare.errors == named.errors)
    }
  }

  @Test("without arguments, a terminal or a device on standard input gets the help")
  func bareCommandWithoutInput() throws {
    #expect(try directory.apnsift([]).text.hasPrefix("OVERVIEW: "))
    #expect(try onTerminal("").contains("OVERVIEW: "))
  }

  /// The output of the command with a terminal as all three streams.
  private func onTerminal(_ arguments: String, _ environment: String = "TERM=xterm") throws -> String {
    let outcome = try directory.shell(
      "\(environment) python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \"$APNSIFT\" \(arguments)")
    return outcome.text
  }

  @Test("control characters and changes of direction in a name do not reach a terminal")
  func controlCharacters() throws {
    let name = "a\u{1b}[31m\u{202e}nib.bin"
    try directory.write(dump, to: name)
    #expect(try directory.apnsift("export", name).text.contains(name))
    for command in ["export", "export -t ndjson", "inspect", "inspect --json"] {
      let text = try onTerminal("\(command) a*.bin")
      #expect(Self.hidden.filter(text.contains) == [], "\(command): \(text)")
      #expect(text.contains("nib.bin"))
    }
  }

  @Test("they reach it by no command, and by no option that names the terminal")
  func controlCharactersOfCommands() throws {
    try directory.write(dump, to: "a\u{1b}]0;title\u{7}\u{202e}nib.bin")
    let store = "--store sqlite:t.sqlite"
    for command in [
      "replay \(store) --create a*.bin", "store history \(store)", "store history --json \(store)",
      "store history --changes \(store)", "audit a*.bin", "audit --json a*.bin", "show --record 1 a*.bin",
      "show --record 1 --color always a*.bin", "export -o /dev/tty a*.bin", "export -o /dev/stdout a*.bin",
      "export --records inputs a*.bin", "export -o x.csv --force --checksums - a*.bin",
      "export -o x.csv --force --dfxml /dev/stderr a*.bin", "export --records a*.bin",
      "export --recorts=a*.bin", "explain a*.bin", "help a*.bin", "a*.bin missing-a*.bin", "verify a*.bin",
    ] {
      let text = try onTerminal(command)
      #expect(Self.hidden.dropFirst().filter(text.contains) == [], "\(command): \(text)")
    }
  }

  @Test("a line end in an argument begins no message") func lineEnds() throws {
    for arguments in [
      ["export", "--records", "x\napnsift: fine"], ["export", "--records=x\napnsift: fine"],
      ["export", "a", "--x\napnsift: fine"], ["x\napnsift: fine"],
    ] {
      let outcome = try directory.apnsift(arguments)
      #expect(outcome.code != 0)
      #expect(!outcome.errors.split(separator: "\n").contains("apnsift: fine"), "\(outcome.errors)")
    }
  }

  @Test("the extension of an output chooses the format", arguments: ["csv", "json", "ndjson"])
  func extensions(_ name: String) throws {
    try directory.apnsift("export dump.bin -o out.\(name)".words).exits(0)
    try directory.apnsift("export dump.bin -t \(name) -o out".words).exits(0)
    #expect(try directory.text(of: "out.\(name)") == directory.text(of: "out"))
  }

  @Test(
    "an extension of no format chooses none, and there are other names of NDJSON and HTML",
    arguments: [
      ("export", "x.txt", "source,"), ("export", "x.dat", "source,"), ("export", "x.out", "source,"),
      ("export", "x.2024", "source,"), ("export", "x", "source,"),
      ("export", "x.jsonl", "{\"type\":\"header\""),
      ("report", "x.htm", "<!doctype html>"),
    ])
  func otherExtensions(_ command: String, _ name: String, _ start: String) throws {
    try directory.apnsift(command, "dump.bin", "-o", name).exits(0)
    #expect(try directory.text(of: name).hasPrefix(start))
  }

  @Test("--color decides, then NO_COLOR and a dumb terminal do") func colour() throws {
    try directory.write(dump.dropLast(5), to: "cut.bin")
    for command in ["inspect", "show --offset 0", "audit"] {
      let words = "\(command) cut.bin".words
      let plain = try directory.apnsift(words)
      #expect(!plain.text.contains("\u{1b}[") && !plain.errors.contains("\u{1b}["))
      #expect(try directory.apnsift(words, environment: ["CLICOLOR_FORCE": "1"]).text == plain.text)
      for color in ["never", "auto"] {
        #expect(try directory.apnsift(words + ["--color", color]).text == plain.text)
      }
    }
    let always = try directory.apnsift(
      "inspect cut.bin --color=always".words, environment: ["NO_COLOR": "1"]
    ).exits(0)
    #expect(always.text.contains("\u{1b}["))
    #expect(try onTerminal("inspect cut.bin").contains("\u{1b}["))
    for (option, terminal) in [
      ("", "TERM=dumb"), ("", "TERM=xterm NO_COLOR=1"), ("--color never", "TERM=xterm"),
    ] {
      #expect(try !onTerminal("inspect cut.bin \(option)", terminal).contains("\u{1b}[3"), "\(terminal)")
    }
  }

  @Test("offsets are decimal or hex", arguments: [("0x26", "38"), ("0X4c", "76"), ("0x0", "0")])
  func hexOffset(_ hex: String, _ decimal: String) throws {
    let shown = try directory.apnsift("show", "--offset", hex, "dump.bin").exits(0)
    #expect(try shown.text == directory.apnsift("show", "--offset", decimal, "dump.bin").text)
  }

  @Test("an input may be named like an option, a command, or a mistyped one") func namesOfInputs() throws {
    for name in ["--bogus", "export", "exprot"] { try directory.write(dump, to: name) }
    #expect(try directory.apnsift("inspect", "--", "--bogus").code == 0)
    #expect(try directory.apnsift("--strict", "export").code == 0)
    #expect(try directory.apnsift("exprot").exits(0).text.hasPrefix("exprot\n"))
  }

  @Test(
    "every line on standard error has the prefix",
    arguments: [
      "export --from pdf dump.bin", "export --columns", "export", "store list x y", "inspect missing.bin",
      "exprot dump.bin", "export --force=1", "replay dump.bin --store x", "verify .",
      "export dump.bin --records resend", "help nothing", "--generate-completion-script=no-shell",
    ])
  func prefix(_ line: String) throws {
    let errors = try directory.apnsift(line.words).errors
    #expect(!errors.isEmpty)
    for line in errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      #expect(line.hasPrefix("apnsift: ") && !line.hasPrefix("apnsift: Error: "), "\(line)")
    }
  }
}
