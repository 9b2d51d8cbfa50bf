import ArgumentParser
import CommandOptions

/// The command for people who maintain readers and clients.
@main
struct ApnsiftLab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apnsift-lab",
    abstract: "Test readers and clients of Apple's push services with inputs whose contents are known.",
    usage: "apnsift-lab <subcommand> [<options>] ...",
    discussion: """
      EXAMPLES
        apnsift-lab generate --kind capture --seed 1 -o one.pcap
        apnsift-lab verify samples/corpus --reader ./reader
        apnsift-lab serve feedback.bin

      EXIT CODES
        0 success   1 a reader is wrong, or findings (--fail-on error, warning or note)
        2 an input, an output, a client or the reader failed   64 usage error   70 internal error
      """,
    version: Program.version,
    subcommands: [Generate.self, Serve.self, VerifyReader.self])

  static func main() {
    Program.start(ApnsiftLab.self) { try Program.run(Program.command($0, of: ApnsiftLab.self)) }
  }
}
