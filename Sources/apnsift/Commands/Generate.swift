import ArgumentParser
import Generator
import Platform
import Reports
import WireBytes

/// `apnsift generate`: inputs whose truth is known.
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate dumps and captures whose truth is known, to test decoders with.",
    discussion: """
      The same options, seed and version give the same bytes on any machine. Beside the file OUT stands \
      OUT.truth.ndjson: what `apnsift export -t ndjson OUT` must say, without header and summary. It is written by \
      the generator from what it made, and no decoder has a part in it. With damage it says which tuples must come \
      out as they are, which stand so close to damage that they need not, and which bytes are damaged.

      EXAMPLES
        apnsift generate --kind dump --seed 1 -o dump.bin
        apnsift generate --kind dump --seed 2 --tuples 100000 --tokens 1000 -o many.bin
        apnsift generate --kind dump --seed 3 --lost-bytes 5 --cut-tail -o damaged.bin
        apnsift generate --kind capture --seed 4 --connections 9 --segments 1-1460 -o feedback.pcap
        apnsift generate --kind capture --seed 5 --loss 10 --reordering 50 --ip 6 --container pcapng -o lossy.pcapng
        apnsift generate --kind gateway --seed 6 --connections 20 --responses 700 -o gateway.pcap
        apnsift generate --kind pair --seed 7 --lost-bytes 5 -o requests.bin
        apnsift generate --kind capture --seed 8 --connections 40 --file-lost-bytes 9 -o torn.pcap
      """)

  @Option(
    help:
      "What to generate: a dump of tuples, a capture of feedback or of gateway connections, or a pair of dumps of one gateway connection, requests in OUT and responses in OUT.responses."
  )
  var kind: Generator.Kind

  @Option(help: "What all random numbers begin with, 0 to 2^64 - 1.")
  var seed: UInt64

  @Option(
    name: [.short, .long],
    help: "Write to this file, and the truth to one of its name with .truth.ndjson behind.")
  var output: String

  @Flag(help: "Replace files that exist.")
  var force = false

  @Option(help: "How the file is compressed. Offsets are those of the bytes within.")
  var compression = GeneratedCompression.none

  @OptionGroup(title: "TUPLES") var tuples: GenerateTupleOptions
  @OptionGroup(title: "CONNECTIONS AND CAPTURES") var capture: GenerateCaptureOptions
  @OptionGroup(title: "DAMAGE") var damage: GenerateDamageOptions

  mutating func validate() throws {
    if output == "-" {
      throw ValidationError("-o names a file: the truth is written beside it.")
    }
    let isDump = kind == .dump || kind == .pair
    if isDump, capture.isAnyGiven {
      throw ValidationError(
        "A dump has no connections: what concerns those is for --kind capture and gateway.")
    }
    if isDump, !damage.fileRates.isNone {
      throw ValidationError(
        "--file-lost-bytes, --file-flipped-bytes and --file-cut-tail are for captures: of a dump all is damaged with --lost-bytes and the like."
      )
    }
    try validateResponses()
    // More are not all correlated (docs/spec/decoding-rules.md#correlation: --max-pending).
    let most = CaptureScenario.mostRequests
    if isGateway, (tuples.tuples - 1) / capture.connections >= most {
      throw ValidationError(
        "A gateway connection has at most \(most) requests: give more --connections, or fewer --tuples.")
    }
  }

  private var isGateway: Bool { kind == .gateway || kind == .pair }

  private func validateResponses() throws {
    guard let responses = capture.responses else { return }
    guard isGateway else {
      throw ValidationError(
        "--responses is for --kind gateway and pair: nothing is answered to a feedback server.")
    }
    let isUndecidable = !damage.rates.isNone || capture.snapLength != nil
    if responses > 0, isUndecidable {
      throw ValidationError(
        "--responses \(responses) cannot go with damage or --snap-length: whether what a response is about can be read is the decoder's luck then."
      )
    }
  }

  func run() throws {
    let file = try OutputFile(output, force: force)
    let truth = try OutputFile(output + ".truth.ndjson", force: force)
    guard let stored = compression.compressor(into: file) else {
      throw Failure("\(compression.rawValue) got no memory: free some, and try again")
    }
    let responses = kind == .pair ? try OutputFile(output + ".responses", force: force) : nil
    let counts = try generate(into: stored, responses, truth: truth)
    try responses?.finish()
    try file.finish()
    try truth.finish()
    let records = Count.of(tuples.tuples, isGateway ? "request" : "tuple")
    Messages.say(
      "generated \(records) in \(Count.of(counts.bytes, "byte")): \(output), and its truth \(output).truth.ndjson"
    )
  }

  private func generate(
    into stored: any CompressingOutput, _ responses: OutputFile?, truth: OutputFile
  ) throws -> GeneratedCounts {
    do {
      let counts = try Generator.generate(
        kind, scenario, source: output, to: stored, responses: responses, truth: truth)
      try stored.finish()
      return counts
    } catch let failure as CompressionFailure {
      throw Failure("\(output) cannot be compressed: \(failure.message)")
    }
  }

  private var scenario: Scenario {
    var scenario = Scenario()
    scenario.seed = seed
    tuples.apply(to: &scenario)
    scenario.damage = damage.rates
    scenario.fileDamage = damage.fileRates
    scenario.capture = capture.scenario
    if let responses = capture.responses { scenario.responses = responses }
    return scenario
  }
}

extension OutputFile: GeneratorOutput {}
extension Generator.Kind: ExpressibleByArgument {}
extension GeneratedCompression: ExpressibleByArgument {}
