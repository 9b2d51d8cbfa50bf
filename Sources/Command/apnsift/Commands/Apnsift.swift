import ArgumentParser
import Basics
import CommandOptions

/// The command. Each subcommand has its own file in Commands/.
@main
struct Apnsift: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apnsift",
    abstract:
      "Analyse dumps and captures of Apple's binary push services, and invalidate the reported tokens.",
    usage: """
      apnsift <input> ...
      apnsift <subcommand> [<options>] ...
      """,
    discussion: """
      `apnsift INPUT…` is short for `apnsift inspect INPUT…`. An input is a file, a directory or - (standard input): a \
      raw, hex (plain, xxd, hexdump -C) or base64 dump; a capture (pcap, pcapng); or streams written by tshark, \
      Wireshark, socat or ssldump. The format is detected from the content; compressed files, archives and disk images are opened. \
      Without arguments, apnsift inspects a pipe or file on standard input.

      The protocol of a stream is detected from the server port, then from the content; a dump that matches no \
      protocol is read as feedback. TLS is always reported. Give both directions of a gateway connection to learn \
      which requests were accepted, rejected or discarded.

      EXAMPLES
        apnsift feedback.bin                        summary and problems of a dump
        apnsift capture.pcap                        of a capture
        cat feedback.bin | apnsift                  of standard input
        apnsift --requests sent.bin --responses got.bin
        apnsift export feedback.bin > tokens.csv    all records
        apnsift carve disk.img > found.csv          deleted records
        apnsift compare monday/ tuesday/            tokens of two sets of files
        apnsift search TOKEN evidence/              a token in files of any kind
        apnsift replay feedback.bin --create        invalidate tokens in a store
        apnsift audit feedback.bin                  results of faulty readers
        apnsift show feedback.bin --offset 114      annotated hex dump
        apnsift report feedback.bin -o report.html  a page to pass on
        apnsift verify samples/corpus               check a corpus

      EXIT CODES
        0 success   1 findings (--fail-on error, warning or note), a difference, or a search without a hit
        2 an input, output or store failed   3 --max-invalidate stopped a replay
        64 usage error   70 internal error

      --fail-on unrecognised gives exit code 2, and no replay, if an input has no known format. Unreadable inputs \
      always give exit code 2.
      """,
    version: Program.version,
    subcommands: [
      Inspect.self, Export.self, Carve.self, Search.self, Compare.self, Replay.self, Store.self, Audit.self,
      Show.self, Report.self, Verify.self, Forms.self, Dissector.self, Explain.self,
    ],
    defaultSubcommand: Inspect.self)

  static func main() { Program.start(Apnsift.self, run) }

  private static func run(_ arguments: [String]) throws {
    if arguments.isEmpty {
      guard [.pipe, .socket, .file].contains(FileStatus(of: STDIN_FILENO)?.kind) else {
        throw CleanExit.helpRequest(Apnsift.self)
      }
      return try Program.run(Inspect.parseAsRoot(["-"]))
    }
    let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    if let name, ["generate", "serve"].contains(name) { throw UsageError(.commandOfLab(name)) }
    let command = try Program.command(arguments, of: Apnsift.self)
    if let inspect = command as? Inspect, arguments.first != "inspect" {
      try CommandNames.check(inputs: inspect.input.inputs, of: Apnsift.self)
    }
    try Program.run(command)
  }
}
