import Basics
import CommandTestSupport
import Testing

@Suite("Named outputs") struct OutputFileTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])
  private let dump = feedback(tuples(3))

  /// What `export dump.bin` prints.
  private func csv() throws -> [UInt8] { try directory.apnsift("export", "dump.bin").output }

  @Test("-o and --findings write what standard output gets, and leave no other file") func wholeFiles() throws
  {
    let outcome = try directory.apnsift("export", "dump.bin", "-o", "out.csv", "--findings", "wrong.csv")
      .exits(0)
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
    let arguments = command.split(separator: " ").map(String.init) + ["out"]
    let refused = try directory.apnsift(arguments).exits(2)
    #expect(refused.output.isEmpty)
    #expect(refused.messages.count == 1 && refused.said("out exists already"), "\(refused.errors)")
    #expect(try directory.text(of: "out") == "precious\n")
    try directory.apnsift(arguments + ["--force"]).exits(0)
    #expect(try directory.text(of: "out").hasPrefix(start))
    #expect(try directory.names == names)
  }

  @Test(
    "an input is never an output", arguments: ["-o", "--findings"],
    ["dump.bin", "./dump.bin", "link", "hardlink", "dumps/member.bin", "dumps/notes.txt"]) func inputAsOutput(
      _ option: String, _ name: String
    ) throws
  {
    try directory.makeLink("link", to: "dump.bin")
    _ = link(directory.path(of: "dump.bin"), directory.path(of: "hardlink"))
    try directory.write(dump, to: "dumps/member.bin")
    try directory.write("notes", to: "dumps/notes.txt")
    let before = try directory.bytes(of: name)
    let outcome = try directory.apnsift("export", "dump.bin", "dumps", option, name, "--force").exits(2)
    #expect(outcome.messages == ["\(name) is \(ReadFiles.input): name another file to write"])
    #expect(try directory.bytes(of: name) == before)
  }

  /// An output that cannot be, and the message.
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
      let outcome = try directory.apnsift("export", "dump.bin", option, name).exits(2)
      #expect(outcome.output.isEmpty && outcome.messages.count == 1)
      #expect(outcome.said(message), "\(outcome.errors)")
    }
    #expect(try directory.names == ["dump.bin", "dumps", "nowhere"])
  }

  @Test("a link is followed: what it leads to is replaced, the link stays") func outputThroughLink() throws {
    try directory.write("old\n", to: "target.csv")
    try directory.makeLink("out.csv", to: "target.csv")
    #expect(try directory.apnsift("export", "dump.bin", "-o", "out.csv", "--force").code == 0)
    #expect(try directory.bytes(of: "target.csv") == csv())
    var status = stat()
    #expect(lstat(directory.path(of: "out.csv"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  /// What each command writes, and whether only the user may read it: tokens are personal data.
  static let written: [(command: String, output: String, mode: mode_t)] = [
    ("export dump.bin -o out", "out", 0o600), ("export dump.bin --findings out", "out", 0o600),
    ("export dump.bin -o out/", "out", 0o700), ("export dump.bin -o out/", "out/feedback.csv", 0o600),
    ("export dump.bin -t raw -o out", "out", 0o700),
    ("export dump.bin -t raw -o out", "out/streams.json", 0o600), ("report dump.bin -o out", "out", 0o600),
    ("replay dump.bin --create --store sqlite:out", "out", 0o600),
    ("replay dump.bin --create --store sqlite:out --dry-run -o changes.csv", "changes.csv", 0o600),
  ]

  @Test("only the user may read what has tokens, whatever the umask is", arguments: written) func permissions(
    _ command: String, _ output: String, _ mode: mode_t
  ) throws {
    try directory.shell("umask 027; \"$APNSIFT\" \(command)").exits(0)
    var status = stat()
    #expect(stat(directory.path(of: output), &status) == 0)
    #expect(status.st_mode & 0o777 == mode)
  }

  static let inPlace = ["-o -", "-o /dev/stdout", "-o /dev/fd/1"]

  @Test(
    "standard output by its names is written directly", arguments: inPlace,
    ["| cat", ">out.csv && cat out.csv"]) func standardOutputByName(_ option: String, _ redirection: String)
    throws
  {
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

  @Test("a disk that fills up leaves neither the file nor a part of it", arguments: ["-o", "--findings"])
  func fullDisk(_ option: String) throws {
    // Damage in every tuple makes the findings as long as the records.
    let damaged = (0..<4000).flatMap { Tuple(1_400_000_000, token($0)).bytes.dropLast($0 % 2) }
    try directory.write(damaged, to: "damaged.bin")
    let other = option == "-o" ? "--findings /dev/null" : "-o /dev/null"
    try directory.shell(
      "ulimit -f 64; \"$APNSIFT\" export damaged.bin \(option) out.csv \(other)"
    ).exits(2, saying: "out.csv cannot be written: \(SystemError.text(EFBIG))")
    #expect(try directory.names == ["damaged.bin", "dump.bin"])
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

@Suite("Outputs of a command that fails in the middle") struct FailedOutputTests {
  /// Several threads use the output then.
  @Test("no file is left where temporary files cannot be created") func noTemporaryFile() throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(40_000))])
    let outcome = try directory.shell(
      "TMPDIR=/missing \"$APNSIFT\" export dump.bin --distinct --memory 1MiB -o out.ndjson"
    ).exits(2)
    #expect(outcome.errors.contains("/missing"))
    #expect(try directory.names == ["dump.bin"])
  }
}

@Suite("Standard output as a file") struct StandardOutputTests {
  @Test("a file called - is no standard output") func dash() throws {
    let directory = TestDirectory(["-": feedback(tuples(3))])
    let outcome = try directory.apnsift("export", "./-", "-o", "-", "-t", "csv").exits(0)
    #expect(parseCSV(outcome.text).count == 4)
    #expect(try directory.bytes(of: "-") == feedback(tuples(3)))
  }
}

@Suite("Signals") struct OutputSignalTests {
  private let directory = TestDirectory()

  @Test("a signal in the middle of an export leaves no file", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(_ number: Int32) throws {
    try directory.makePipe("input")
    let child = try directory.start(["export", "input", "-o", "out.csv", "--findings", "wrong.csv"])
    // Outputs are opened before inputs: once the command reads, its temporary files are there.
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(5000)))
    let names = try directory.names
    #expect(names.count == 3)
    #expect(!names.contains("out.csv") && !names.contains("wrong.csv"))
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
