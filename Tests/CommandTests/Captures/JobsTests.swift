import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// The output of several jobs is that of one: the same bytes, files, messages and exit code.
@Suite("Jobs")
struct JobsTests {
  private let directory = TestDirectory()

  init() throws {
    for number in 0..<5 {
      // Of several blocks, and of different lengths: a lane has to wait with the later ones.
      let dump = feedback(tuples(9000 + number, from: 20_000 * number))
      try directory.write(dump, to: "large/\(number).bin")
      // More than one group of small inputs, in part damaged.
      for small in 0..<30 {
        var dump = feedback(tuples(20, from: 100 * small))
        if small % 7 == 3 { dump.remove(at: 100) }
        try directory.write(dump, to: "small/\(number)/\(small).bin")
      }
    }
    try directory.write(feedback(tuples(20, from: 100)), to: "small/copy.bin")
    try directory.write("", to: "small/empty.bin")
    try directory.write("no dump\n", to: "small/text.txt")
    let made = try directory.shell(
      """
      mkdir packed
      for n in 0 1 2 3; do gzip -c large/$n.bin >packed/$n.gz; xz -0 -c large/$n.bin >packed/$n.xz; done
      head -c 9000 packed/1.gz >packed/cut.gz
      tar -cf packed/some.tar large/1.bin small/0; tar -cf - small | gzip >packed/small.tgz
      ln -s nowhere packed/broken; cp large/2.bin packed/z.bin
      sha256sum large/1.bin small/1/5.bin packed/some.tar | cut -d ' ' -f 1 >known.txt
      """)
    try #require(made.code == 0, "\(made.errors)")
  }

  static let inputs = [
    "large", "small", "small/0 small/copy.bin small/0", "packed", "large none.bin packed small",
    "large/0.bin", "large/0.bin large/0.bin", "--known-hashes known.txt large packed small",
    "--memory 1MiB packed large", "--requests large/0.bin --responses large/1.bin", "--from hex large packed",
    "--max-content 100KiB packed", "--from carve large small",
    "SAMPLES/captures large/0.bin SAMPLES/corpus", "SAMPLES/tls --keys SAMPLES/tls/gcm.keys",
    "--no-embedded-keys SAMPLES/tls", "SAMPLES/pushes large/0.bin",
    "--join SAMPLES/captures/uplinks-one.pcap large/0.bin", "--strict small/0 packed",
  ].map { $0.replacing("SAMPLES", with: Repository.path(of: "samples")) }

  static let commands = [
    "export", "export -t ndjson", "export -t json", "export -t arrow", "export --records inputs --md5",
    "export --records streams",
    "export --flagged --findings findings.csv --distinct -t ndjson -o out.ndjson --force",
    "export --dfxml files.xml --checksums files.sha256 --force", "inspect", "inspect --json",
    "inspect --no-hash --no-distinct", "report",
  ]

  @Test("export and every sixth command have the same output, messages and exit code", arguments: 0..<6)
  func same(_ part: Int) throws {
    // So that --flagged gets the corpus, which has records of all kinds.
    let commands = Self.commands.indices.filter { $0 == 0 || $0 % 6 == (part + 5) % 6 }
    for index in stride(from: part, to: Self.inputs.count, by: 6) {
      try compare(commands.map { Self.commands[$0] }, Self.inputs[index])
    }
  }

  /// Of `scripts/test --soak`.
  @Test("every command has the same output, messages and exit code", arguments: inputs)
  func manyOutputs(_ inputs: String) throws { try compare(Self.commands, inputs) }

  private func compare(_ commands: [String], _ inputs: String) throws {
    // In a small memory, the record that dates a token is any of those with the same time.
    for command in commands where command != "report" || !inputs.contains("--memory") {
      let one = try output(of: "\(command) --jobs 1 \(inputs)")
      for jobs in command == "export" ? [2, 7] : [7] {
        let several = try output(of: "\(command) --jobs \(jobs) \(inputs)")
        #expect(several == one, "\(command), \(jobs) jobs: \(several.errors) instead of \(one.errors)")
      }
    }
  }

  private struct Output: Equatable {
    var code: Int32?
    var text: [UInt8]
    var errors: String
    var files: [String: [UInt8]]
  }

  private func output(of command: String) throws -> Output {
    let outcome = try directory.apnsift(command.words)
    let written = ["out.ndjson", "findings.csv", "files.sha256"].filter { directory.exists($0) }
    let files = try written.map { ($0, try directory.bytes(of: $0)) }
    return Output(
      code: outcome.code, text: outcome.output, errors: outcome.errors,
      files: Dictionary(uniqueKeysWithValues: files))
  }

  @Test(
    "bytes of streams, and tables of all kinds, are written to the same files",
    arguments: [
      ("raw", "large packed"), ("csv", "large small packed"), ("ndjson", "large small packed"),
      ("arrow", "large small packed"),
    ])
  func directories(_ format: String, _ inputs: String) throws {
    for jobs in [1, 7] {
      let outcome = try directory.apnsift("export -t \(format) -o out\(jobs)/ --jobs \(jobs) \(inputs)".words)
      #expect(outcome.code == 2, "packed/cut.gz is truncated")
    }
    #expect(try directory.shell("diff -r out1 out7").text.isEmpty)
    let count = try directory.names(in: "out7").count
    #expect(format == "raw" ? count > 0 : count == 11)
  }

  @Test("a replay changes the same rows")
  func replay() throws {
    var lists: [String] = []
    for jobs in [1, 7] {
      let store = "--store sqlite:\(jobs).sqlite"
      try directory.apnsift(
        "replay large packed --skip-unreadable \(store) --create --jobs \(jobs)".words
      ).exits(2)
      let again = try directory.apnsift("replay large small --skip-replayed \(store) --jobs \(jobs)".words)
      #expect(again.said(.alreadyReplayed(by: 1)))
      lists.append(try directory.apnsift("store list \(store)".words).text)
      lists.append(again.errors.replacing("\(jobs).sqlite", with: "store"))
    }
    #expect(lists[..<2] == lists[2...] && !lists[0].isEmpty)
  }

  @Test("pipes among the inputs are read in their turn")
  func pipes() throws {
    let outputs = try [1, 7].map { jobs in
      try directory.shell(
        """
        rm -f pipe; mkfifo pipe; cat large/1.bin >pipe &
        cat large/3.bin | "$APNSIFT" export --jobs \(jobs) large/0.bin pipe large/2.bin - large/4.bin
        """
      ).exits(0).lines
    }
    #expect(outputs[0] == outputs[1] && outputs[0].count == 5 * 9000 + 10 + 1)
  }

  @Test("few open files mean fewer lanes, and the same output", arguments: [9, 16, 24])
  func fewDescriptors(_ limit: Int) throws {
    let whole = try directory.apnsift("export", "--jobs", "1", "large", "small")
    let limited = try directory.shell("ulimit -n \(limit); \"$APNSIFT\" export --jobs 64 large small")
    #expect(limited.output == whole.output && limited.errors == whole.errors && limited.code == 0)
  }

  @Test("an output that fails ends the command, while lanes read", arguments: [1, 2, 7])
  func failingOutput(_ jobs: Int) throws {
    let full = try directory.shell("\"$APNSIFT\" export --jobs \(jobs) large packed small >/dev/full")
    #expect(full.code == 2 && full.messages.last?.hasSuffix("No space left on device") == true)
    let closed = try directory.shell(
      "{ \"$APNSIFT\" export --jobs \(jobs) large small; echo $? >code; } | head -n 1")
    #expect(closed.errors.isEmpty)
    #expect(try directory.text(of: "code") == "0\n")
  }

  @Test("a signal ends the command while lanes wait, and leaves no file", arguments: [SIGINT, SIGTERM])
  func interrupted(_ number: Int32) throws {
    try directory.makePipe("input")
    let before = try directory.names
    // The pipe is read first; the queues of the lanes are full long before its end.
    let child = try directory.start(
      "export --jobs 7 --memory 1MiB input large packed -o out.csv".words)
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(20_000)))
    child.send(number)
    #expect(try child.wait() == .signal(number))
    #expect(try directory.names == before)
  }
}
