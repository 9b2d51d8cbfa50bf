import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports
import StreamInputs
import TokenStores

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find tokens in files of any kind.",
    usage: """
      apnsift search [<options>] <token> ... <input> ...
      apnsift search [<options>] --tokens <FILE> <input> ...
      """,
    discussion: """
      Finds the bytes of tokens, their hex digits in either case, also in groups of eight as in <740f4707 bebcf74f …>, \
      and their base64 in both alphabets, also inside of longer base64. Files of all kinds are searched as they are \
      stored; compressed files, the members of archives, E01 images and files in UTF-16 also as they are read. The \
      first 8 to 31 hex digits, or an odd number of them, are a prefix, found in the same forms.

      Tokens are \(TokenText.forms). The first word that is none, and all after it, are inputs: a file with the name \
      deadbeef is ./deadbeef.

      Each row is a hit: \(SearchReport.columns.joined(separator: ", ")). The offset is that of the \
      first byte or character; with a compression it is in what was decompressed.

      Not found are tokens that two packets of a capture share, or TLS hides (`apnsift export --token TOKEN` finds \
      them), hex with anything but such spaces between its digits (74:0f:47, %20), hex and base64 with line breaks in a \
      token, and tokens in what is compressed or encrypted inside of a file, such as a PDF.

      EXAMPLES
        apnsift search TOKEN evidence/                     CSV of all hits
        apnsift search 740f4707 disk.E01                   by the first digits
        apnsift search '<740f4707 bebcf74f>' backup.tar.gz
        apnsift search --tokens tokens.txt evidence/ -o hits.ndjson
        xzcat memory.xz | apnsift search TOKEN -           from a pipe

      EXIT CODES
        0 a token was found   1 none was   2 an input, the list or an output failed
      """)

  @OptionGroup var search: SearchOptions

  @Option(
    name: [.short, .long], help: .init("Format. (default: extension of -o, else csv)", valueName: "FORMAT"))
  var to: RowWriter.Format?

  @OptionGroup var target: OutputOptions

  private var format: RowWriter.Format {
    let named = target.output.map(OutputName.fileExtension) ?? ""
    return to ?? RowWriter.Format(rawValue: OutputName.aliases[named] ?? named) ?? .csv
  }

  mutating func validate() throws {
    try OutputName.check("-o", target.output, is: format.rawValue, chosenBy: to.map { "-t \($0.rawValue)" })
  }

  func run() throws {
    let tokens = try search.searchedTokens()
    let walk = search.walk
    for input in walk.inputs { input.register() }
    try ReadFiles.check()
    let outputs = OutputSet(force: target.force)
    let rows = RowWriter(SearchReport.columns, as: format, to: try outputs.open("-o", target.output ?? "-"))
    try rows.begin()
    let report = SearchReport(tokens, rows, ReadingProgress(walk.inputs.map(\.size)))
    try report.search(walk, InputSearch(TokenMatcher(tokens), limits: search.archives, log: report))
    try rows.end()
    try outputs.finish(besides: [])
    try report.end()
  }
}
