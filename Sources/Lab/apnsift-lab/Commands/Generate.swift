import ArgumentParser
import Basics
import CommandOptions
import Conformance
import Generator
import Reports

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate dumps and captures with known contents, to test decoders.",
    usage: "apnsift-lab generate [<options>] --kind <KIND> --seed <SEED> -o <OUT>",
    discussion: """
      KIND is a dump of tuples, a capture of feedback or of gateway connections, a pair of dumps of one gateway \
      connection, with requests in OUT and responses in OUT.responses, a capture of pushes in HTTP/2, or a provider's log of pushes. The same options, seed and version give the \
      same bytes on any machine. OUT.truth.ndjson has the expected output of `apnsift export -t ndjson OUT`, without \
      header and summary; the generator writes it without a decoder. With damage, it lists the tuples that must be \
      decoded, those too close to damage to be required, and the damaged bytes.

      With --case, DIR is a case of a corpus, as `apnsift verify` reads it: the input, its expected output, and how to \
      read it.

      EXAMPLES
        apnsift-lab generate --kind dump --seed 1 -o dump.bin
        apnsift-lab generate --kind dump --seed 2 --tuples 9000 -o many.bin
        apnsift-lab generate --kind dump --seed 3 --lost-bytes 5 -o bad.bin
        apnsift-lab generate --kind capture --seed 4 --connections 9 -o feedback.pcap
        apnsift-lab generate --kind capture --seed 5 --loss 10 --ip 6 -o lossy.pcapng
        apnsift-lab generate --kind gateway --seed 6 --responses 700 -o gateway.pcap
        apnsift-lab generate --kind pair --seed 7 --lost-bytes 5 -o requests.bin
        apnsift-lab generate --kind capture --seed 8 --file-lost-bytes 9 -o torn.pcap
        apnsift-lab generate --kind pushes --seed 9 --invalidated 300 -o pushes.pcap
        apnsift-lab generate --kind push-log --seed 10 --log-times rfc3339 -o log.csv
        apnsift-lab generate --kind dump --seed 11 --tuples 20 --case corpus/new
      """)

  @Option(help: .init("Contents to generate.", valueName: "KIND"))
  var kind: Generator.Kind

  @Option(help: .init("Seed of the random generator, 0 to 2^64 - 1.", valueName: "SEED"))
  var seed: UInt64

  @Option(name: [.customShort("o"), .customLong("output")], help: .init("Output file.", valueName: "OUT"))
  var givenOutput: String?

  @Option(
    name: .customLong("case"), help: .init("Write a case of a corpus, instead of OUT.", valueName: "DIR"))
  var caseDirectory: String?

  @Flag(help: "Overwrite output files.")
  var force = false

  @Option(help: .init("Compression. (default: extension of OUT: .gz, .zst, .lz4)", valueName: "NAME"))
  var compression: GeneratedCompression?

  @OptionGroup(title: "TUPLES") var tuples: GenerateTupleOptions
  @OptionGroup(title: "PUSHES") var pushes: GeneratePushOptions
  @OptionGroup(title: "CONNECTIONS AND CAPTURES") var capture: GenerateCaptureOptions
  @OptionGroup(title: "DAMAGE") var damage: GenerateDamageOptions

  mutating func validate() throws {
    guard (givenOutput == nil) != (caseDirectory == nil) else {
      throw ValidationError("expected -o OUT or --case DIR: give one of them")
    }
    if caseDirectory != nil, Generator.isUncertain(kind, scenario) {
      throw ValidationError(
        "--case excludes damage, and loss in captures of pushes: write the input with -o into a case of your own, "
          + "and its expected output with `apnsift verify --update`")
    }
    if output == "-" {
      throw ValidationError("-o - is not possible: OUT.truth.ndjson is written next to the output")
    }
    if let compression, let other = namedCompression, other != compression {
      throw contradiction("--compression \(compression.rawValue)")
    }
    if let container = capture.container, let other = namedContainer, other != container {
      throw contradiction("--container \(container.rawValue)")
    }
    let isDump = kind == .dump || kind == .pair || kind == .pushLog
    if isDump, capture.isAnyGiven {
      throw ValidationError(
        "a dump has no connections: use --kind capture, gateway or pushes with the options of captures")
    }
    if isDump, !damage.fileRates.isNone {
      throw ValidationError(
        "--file-lost-bytes, --file-flipped-bytes and --file-cut-tail are for captures: use "
          + "--lost-bytes and so on")
    }
    try validateResponses()
    try validatePushes()
    // More are not all correlated (docs/spec/decoding-rules.md#correlation: --max-pending).
    let most = CaptureScenario.mostRequests
    if isGateway, (tuples.tuples - 1) / capture.connections >= most {
      throw ValidationError(
        "a gateway connection has at most \(most) requests: give more --connections, or fewer --tuples")
    }
  }

  /// The input: `givenOutput`, or its name in the case.
  private var output: String {
    if let givenOutput { return givenOutput }
    let form =
      switch kind {
      case .dump, .pair: "bin"
      case .capture, .gateway, .pushes: (capture.container ?? .pcap).rawValue
      case .pushLog: (pushes.logFormat ?? .ndjson).rawValue
      }
    let stored = Self.compressions.first { $0.value == compression }.map { "." + $0.key } ?? ""
    return CaseFiles.inputPrefix + form + stored
  }

  /// By the extensions of their files.
  private static let compressions: [String: GeneratedCompression] = ["gz": .gzip, "zst": .zstd, "lz4": .lz4]

  private var namedCompression: GeneratedCompression? { Self.compressions[OutputName.fileExtension(output)] }

  private var namedContainer: CaptureContainer.Format? { CaptureContainer.Format(rawValue: fileExtension) }

  /// The extension of the output, without that of its compression.
  private var fileExtension: String {
    let name =
      namedCompression == nil ? output[...] : output[..<(output.lastIndex(of: ".") ?? output.endIndex)]
    return OutputName.fileExtension(String(name))
  }

  private var isGateway: Bool { kind == .gateway || kind == .pair }

  private func validateResponses() throws {
    guard let responses = capture.responses else { return }
    guard isGateway else {
      throw ValidationError("--responses is for --kind gateway and pair: feedback has no responses")
    }
    let isUndecidable = !damage.rates.isNone || capture.snapLength != nil
    if responses > 0, isUndecidable {
      throw ValidationError(
        "--responses \(responses) excludes damage and --snap-length: requests might be unreadable")
    }
  }

  private func validatePushes() throws {
    guard kind == .pushes || kind == .pushLog else {
      if pushes.isAnyGiven {
        throw ValidationError(
          "--invalidated, --bad-tokens and the like are for --kind pushes and push-log: leave them out")
      }
      return
    }
    if kind == .pushes, pushes.isAnyOfLogGiven {
      throw ValidationError("--log-format and --log-times are for --kind push-log: leave them out")
    }
    if !damage.rates.isNone {
      throw ValidationError(
        "--lost-bytes, --cut-tail and the like damage tuples and requests: damage captures of pushes "
          + "with --loss, --midstream, --snap-length or --file-lost-bytes")
    }
    let most = CaptureScenario.mostPushes
    if kind == .pushes, (tuples.tuples - 1) / capture.connections >= most {
      throw ValidationError(
        "a connection has at most \(most) pushes: give more --connections, or fewer --tuples")
    }
  }

  private var noun: String {
    switch kind {
    case .dump, .capture: "tuple"
    case .gateway, .pair: "request"
    case .pushes, .pushLog: "push"
    }
  }

  private func contradiction(_ option: String) -> ValidationError {
    ValidationError("-o \(output) contradicts \(option): leave that out, or rename the file")
  }

  func run() throws {
    let directory = try caseDirectory.map { try OutputDirectory($0, force: force) }
    let open = { [force] (name: String) throws -> OutputFile in
      try directory?.makeFile(name) ?? OutputFile(name, force: force, isPrivate: false)
    }
    let file = try open(output)
    let truth = try open(directory == nil ? output + ".truth.ndjson" : CaseFiles.expectation)
    let compression = compression ?? namedCompression ?? .none
    guard let stored = compression.compressor(into: file) else {
      throw CommandError("out of memory for \(compression.rawValue)")
    }
    let responses = kind == .pair ? try open(output + ".responses") : nil
    if directory != nil { try truth.write(Array(GeneratedCase.header.utf8).span.bytes) }
    let count = try generate(into: stored, responses, truth: truth)
    try responses?.finish()
    try file.finish()
    try truth.finish()
    let names = if let directory { try finish(directory) } else { "\(output) and \(output).truth.ndjson" }
    Console.say(
      "generated \(Count.of(tuples.tuples, noun)) in \(Count.of(count, "byte")): \(names)")
  }

  /// Describes a case.
  /// - Returns: its path.
  private func finish(_ directory: OutputDirectory) throws -> String {
    var generated = GeneratedCase(shows: "\(Count.of(tuples.tuples, noun)), as they were generated")
    if kind == .dump { generated.chunks = Generator.chunks(seed: seed) }
    if kind == .pair { generated.options = ["--requests", output, "--responses", output + ".responses"] }
    let file = try directory.makeFile(CaseFiles.description)
    try file.write(Array(generated.text.utf8).span.bytes)
    try file.finish()
    try directory.finish()
    return directory.name
  }

  private func generate(
    into stored: CompressingOutput, _ responses: OutputFile?, truth: OutputFile
  ) throws -> Int {
    do {
      let count = try Generator.generate(
        kind, scenario, source: output, to: stored, responses: responses, truth: truth)
      try stored.finish()
      return count
    } catch let error as CompressionError {
      throw CommandError("\(output) cannot be compressed: \(error.message)")
    }
  }

  private var scenario: Scenario {
    var scenario = Scenario()
    scenario.seed = seed
    tuples.apply(to: &scenario)
    scenario.damage = damage.rates
    scenario.fileDamage = damage.fileRates
    scenario.pushes = pushes.rates
    scenario.log = pushes.log(fileExtension)
    scenario.capture = capture.scenario
    if let namedContainer { scenario.capture.container.format = namedContainer }
    if let responses = capture.responses { scenario.responses = responses }
    return scenario
  }
}

extension OutputFile: GeneratorOutput {}
extension Generator.Kind: ExpressibleByArgument {}
extension GeneratedCompression: ExpressibleByArgument {}
