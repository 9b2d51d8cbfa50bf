import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Named outputs") struct OutputFileTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])
  private let dump = feedback(tuples(3))

  /// What `export dump.bin` prints.
  private func csv() throws -> [UInt8] { try directory.apnsift("export", "dump.bin").output }

  @Test("-o and --findings write what standard output gets, and leave no other file") func wholeFiles() throws
  {
    let outcome = try directory.apnsift("export dump.bin -o out.csv --findings wrong.csv".words).exits(0)
    #expect(outcome.output.isEmpty)
    #expect(try directory.bytes(of: "out.csv") == csv())
    #expect(try directory.text(of: "wrong.csv") == Self.findingHeader)
    #expect(try directory.names == ["dump.bin", "out.csv", "wrong.csv"])
  }

  static let findingHeader =
    "source,stream,direction,offset,length,packet,file_offset,code,severity,message\n"

  /// Commands that write the file whose name follows, and how it begins.
  static let writers: [(command: String, start: String)] = [
    ("export dump.bin -o", "source,stream,"), ("export dump.bin --findings", findingHeader),
    ("report dump.bin -o", "<!doctype html>"), ("replay dump.bin --dry-run -o", "key,token,"),
    ("store export -o", "token,registered_at,"),
  ]

  @Test("an existing file is kept, unless --force is given", arguments: writers)
  func existingFile(_ command: String, _ start: String) throws {
    try directory.makeStore()
    try directory.write("precious\n", to: "out")
    let names = try directory.names
    let refused = try directory.apnsift("\(command) out".words).exits(2, saying: "out exists already")
    #expect(refused.output.isEmpty && refused.messages.count == 1)
    #expect(try directory.text(of: "out") == "precious\n")
    try directory.apnsift("\(command) out --force".words).exits(0)
    #expect(try directory.text(of: "out").hasPrefix(start))
    #expect(try directory.names == names)
  }

  @Test(
    "an input is never an output", arguments: ["-o", "--findings"],
    ["dump.bin", "./dump.bin", "link", "hardlink", "dumps/member.bin", "dumps/notes.txt"])
  func inputAsOutput(_ option: String, _ name: String) throws {
    try directory.makeLink("link", to: "dump.bin")
    _ = link(directory.path(of: "dump.bin"), directory.path(of: "hardlink"))
    try directory.write(dump, to: "dumps/member.bin")
    try directory.write("notes", to: "dumps/notes.txt")
    let before = try directory.bytes(of: name)
    let outcome = try directory.apnsift("export dump.bin dumps \(option) \(name) --force".words).exits(2)
    #expect(outcome.messages == [Message.outputIsRead(name, ReadFiles.input).text])
    #expect(try directory.bytes(of: name) == before)
  }

  static let impossible: [(name: String, message: Message)] = [
    ("missing/out.csv", "missing/out.csv cannot be created: \(SystemError.text(ENOENT))"),
    ("dump.bin/out.csv", "dump.bin/out.csv cannot be created: \(SystemError.text(ENOTDIR))"),
    ("dumps", "dumps is a directory"), ("dumps/", "dumps/ is a directory"),
    ("nowhere", "nowhere is a broken symbolic link"), ("", "the name of the output is empty"),
  ]

  @Test("an output that cannot be made fails before anything is read", arguments: impossible)
  func impossibleOutput(_ name: String, _ message: Message) throws {
    try directory.makeDirectory("dumps")
    try directory.makeLink("nowhere", to: "gone")
    // -o writes tables into a directory.
    for option in name.hasPrefix("dumps") ? ["--findings"] : ["-o", "--findings"] {
      let outcome = try directory.apnsift("export", "dump.bin", option, name).exits(2, saying: message)
      #expect(outcome.output.isEmpty && outcome.messages.count == 1)
    }
    #expect(try directory.names == ["dump.bin", "dumps", "nowhere"])
  }

  @Test("a link is followed: what it leads to is replaced, the link stays") func outputThroughLink() throws {
    try directory.write("old\n", to: "target.csv")
    try directory.makeLink("out.csv", to: "target.csv")
    try directory.apnsift("export dump.bin -o out.csv --force".words).exits(0)
    #expect(try directory.bytes(of: "target.csv") == csv())
    var status = stat()
    #expect(lstat(directory.path(of: "out.csv"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  /// What each command writes of `dump.bin`, and whether only the user may read it: tokens are personal data.
  static let written: [(command: String, output: String, mode: mode_t)] = [
    ("export -o out", "out", 0o600), ("export --findings out", "out", 0o600),
    ("export -o out/", "out", 0o700),
    ("export -o out/", "out/feedback.csv", 0o600), ("export -t raw -o out", "out", 0o700),
    ("export -t raw -o out", "out/streams.json", 0o600), ("report -o out", "out", 0o600),
    ("replay --create --store sqlite:out", "out", 0o600),
    ("replay --create --store sqlite:out --dry-run -o changes.csv", "changes.csv", 0o600),
  ]

  @Test("only the user may read what has tokens, whatever the umask is", arguments: written)
  func permissions(_ command: String, _ output: String, _ mode: mode_t) throws {
    try directory.shell("umask 027; \"$APNSIFT\" \(command) dump.bin").exits(0)
    var status = stat()
    #expect(stat(directory.path(of: output), &status) == 0 && status.st_mode & 0o777 == mode)
  }

  @Test(
    "standard output by its names is written directly",
    arguments: ["-o -", "-o /dev/stdout", "-o /dev/fd/1"], ["| cat", ">out.csv && cat out.csv"])
  func standardOutputByName(_ option: String, _ redirection: String) throws {
    let outcome = try directory.shell("\"$APNSIFT\" export dump.bin \(option) \(redirection)").exits(0)
    #expect(try outcome.output == csv())
    #expect(canOpen("/dev/stdout"))
  }

  @Test("findings go to standard error's log without taking it away") func findingsToStandardError() throws {
    let outcome = try directory.shell(
      "\"$APNSIFT\" export dump.bin --findings /dev/stderr 2>log >out; cat log")
    #expect(outcome.text.hasPrefix(Self.findingHeader))
    #expect(outcome.text.contains("apnsift: exported 3 records of 1 input"))
  }

  @Test("a named pipe is written directly") func namedPipe() throws {
    try directory.makePipe("pipe")
    let outcome = try directory.shell("cat pipe & \"$APNSIFT\" export dump.bin -o pipe && wait").exits(0)
    #expect(try outcome.output == csv())
    #expect(try directory.names == ["dump.bin", "pipe"])
  }

  @Test(
    "a disk that fills up leaves neither the file nor a part of it",
    arguments: [
      ("-o out --findings /dev/null", SystemError.text(EFBIG)),
      ("--findings out -o /dev/null", SystemError.text(EFBIG)), ("-o out -t sqlite", ""),
    ])
  func fullDisk(_ options: String, _ error: String) throws {
    // Damage in every tuple makes the findings as long as the records.
    let damaged = (0..<4000).flatMap { Tuple(1_400_000_000, token($0)).bytes.dropLast($0 % 2) }
    try directory.write(damaged, to: "damaged.bin")
    try directory.shell("ulimit -f 64; \"$APNSIFT\" export damaged.bin \(options)")
      .exits(2, saying: "out cannot be written: \(error)")
    #expect(try directory.names == ["damaged.bin", "dump.bin"])
  }

  @Test("a file called - is no standard output") func dash() throws {
    try directory.write(dump, to: "-")
    #expect(try directory.apnsift("export ./- -o - -t csv".words).exits(0).lines.count == 4)
    #expect(try directory.bytes(of: "-") == dump)
  }

  @Test("a name that is taken while the export runs is not overwritten") func nameTakenMeanwhile() throws {
    try directory.makePipe("input")
    let child = try directory.start(["export", "input", "-o", "out.csv"])
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try directory.write("precious\n", to: "out.csv")
    try writer.write(dump)
    writer.close()
    #expect(try child.wait() == .exit(2))
    #expect(try directory.text(of: "out.csv") == "precious\n")
    #expect(try directory.names == ["dump.bin", "input", "out.csv"])
  }
}

@Suite("Signals") struct OutputSignalTests {
  private let directory = TestDirectory()

  @Test("a signal in the middle of an export leaves no file", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(_ number: Int32) throws {
    try directory.makePipe("input")
    let child = try directory.start("export input -o out.csv --findings wrong.csv".words)
    // Outputs are opened before inputs: once the command reads, its temporary files are there.
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(5000)))
    let names = try directory.names
    #expect(names.count == 3 && !names.contains("out.csv") && !names.contains("wrong.csv"))
    child.send(number)
    #expect(try child.wait() == .signal(number))
    #expect(try directory.names == ["input"])
  }

  @Test("a signal that the caller ignores stays ignored") func ignoredSignal() throws {
    try directory.makePipe("input")
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let line = "trap '' HUP; exec \"$APNSIFT\" export input -o out.csv"
    let child = try directory.start(
      "/bin/sh", [Array("-c".utf8), Array(line.utf8)], input: null.number, output: null.number,
      errors: null.number)
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    child.send(SIGHUP)
    try writer.write(feedback(tuples(3)))
    writer.close()
    #expect(try child.wait() == .exit(0))
    #expect(directory.exists("out.csv"))
  }
}
