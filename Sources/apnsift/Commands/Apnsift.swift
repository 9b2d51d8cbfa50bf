import ArgumentParser
import Platform

/// The command. Subcommands stand in Commands/, a file each.
@main
struct Apnsift: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "apnsift",
    abstract:
      "Read dumps and captures of APNs feedback and gateways, say what can be trusted, and mark the dead tokens.",
    discussion: """
      A bare `apnsift INPUT…` is `apnsift inspect INPUT…`. INPUT is a file, a directory or - (standard input): \
      raw bytes, hex (plain, xxd, hexdump -C) or base64; a capture (pcap, pcapng); or what tshark, Wireshark, \
      socat or ssldump wrote of streams. Which of them is recognised by content, compressed or not. What of a \
      gateway connection was accepted, rejected or discarded follows from both of its directions, in one capture or \
      in a pair of dumps.

      EXAMPLES
        apnsift feedback.bin                       what is in it, and what is wrong
        apnsift capture.pcap                       the same, of every connection
        apnsift --requests sent.bin --responses got.bin
        apnsift export feedback.bin > tokens.csv   every record
        apnsift replay feedback.bin --create       the dead tokens into a store
        apnsift audit feedback.bin                 what faulty readers made of it
        apnsift show feedback.bin --offset 114     the bytes there, field by field
        apnsift report feedback.bin -o report.html  a page for those who run nothing
        apnsift generate --kind capture --seed 1 -o one.pcap
        apnsift verify samples/corpus              a corpus, or your own reader
        apnsift serve feedback.bin                 its bytes to a client under test

      EXIT CODES
        0 done   1 --strict or verify found something
        2 an input, output or store failed
        3 a brake stopped a replay before any change
        64 wrong usage   70 an internal error
      """,
    version: version,
    subcommands: [
      Inspect.self, Export.self, Replay.self, Store.self, Audit.self, Show.self, Report.self, Generate.self,
      Verify.self, Serve.self, Explain.self,
    ],
    defaultSubcommand: Inspect.self)

  static func main() {
    StandardStreams.fillGaps()
    // A closed pipe and a file size limit are answers of write(2), not reasons to be killed.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      try run(arguments)
    } catch {
      ExitStatus.exit(with: error)
    }
  }

  private static func run(_ arguments: [String]) throws {
    try CommandNames.check(arguments)
    if arguments.isEmpty { throw CleanExit.helpRequest(Apnsift.self) }
    try run(parseAsRoot(arguments))
  }

  private static func run(_ command: some ParsableCommand) throws {
    Interruption.arm()
    var command = command
    try command.run()
  }
}
