import Analysis
import ArgumentParser
import EvidenceReport
import Platform
import Reports
import WireBytes

/// `apnsift report`: an evidence report, one HTML file.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an evidence report: one HTML page for people who will run no command.",
    discussion: """
      The page says what was examined, what came of it in a sentence, when tokens died, what is wrong with which \
      place and what that means, what faulty readers would have made of it, and which tokens are dead. It needs no \
      network and runs no script; it suits screens, phones and paper. With the same inputs and options it is the same, \
      byte by byte. docs/report.md says more.

      --redact replaces every token by a pseudonym that follows from it and the key, the same in all reports with that \
      key, and leaves out every byte that is or may be of a token.

      EXAMPLES
        apnsift report feedback.bin -o report.html
        apnsift report capture.pcap -o report.html --title 'Case 12' --note note.txt
        apnsift report dumps/ -o report.html --max-tokens 100
        apnsift report --requests sent.bin --responses got.bin -o report.html
        openssl rand -hex 32 > key.txt
        apnsift report feedback.bin -o redacted.html --redact key.txt
      """)

  @OptionGroup var input: InputOptions

  @Option(
    name: [.short, .long], help: "Write to this file, which appears when it is whole; - for standard output.")
  var output: String?

  @Flag(help: "Replace an output file that exists.")
  var force = false

  @OptionGroup(title: "The page") var page: ReportPageOptions

  mutating func validate() throws {
    if output == nil, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("A report is a page for a browser: name a file with -o, such as -o report.html.")
    }
  }

  func run() throws {
    let key = try page.redact.map { try PseudonymKeyFile.bytes($0) }
    var examination = input.examination(hashing: .all)
    if let key = page.redact, examination.contains(fileAt: key) {
      throw Failure("\(key) is the key of the pseudonyms and one of the inputs: keep it elsewhere")
    }
    var options = page.options(for: input, version: Apnsift.version)
    options.names = TokenNames(key: key)
    options.head.note = try page.note.map { try ReportNote.paragraphs($0) } ?? []
    let file = try open(examination)
    let page = try ReportGathering(options).page(of: &examination)
    let buffer = OutputBuffer(file)
    try buffer.append(try ReportHTML.bytes(page))
    try buffer.flush()
    try file.finish()
    let done =
      "reported \(Count.of(examination.inputs.count, "input")) with \(examination.summary.recordText)"
      + (key == nil ? "" : ", redacted")
    Messages.say(examination.closingLine(done))
    try input.check(examination)
  }

  private func open(_ examination: Examination) throws -> OutputFile {
    guard let output else { return OutputFile() }
    if examination.contains(fileAt: output) {
      throw Failure("\(output) is one of the inputs: name another file to write")
    }
    for (path, what) in [(page.redact, "the key of the pseudonyms"), (page.note, "the file of the remarks")] {
      guard let path, let identity = FileIdentity(at: Array(path.utf8CString)) else { continue }
      if identity == FileIdentity(at: Array(output.utf8CString)) {
        throw Failure("\(output) is \(what): name another file to write")
      }
    }
    return try OutputFile(output, force: force)
  }
}
