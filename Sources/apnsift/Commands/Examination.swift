import APNsWire
import Analysis
import PacketCapture
import Platform
import Reports
import StreamInputs
import WireBytes

/// Which inputs' SHA-256 are computed.
enum Hashing {
  case all
  /// Those that may be copies of another input, to say so.
  case possibleCopies
  case none
}

/// Reads all inputs of a command into an analyzer, says what could not be read, and remembers it for the
/// exit code.
struct Examination {
  private let options: InputOptions
  private let walk: InputWalk
  private let hashing: Hashing
  private(set) var inputs: [InputSummary] = []
  /// Inputs that failed, in whole or in part.
  private(set) var failures = 0
  /// Why an input is not read at all; nil reads it.
  var skips: ((Input) throws -> String?)?
  /// The named directories that held an input, or something that failed and was said to.
  private var directoriesWithInputs: Set<String> = []
  /// Nil where an input may well be given twice.
  private var repeated: RepeatedInputs?

  /// - Parameter mayRepeat: whether it makes sense to give the same bytes twice: then it is not told.
  init(_ options: InputOptions, hashing: Hashing, mayRepeat: Bool = false) {
    let walk = InputWalk(options.namedInputs, paired: options.pairedInputs)
    self.init(options, hashing: hashing, mayRepeat: mayRepeat, walk: walk)
  }

  /// - Parameter walk: the inputs, in place of those that the options name.
  init(_ options: InputOptions, hashing: Hashing, mayRepeat: Bool = false, walk: InputWalk) {
    self.options = options
    self.walk = walk
    self.hashing = hashing
    repeated = mayRepeat ? nil : RepeatedInputs(walk.inputs)
  }

  /// How many inputs there are to read.
  var inputCount: Int { walk.inputs.count }

  /// Whether the file at `path`, by whatever name, is one of the inputs.
  func contains(fileAt path: String) -> Bool {
    guard let file = FileIdentity(at: Array(path.utf8CString)), file.isRegular else { return false }
    return walk.inputs.contains { Self.identity(of: $0) == file }
  }

  /// The name of an input that lies in the directory at `path`; nil where none does.
  func input(in path: String) -> String? {
    guard let directory = FileIdentity(at: Array(path.utf8CString)) else { return nil }
    return walk.inputs.first { input in
      guard let file = input.path else { return false }
      return FileIdentity(at: Self.parent(of: file)) == directory
    }?.name
  }

  /// The NUL-terminated path of the directory that the file at `path` lies in.
  private static func parent(of path: [CChar]) -> [CChar] {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    guard let last = path.lastIndex(of: slash) else { return Array(".".utf8CString) }
    return path[...last] + [0]
  }

  /// Throws where standard output goes into one of the inputs: it would grow as it is read, without end.
  private func checkStandardOutput() throws {
    guard let output = FileIdentity(of: STDOUT_FILENO), output.isRegular,
      let input = walk.inputs.first(where: { Self.identity(of: $0) == output })
    else { return }
    throw Failure("\(input.name) is standard output as well as an input: write to another file")
  }

  private static func identity(of input: Input) -> FileIdentity? {
    input.path.map { FileIdentity(at: $0) } ?? FileIdentity(of: STDIN_FILENO)
  }

  /// Reads everything into `analyzer`. What a sink throws is thrown, and a `Failure` where standard output is
  /// an input.
  mutating func run(_ analyzer: Analyzer) throws {
    try checkStandardOutput()
    var reader = try reader()
    var progress = Progress(total: totalSize, isShown: Messages.showsProgress)
    defer { progress.clear() }
    for (name, directory, fault) in walk.faults {
      failures += 1
      directoriesWithInputs.insert(directory)
      try tell(fault, of: name, to: analyzer)
    }
    for (name, reason) in walk.passedOver { Messages.say("\(name): passed over: \(reason)") }
    for (index, input) in walk.inputs.enumerated() {
      if let reason = try skips?(input) {
        Messages.say("\(input.name): passed over: \(reason)")
        noteInput(input)
        continue
      }
      if index > 0, options.capture.join || input.half == .responses {
        analyzer.continues(with: input.name)
      } else {
        try analyzer.begin(source: input.name)
      }
      let report = try reader.read(
        input, hashes: isHashed(input), progress: { progress.update($0) },
        consume: { try analyzer.consume($0, window: $1) })
      progress.finishInput(report.bytes)
      if !report.faults.isEmpty || report.recognition == .nothing { progress.clear() }
      try record(report, of: input, in: analyzer)
    }
    try reader.finish { try analyzer.consume($0, window: $1) }
    sayIfSwapped(analyzer.summary)
    for directory in walk.directories where !directoriesWithInputs.contains(directory) {
      failures += 1
      Messages.say("\(directory): the directory holds no input")
    }
  }

  /// Two dumps that hold nothing of what they were named for are most likely each other's.
  private func sayIfSwapped(_ summary: Summary) {
    guard options.requests != nil, summary.gateway.requests &+ summary.gateway.responses == 0,
      summary.skippedBytes > 0
    else { return }
    Messages.say(
      "hint: neither file holds what it was named for; were --requests and --responses given the wrong way round?"
    )
  }

  private func isHashed(_ input: Input) -> Bool {
    switch hashing {
    case .all: true
    case .possibleCopies: repeated?.mayBeCopy(input) ?? false
    case .none: false
    }
  }

  private mutating func noteInput(_ input: Input) {
    if let directory = input.directory { directoriesWithInputs.insert(directory) }
  }

  private func reader() throws -> InputReader {
    do {
      return try InputReader(
        options: options.readingOptions(hashes: hashing == .all),
        contentProbes: [options.analysis.probe.formatProbe])
    } catch {
      throw UsageError("--filter: \(error.message)")
    }
  }

  private mutating func record(_ report: InputReport, of input: Input, in analyzer: Analyzer) throws {
    for fault in report.faults { try tell(fault, of: input.name, to: analyzer) }
    if !report.faults.isEmpty {
      failures += 1
      noteInput(input)
    }
    if report.isPassedOver {
      Messages.say("\(input.name): passed over: \(Self.kind(report.recognition))")
      try analyzer.report(unrecognised(input, "passed over: \(Self.kind(report.recognition))"))
      return
    }
    guard let format = report.format else { return }
    noteInput(input)
    // Of a pair, the user has said what each file is.
    if options.from.format == nil, report.recognition == .nothing, input.half == nil {
      let dump =
        switch options.speaks {
        case .auto, .feedback: "raw feedback dump"
        case .requests, .responses: "raw dump of \(options.speaks.rawValue)"
        }
      let message = "recognised as nothing, and read as a \(dump); if it is one, --from raw silences this"
      Messages.say("\(input.name): warning: \(message)")
      try analyzer.report(unrecognised(input, message))
    }
    if report.contentBytes == 0, report.faults.isEmpty { Messages.say("\(input.name): is empty") }
    var summary = InputSummary(
      source: input.name, format: format.name, compression: report.compression?.rawValue,
      bytes: report.bytes, sha256: report.sha256)
    summary.captureKind = report.captureKind?.rawValue
    summary.packets = report.packets
    summary.sameBytesAs = repeated?.first(like: input, digest: report.sha256, bytes: report.bytes)
    inputs.append(summary)
    if let first = summary.sameBytesAs { try tellRepeated(input, first, to: analyzer) }
  }

  private func tellRepeated(_ input: Input, _ first: String, to analyzer: Analyzer) throws {
    let name = VisibleText.of(first)
    // Of one capture, copies of packets are told apart by their places.
    let again = options.capture.join ? "its packets are read again" : "its records are counted again"
    let message = "the same bytes as \(name), which was read before: \(again)"
    Messages.say("\(input.name): warning: \(message)")
    try analyzer.report(Finding(source: input.name, code: .repeatedInput, message: message))
  }

  private func unrecognised(_ input: Input, _ message: String) -> Finding {
    Finding(source: input.name, code: .unrecognisedInput, message: message)
  }

  /// A fault is a message for people and a finding for machines.
  private func tell(_ fault: InputFault, of name: String, to analyzer: Analyzer) throws {
    let message = Self.text(fault)
    Messages.say("\(name): \(message)")
    try analyzer.report(
      Finding(source: name, fileOffset: fault.fileOffset, code: .unreadableInput, message: message))
  }

  private static func kind(_ recognition: Recognition) -> String {
    if case .foreign(let kind, _) = recognition { "\(kind)" } else { "recognised as nothing" }
  }

  private static func text(_ fault: InputFault) -> String {
    guard let line = fault.line else { return fault.message }
    return "line \(line)" + (fault.column.map { ", column \($0)" } ?? "") + ": \(fault.message)"
  }

  /// Bytes of all inputs; nil where one of them is no regular file.
  private var totalSize: Int? {
    var total = 0
    for input in walk.inputs {
      var status = stat()
      guard let path = input.path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      total &+= Int(status.st_size)
    }
    return total
  }
}

// MARK: - The last line

extension Examination {
  /// The command's last message: what was done, and what is wrong with it.
  /// - Parameter faults: what is wrong beside the inputs.
  func closingLine(_ done: String, _ summary: Summary, faults: [String] = []) -> String {
    var wrong = faults
    for severity in Severity.allCases {
      let codes = FindingCode.allCases.filter {
        $0.severity == severity && summary.findings[$0, default: 0] > 0
      }
      guard !codes.isEmpty else { continue }
      let counts = codes.map { "\($0.rawValue) \(summary.findings[$0, default: 0])" }.joined(separator: ", ")
      wrong.append("\(Count.of(summary.findingCount(severity), severity.rawValue)) (\(counts))")
    }
    let flagged = summary.flagCounts.map { "\($0.code) \($0.count)" }
    if !flagged.isEmpty { wrong.append("flags: \(flagged.joined(separator: ", "))") }
    if failures > 0 { wrong.append("\(Count.of(failures, "input")) not read whole, see above") }
    return "\(done); " + (wrong.isEmpty ? "nothing wrong with it" : wrong.joined(separator: "; "))
  }

  /// Throws where the inputs or their findings make the exit code another than 0.
  func check(_ summary: Summary) throws {
    if failures > 0 { throw ExitStatus.failed }
    if options.strict, summary.findingCount(.error) > 0 { throw ExitStatus.found }
  }
}
