import ArgumentParser
import CommandOptions
import Reports

/// `apnsift carve`: `export --from carve`, with columns and a summary of its own.
struct Carve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carve",
    abstract: "Find records in disk images, memory and other bytes.",
    usage: "apnsift carve [<options>] <input> ...",
    discussion: """
      Finds chains of feedback tuples (binary, hex, base64, quoted-printable), gateway requests, lines with a token and a \
      time, and IP packets of the service's ports, in bytes of any kind and at any offset. Takes the options of export. \
      --from carve does the same with other commands.

      EXAMPLES
        apnsift carve disk.img                             CSV of feedback to standard output
        apnsift carve core.1234 -o found.ndjson            all records
        apnsift carve disk.img --records requests          gateway requests
        apnsift carve disk.img --min-chain 1               also single tuples, mostly coincidences
        xzcat memory.xz | apnsift carve -                  from a pipe
      """)

  @OptionGroup var export: Export

  mutating func validate() throws {
    if ![nil, .carve].contains(export.input.from.format) {
      throw ValidationError("carve takes no other --from: use export --from FORMAT")
    }
    export.input.from = FromArgument(format: .carve)
  }

  func run() throws { try export.write(columns: ExportedKind.carvedColumns, tally: CarveTally()) }
}
