import Messages
import PacketCapture
import Platform
import StreamDecryption
import StreamInputs
import WireBytes

/// Reads all inputs of a command into an analyzer, and reports and counts inputs that could not be read.
package struct Examination {
  package struct Options {
    package var reading = ReadingOptions()
    package var analysis = AnalysisOptions()
    /// Nil decrypts nothing.
    package var keys: StreamKeys?
    package var hashing = Hashing.all
    /// Digests of the inventory, if a sink needs it.
    package var inventoryDigests: DigestKinds = .sha256
    /// Files with these hashes are left out.
    package var knownHashes: KnownHashes?
    /// Whether inputs may have the same bytes, without a message about it.
    package var mayRepeat = false
    /// Whether an input of no known format is a failure.
    package var failsOnUnrecognised = false
    /// Whether reading, analysis and sinks run on separate threads, if there are processors for them.
    package var usesThreads = true

    package init() {}
  }

  /// The inputs whose SHA-256 is computed.
  package enum Hashing {
    case all
    /// Inputs that may be copies of another input, to report copies.
    case possibleCopies
    case none
  }

  private let walk: InputWalk
  package var options: Options
  /// Without sinks before `run`.
  private var analyzer: Analyzer
  package private(set) var inputs: [InputSummary] = []
  /// How many of `inputs` have content of their own: all but archives.
  package private(set) var readCount = 0
  /// How many of `inputs` have no content.
  package private(set) var emptyInputs = 0
  /// Inputs that failed, in whole or in part.
  package private(set) var failures = 0
  /// Files in the inventory, whatever became of them.
  package private(set) var files = 0
  /// Inputs that were left out as known.
  package private(set) var knownInputs = 0
  /// Decides whether to skip an input without reading it.
  package var skips: ((Input) throws -> Bool)?
  /// The inputs that failed: each by its index in the walk, and the indices of members in their archives. And whether this
  /// is the second pass, without them.
  private var failed: Set<[Int]> = []
  private var isRerun = false
  /// The named directories with at least one input or reported failure.
  private var directoriesWithInputs: Set<String> = []
  /// Nil if inputs may have the same bytes.
  private var repeated: RepeatedInputs?

  package init(_ walk: InputWalk, _ options: Options) {
    self.walk = walk
    self.options = options
    analyzer = Analyzer(options.analysis, sinks: [])
    repeated = options.mayRepeat ? nil : RepeatedInputs(walk.inputs)
  }

  /// Counts of everything read.
  package var summary: Summary { analyzer.summary }

  // MARK: - Before reading

  /// The number of inputs to read.
  package var inputCount: Int { walk.inputs.count }

  /// Whether the file at `path` is one of the inputs, also under another name.
  package func contains(fileAt path: String) -> Bool {
    guard let file = FileIdentity(at: Array(path.utf8CString)), file.isRegular else { return false }
    return walk.inputs.contains { $0.identity == file }
  }

  /// The name of an input in the directory at `path`; nil if there is none.
  package func input(in path: String) -> String? {
    guard let directory = FileIdentity(at: Array(path.utf8CString)) else { return nil }
    return walk.inputs.first { input in
      guard let file = input.path else { return false }
      return FileIdentity(at: Self.parent(of: file)) == directory
    }?.name
  }

  /// The NUL-terminated path of the directory of `path`.
  private static func parent(of path: [CChar]) -> [CChar] {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    guard let last = path.lastIndex(of: slash) else { return Array(".".utf8CString) }
    return path[...last] + [0]
  }

  // MARK: - Reading

  /// Reads all inputs, and delivers the evidence to `sinks`.
  /// - Throws: errors of sinks; `Failure` if standard output is an input; `UsageError` for a filter that does not
  ///   compile.
  package mutating func run(_ sinks: [(any EvidenceSink)?]) throws {
    try read(sinks)
  }

  /// Reads the inputs without failures a second time, as if the others were missing. Messages are not repeated.
  /// - Throws: as `run`; `Failure` if an input can be read only once, or fails this time.
  package mutating func runWithoutFailed(_ sinks: [(any EvidenceSink)?]) throws {
    if let input = walk.inputs.indices.first(where: { !failed.contains([$0]) && walk.inputs[$0].size == nil })
    {
      throw Failure(.readableOnlyOnce(walk.inputs[input].name))
    }
    isRerun = true
    (inputs, readCount) = ([], 0)
    emptyInputs = 0
    (knownInputs, files) = (0, 0)
    repeated = nil
    let known = failures
    try read(sinks)
    guard failures == known else {
      throw Failure(.failsWhenReadAgain)
    }
  }

  private mutating func read(_ sinks: [(any EvidenceSink)?]) throws {
    let analyzer = Analyzer(options.analysis, sinks: sinks.compactMap { $0 }, usesThread: usesThreads)
    self.analyzer = analyzer
    try checkStandardOutput()
    let decryption = options.keys.map { DecryptionStage($0) }
    var run = try Run(
      analyzer: analyzer, decryption: decryption, reader: reader(analyzer, decryption),
      progress: ReadingProgress(walk))
    defer {
      run.reader.stop()
      analyzer.stop()
      run.progress.clear()
    }
    if !isRerun { try reportWalk() }
    for (index, input) in walk.inputs.enumerated() where !failed.contains([index]) {
      if try skips?(input) ?? false {
        noteDirectory(of: input)
        continue
      }
      if let bytes = try leftOut(input, progress: { run.progress.update($0) }) {
        run.progress.finishInput(bytes)
        continue
      }
      try read(input, key: [index], &run)
    }
    try run.reader.finish()
    try decryption.map { try report($0.unusedSecrets) }
    try analyzer.finish()
    if isRerun { return }
    if knownInputs > 0 { Console.note(.knownLeftOut(knownInputs)) }
    hintIfSwapped()
    for directory in walk.directories where !directoriesWithInputs.contains(directory) {
      failures += 1
      Console.say(.about(directory, .noInputInDirectory))
    }
  }

  /// What reading one input after another changes.
  private struct Run: ~Copyable {
    let analyzer: Analyzer
    let decryption: DecryptionStage?
    var reader: InputReader
    let progress: ReadingProgress
    /// Whether an input was read before.
    var hasBegun = false
  }

  /// Reads an input, and the members of an archive.
  /// - Parameters:
  ///   - archive: the archive of which `input` is the current member.
  ///   - key: identifies the input in `failed`.
  private mutating func read(
    _ input: Input, of archive: Archive? = nil, key: [Int], _ run: inout Run
  ) throws {
    let isContinued = run.hasBegun && options.reading.joins || input.half == .responses
    run.hasBegun = true
    run.decryption?.begin(source: input.name)
    if isContinued {
      run.analyzer.continues(with: input.name)
    } else {
      try run.analyzer.begin(source: input.name)
    }
    let progress = run.progress
    var counts = counts
    var report = try run.reader.read(
      input, of: archive, digests: digests(of: input),
      progress: { progress.update(archive?.diskPosition ?? $0) })
    let first = inputs.count
    if let inner = report.archive {
      try readMembers(of: inner, input, key: key, &run)
      report.finishArchive()
      // Its members have their records and findings.
      counts = self.counts
    }
    if archive == nil { progress.finishInput(report.bytes) }
    if !report.faults.isEmpty || report.recognition == .nothing { progress.clear() }
    let known = failures
    try record(report, of: input, before: first, since: counts)
    if failures > known { failed.insert(key) }
  }

  private mutating func readMembers(
    of archive: Archive, _ input: Input, key: [Int], _ run: inout Run
  ) throws {
    let (known, first) = (failures, readCount)
    var index = 0
    while let member = archive.next() {
      let (file, key) = (input.member(member), key + [index])
      if file.isWanted, !failed.contains(key) { try read(member, file, of: archive, key: key, &run) }
      index += 1
    }
    guard input.isNamed, readCount == first, failures == known, archive.fault == nil, !isRerun
    else { return }
    failures += 1
    Console.say(.about(input.name, input.wantedMember.map { .noSuchMember($0) } ?? .noInputInArchive))
  }

  private mutating func read(
    _ member: ArchiveMember, _ input: Input, of archive: Archive, key: [Int], _ run: inout Run
  ) throws {
    guard let obstacle = member.obstacle else {
      return try read(input, of: archive, key: key, &run)
    }
    if isRerun { return }
    run.progress.clear()
    let counts = counts
    if member.isLost {
      failures += 1
      failed.insert(key)
      noteDirectory(of: input)
      try report(InputFault(obstacle), of: input.name)
    } else {
      Console.note(.about(input.name, .skipped(obstacle)))
    }
    try end(since: counts) { InputRecord(input, member.isLost ? .unreadable : .notAFile, reason: obstacle) }
  }

  private mutating func reportWalk() throws {
    for (member, fault) in walk.faults {
      failures += 1
      noteDirectory(of: member)
      let counts = counts
      try report(fault, of: member.name)
      try end(since: counts) { InputRecord(member, .unreadable, reason: fault.message) }
    }
    for (member, reason) in walk.skipped {
      Console.note(.about(member.name, .skipped(reason)))
      try end(since: counts) { InputRecord(member, .notAFile, reason: reason) }
    }
  }

  // MARK: - Inventory

  /// Records and findings of all inputs so far.
  private var counts: (records: Int, findings: Int) {
    let summary = analyzer.summary
    let records =
      summary.feedback &+ summary.gateway.requests &+ summary.gateway.responses &+ summary.pushes.counts.all
    return (records, summary.findings.values.reduce(0, +))
  }

  /// Emits a row of the inventory, if a sink needs it.
  /// - Parameter earlier: the counts before this input.
  private mutating func end(since earlier: (records: Int, findings: Int), _ make: () -> InputRecord) throws {
    guard analyzer.needs.contains(.inventory) else { return }
    var row = make()
    let now = counts
    // Records of a stream in several files are counted when it ends, and are of no one file.
    let isShared = options.reading.joins || walk.inputs.first?.half != nil
    row.records = isShared ? nil : now.records &- earlier.records
    row.findings = now.findings &- earlier.findings
    files += 1
    // The digest of a split image is not that of any of its files.
    if row.verdict == .part || row.isFirstPart { row.hashFile(options.inventoryDigests) }
    try analyzer.end(row)
  }

  /// Whether `input` is a known file, which is then done with: its length in bytes; nil if it is to be read.
  private mutating func leftOut(_ input: Input, progress: (Int) -> Void) throws -> Int? {
    guard let known = options.knownHashes else { return nil }
    let kinds = known.kinds.union(analyzer.needs.contains(.inventory) ? options.inventoryDigests : [])
    guard let file = FileDigests.of(input, kinds, progress: progress) else {
      if input.size == nil, !isRerun { Console.note(.about(input.name, .notComparedWithKnown)) }
      return nil
    }
    guard known.contains(file.digests) else { return nil }
    knownInputs += 1
    noteDirectory(of: input)
    try end(since: counts) {
      var row = InputRecord(input, .known)
      row.size = file.bytes
      row.digests = file.digests
      return row
    }
    return file.bytes
  }

  /// Adds a finding about an input as a whole.
  package func report(_ finding: Finding) throws { try analyzer.report(finding) }

  /// Throws if standard output is one of the inputs: reading it would never end.
  private func checkStandardOutput() throws {
    guard let output = FileIdentity(of: STDOUT_FILENO), output.isRegular,
      let input = walk.inputs.first(where: { $0.identity == output })
    else { return }
    throw Failure(.outputIsInput(input.name))
  }

  private var usesThreads: Bool { options.usesThreads && Workers.usual > 1 }

  private func reader(_ analyzer: Analyzer, _ decryption: DecryptionStage?) throws -> InputReader {
    var reading = options.reading
    reading.capture.readsSecrets = options.keys?.readsEmbedded ?? false
    reading.hashesSkipped = analyzer.needs.contains(.inventory)
    reading.digests = options.hashing == .all ? .sha256 : []
    if reading.hashesSkipped { reading.digests.formUnion(options.inventoryDigests) }
    do {
      return try InputReader(
        options: reading, contentProbes: options.analysis.contentProbes, usesThread: usesThreads
      ) { try analyzer.consume(decryption?.process($0) ?? $0) }
    } catch {
      throw UsageError(.about("--filter", error.message))
    }
  }

  /// Digests of `input` in addition to those of all inputs.
  private func digests(of input: Input) -> DigestKinds {
    guard options.hashing == .possibleCopies else { return [] }
    // The size of a member need not be known before it is read.
    return input.isMember || repeated?.mayBeCopy(input) ?? false ? .sha256 : []
  }

  // MARK: - After reading

  private func report(_ unused: [(file: String, unused: Int, all: Int)]) throws {
    for (file, count, all) in unused {
      try analyzer.report(
        Finding(
          source: file, code: .unusedSecrets,
          message: .unusedSecrets(count, of: all)))
    }
  }

  private mutating func noteDirectory(of input: Input) {
    if let directory = input.directory { directoriesWithInputs.insert(directory) }
  }

  /// - Parameters:
  ///   - counts: those before the input was read.
  ///   - index: where its summary goes in `inputs`: the members of an archive come after it.
  private mutating func record(
    _ report: InputReport, of input: Input, before index: Int, since counts: (records: Int, findings: Int)
  ) throws {
    var first: String?
    for fault in report.faults { try self.report(fault, of: input.name) }
    if !report.faults.isEmpty {
      failures += 1
      noteDirectory(of: input)
    }
    if case .imageSegment = report.recognition {
      noteDirectory(of: input)
    } else if report.isSkipped {
      try recordSkipped(report, of: input)
    }
    if let format = report.format?.name ?? report.archiveFormat?.rawValue {
      first = repeated?.first(like: input, digest: report.digests.sha256, bytes: report.bytes)
      try recordRead(report, as: format, of: input, at: index, sameBytesAs: first)
    }
    try end(since: counts) { InputRecord(report, of: input, sameBytesAs: first) }
    for part in input.otherParts { try end(since: self.counts) { InputRecord(part, .part) } }
  }

  private mutating func recordSkipped(_ report: InputReport, of input: Input) throws {
    let isFailure = options.failsOnUnrecognised && Self.isUnrecognised(report.recognition)
    if isFailure { failures += 1 }
    try note(.skipped(Self.kind(report.recognition)), of: input, .unrecognisedInput, isFailure: isFailure)
  }

  private mutating func recordRead(
    _ report: InputReport, as format: String, of input: Input, at index: Int, sameBytesAs first: String?
  ) throws {
    noteDirectory(of: input)
    // The options name the content of both files of a pair.
    if report.format != nil, options.reading.format == nil, report.recognition == .nothing, input.half == nil
    {
      if options.failsOnUnrecognised { failures += 1 }
      try note(
        report.format == .carve
          ? .carvedInstead : .readAsRaw((options.analysis.choice.named ?? .feedback).rawValue), of: input,
        .unrecognisedInput, isWarning: true, isFailure: options.failsOnUnrecognised)
    }
    if case .image(let kind) = report.recognition, !isRerun {
      Console.note(.about(input.name, .carvedImage(kind)))
    }
    if report.contentBytes == 0, report.faults.isEmpty {
      emptyInputs += 1
      if !isRerun { Console.note(.about(input.name, .empty)) }
    }
    var summary = InputSummary(
      source: input.name, format: format, compression: report.compression,
      bytes: report.bytes, sha256: report.digests.sha256)
    summary.captureKind = report.captureKind?.rawValue
    summary.packets = report.packets
    summary.isArchive = report.archiveFormat != nil
    summary.parts = report.parts
    summary.archiveOffset = input.member?.offset
    summary.sameBytesAs = first
    if !summary.isArchive { readCount += 1 }
    inputs.insert(summary, at: index)
    if let first {
      try note(
        .sameBytes(as: VisibleText.of(first), isJoinedCapture: options.reading.joins), of: input,
        .duplicateInput, isWarning: true)
    }
  }

  /// Whether it is no input of a known format, whether the kind of the file is known or not.
  private static func isUnrecognised(_ recognition: Recognition) -> Bool {
    switch recognition {
    case .nothing, .known: true
    case .format, .foreign, .packed, .image, .imageSegment: false
    }
  }

  private static func kind(_ recognition: Recognition) -> Message {
    switch recognition {
    case .foreign(let kind, _), .known(let kind): kind
    case .format, .packed, .image, .imageSegment, .nothing: .unknownFormat
    }
  }

  /// Reports a fault as a message for the user and as a finding.
  private func report(_ fault: InputFault, of name: String) throws {
    Console.say(.about(name, fault.located))
    try report(
      Finding(source: name, fileOffset: fault.fileOffset, code: .unreadableInput, message: fault.located))
  }

  private func note(
    _ message: Message, of input: Input, _ code: FindingCode, isWarning: Bool = false, isFailure: Bool = false
  ) throws {
    let said = Message.about(input.name, isWarning ? .warning(message) : message)
    if isFailure { Console.say(said) } else if !isRerun { Console.note(said) }
    try report(Finding(source: input.name, code: code, message: message))
  }

  /// Prints a hint if neither dump of a pair has the expected content: they are probably swapped.
  private func hintIfSwapped() {
    guard walk.inputs.contains(where: { $0.half != nil }),
      summary.gateway.requests &+ summary.gateway.responses == 0, summary.skippedBytes > 0
    else { return }
    Console.note(.halvesMayBeSwapped)
  }
}
