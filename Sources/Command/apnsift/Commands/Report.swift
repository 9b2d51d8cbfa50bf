import Analysis
import ArgumentParser
import Basics
import CommandOptions
import EvidenceReport
import Reports

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an evidence report, as one HTML page.",
    usage: "apnsift report [<options>] <input> ...",
    discussion: """
      The page is for readers who do not use a command line. It shows the tokens with their locations, pushes by hour, \
      the inputs, a summary, a timeline of invalidations, each finding with its bytes and meaning, and the recovered and \
      the doubtful records. It needs no network, has no script unless --interactive adds one, and fits screens, phones \
      and paper. The same inputs and options \
      give the same bytes. See docs/report.md.

      --redact replaces each token by a pseudonym derived from the token and the key, a file of 16 bytes or more. \
      Addresses, host names and names in certificates get pseudonyms, too. It also masks all bytes that are or may be \
      part of a token.

      EXAMPLES
        apnsift report feedback.bin -o report.html
        apnsift report capture.pcap -o report.html --notes notes.txt
        apnsift report dumps/ -o report.html --max-tokens 100
        apnsift report logs/ -o report.html --interactive
        apnsift report tuesday/ -o report.html --compare monday/
        apnsift report evidence/ -o report.html --manifest report.sha256
        apnsift report --requests sent.bin --responses got.bin -o report.html
        openssl rand -hex 32 > key.txt
        apnsift report feedback.bin -o redacted.html --redact key.txt
      """)

  @Option(name: [.short, .long], help: .init("Output file, or - for standard output.", valueName: "FILE"))
  var output: String?

  @Flag(help: "Overwrite the output file.")
  var force = false

  @OptionGroup(title: "PAGE") var page: ReportPageOptions
  @OptionGroup var local: LocalTimeOptions
  @OptionGroup(title: "INVENTORY") var inventory: InventoryOptions
  @OptionGroup(title: "ADVANCED") var limits: ReportLimitOptions
  @OptionGroup var input: InputOptions

  mutating func validate() throws {
    try OutputName.check("-o", output, is: "html")
    if output == nil, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("a report is an HTML page: name a file, such as -o report.html")
    }
    try inventory.check(output: output)
    if page.redact != nil, inventory.checksums ?? inventory.dfxml ?? inventory.manifest != nil {
      throw ValidationError(
        "--redact excludes --checksums, --dfxml and --manifest: they have the names of the files as they are. "
          + "Write them with another run")
    }
  }

  func run() throws {
    let key = try page.redact.map { try PseudonymKeyFile.bytes($0) }
    var examination = try input.examination(hashing: .all)
    let other = page.compare.map { input.alone($0) }
    var compared = try other?.examination(hashing: .possibleCopies)
    if let key = page.redact, ReadFiles.use(of: key) == ReadFiles.input {
      throw CommandError("\(key) is the key of --redact and an input: move it elsewhere")
    }
    var options = page.options(for: input, limits, local, version: Program.version)
    options.key = key
    options.head.note = try page.notes.map { try ReportNote.paragraphs($0) } ?? []
    examination.options.inventoryDigests = inventory.digests
    examination.options.countsCopiesOnce = page.uniqueInputs
    let outputs = OutputSet(force: force)
    let buffer = try outputs.open("-o", output ?? "-")
    let inventory = try inventory.open(outputs, input, version: Program.version)
    let page = try ReportBuilder(options).page(
      of: &examination, others: inventory.sinks, comparedWith: &compared)
    try buffer.append(ReportHTML.bytes(page))
    try inventory.finish()
    let done = "reported \(Count.of(examination.readCount, "input")) with \(examination.summary.recordText)"
    try input.end(examination, "\(done)\(key == nil ? "" : ", redacted")")
    if let other, let compared {
      try other.end(compared, "compared with \(Count.of(compared.readCount, "input"))")
    }
  }
}
