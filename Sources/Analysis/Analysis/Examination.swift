import APNsWire
import Basics
import PacketCapture
import StreamInputs
import TLSDecryption

/// Reads all inputs of a command into an analyzer, and reports and counts inputs that could not be read.
package struct Examination {
  package struct Options {
    package var reading = ReadingOptions()
    package var analysis = AnalysisOptions()
    /// Nil decrypts nothing.
    package var keys: StreamKeys?
    package var hashing = Hashing.all
    /// Digests of the inventory, if a sink needs it.
    package var inventoryDigests: DigestKinds = [.sha256]
    /// Files with these hashes are left out.
    package var knownHashes: KnownHashes?
    /// Whether inputs may have the same bytes, without a message about it.
    package var mayRepeat = false
    /// Whether a file with the bytes of an earlier one is left out. Members of archives are read all the same.
    package var countsCopiesOnce = false
    /// Whether an input of no known format is a failure.
    package var failsOnUnrecognised = false
    /// Whether a file that changes while the inputs are read is a failure: what was read may be a part of it.
    package var failsOnChange = false
    /// How many inputs are read at once, and how many threads write; 1 does everything on one thread. Nil is the number
    /// of processors.
    package var jobs: Int?
    /// Bytes of later inputs that may wait for their analysis, in all lanes.
    package var readAheadMemory = 256 << 20
    /// Finds the files of a disk image.
    package var fileNames: (@Sendable (Input) -> (any FileNames)?)?

    package init() {}
  }

  /// The inputs whose SHA-256 is computed.
  package enum Hashing {
    case all
    /// Inputs that may be copies of another input, to report copies.
    case possibleCopies
    case none
  }

  package let walk: InputWalk
  package var options: Options
  /// Without sinks before `run`.
  var analyzer: Analyzer
  package internal(set) var inputs: [InputSummary] = []
  /// How many of `inputs` have content of their own: all but archives.
  package internal(set) var readCount = 0
  /// How many of `inputs` have no content.
  package internal(set) var emptyInputs = 0
  /// Inputs that failed, in whole or in part.
  package internal(set) var failures = 0
  /// Files in the inventory, whatever became of them.
  package internal(set) var files = 0
  /// Inputs that were left out as known.
  package internal(set) var knownInputs = 0
  /// Decides whether to skip an input without reading it.
  package var skips: ((Input) throws -> Bool)?
  /// The inputs that failed: each by its index in the walk, and the indices of members in their archives. And whether this
  /// is the second pass, without them.
  private var failed: Set<[Int]> = []
  /// The inputs with findings that are errors, by index in the walk: parts of them were not read.
  private var wrong: Set<Int> = []
  /// The inputs that `skips` left out, by index in the walk.
  package private(set) var skipped: Set<Int> = []
  /// The files as they were when reading began, by index in the walk; empty if they may change.
  private var begun: [FileStatus?] = []
  /// The inputs that are left out as copies, by index in the walk.
  var copies: [Int: (file: HashedFile, first: String)] = [:]
  var isRerun = false
  /// The named directories with at least one input or reported failure.
  var directoriesWithInputs: Set<String> = []
  /// Nil if inputs may have the same bytes.
  var repeated: RepeatedInputs?

  package init(_ walk: InputWalk, _ options: Options) {
    self.walk = walk.joiningCaptures(options.reading)
    self.options = options
    analyzer = Analyzer(options.analysis, sinks: [])
    repeated = options.mayRepeat ? nil : RepeatedInputs(walk.inputs)
    for input in walk.inputs { input.register() }
  }

  package var summary: Summary {
    var summary = analyzer.log.summary
    summary.providerKeys = analyzer.log.pushes.keys
    return summary
  }

  /// Counts records that only the use of their times makes doubtful.
  package func count(_ flags: RecordFlags, times: Int) {
    if times > 0 { analyzer.log.summary.count(flags, times: times) }
  }

  // MARK: - Before reading

  /// The name of an input in the directory at `path`; nil if there is none.
  package func input(in path: String) -> String? {
    guard let directory = FileIdentity(at: Array(path.utf8CString)) else { return nil }
    return walk.inputs.first { input in
      guard let file = input.path else { return false }
      return FileIdentity(at: DirectoryEntry.directory(of: file)) == directory
    }?.name
  }

  // MARK: - Reading

  /// Reads all inputs, and delivers the evidence to `sinks`.
  /// - Throws: errors of sinks; `CommandError` if standard output is a file that is read; `UsageError` for a filter that does not
  ///   compile.
  package mutating func run(_ sinks: [(any EvidenceSink)?]) throws {
    let jobs = max(1, options.jobs ?? Workers.usual)
    let analyzer = Analyzer(
      options.analysis, sinks: sinks.compactMap { $0 }, sinkThreads: jobs - 1)
    self.analyzer = analyzer
    // Reading it would never end.
    try ReadFiles.check()
    let sizes = walk.inputs.map(\.size)
    if options.failsOnChange, begun.isEmpty { begun = walk.inputs.map(\.status) }
    let decryption = options.keys.map { DecryptionStage($0, ports: options.analysis.choice.serverPorts) }
    let consume: InputReader.Consumer = { try analyzer.consume(decryption?.process($0) ?? $0) }
    var run = Run(
      decryption: decryption, consume: consume, reader: try reader(usesThread: jobs > 1, consume),
      progress: ReadingProgress(sizes))
    defer {
      run.stop()
      analyzer.log.stop()
    }
    if !isRerun { try reportWalk() }
    if options.countsCopiesOnce { findCopies(run.progress) }
    run.ahead = try readAhead(sizes, jobs)
    for (index, input) in walk.inputs.enumerated() where !failed.contains([index]) {
      if try skips?(input) ?? false {
        skipped.insert(index)
        noteDirectory(of: input)
      } else {
        try read(input, at: index, &run)
      }
    }
    try run.reader.finish()
    try failChanged()
    for (file, message) in run.decryption?.unusedSecrets ?? [] {
      try analyzer.report(Finding(source: file, code: .unusedSecrets, message: message))
    }
    try analyzer.log.finish()
    if isRerun { return }
    if knownInputs > 0 { Console.note("left out \(Count.of(knownInputs, "known file")) (--known-hashes)") }
    if !copies.isEmpty {
      Console.note("left out \(Count.of(copies.count, "file")) identical to others (--unique-inputs)")
    }
    hintIfSwapped()
    for directory in walk.directories where !directoriesWithInputs.contains(directory) {
      failures += 1
      Console.say(.about(directory, "no input in this directory"))
    }
  }

  /// Reads the inputs without failures a second time, as if the others were missing. Messages are not repeated.
  /// - Throws: as `run`; `CommandError` if an input can be read only once, or fails this time.
  package mutating func runWithoutFailed(_ sinks: [(any EvidenceSink)?]) throws {
    if let input = walk.inputs.indices.first(where: { !failed.contains([$0]) && walk.inputs[$0].size == nil })
    {
      throw CommandError(
        "\(walk.inputs[input].name) can be read only once, but has to be read again because another "
          + "input failed: save it to a file")
    }
    isRerun = true
    (inputs, readCount, emptyInputs) = ([], 0, 0)
    (knownInputs, files, repeated) = (0, 0, nil)
    let known = failures
    try run(sinks)
    guard failures == known else {
      throw CommandError("an input that was read in full before could not be read in full again, see above")
    }
  }

  private mutating func failChanged() throws {
    for (index, old) in begun.enumerated() where !failed.contains([index]) && !skipped.contains(index) {
      guard let old, let size = old.size, let new = walk.inputs[index].status, new != old else { continue }
      failures += 1
      failed.insert([index])
      let error = InputError(
        "changed while it was read (\(Count.of(size, "byte")) before, \(new.size ?? 0) after): wait until it "
          + "is complete; a program that writes it elsewhere and renames it avoids this")
      try report(error, of: walk.inputs[index].name)
    }
  }

  /// The files that were read in full or skipped, and those that failed or have errors; without those that have changed since reading
  /// began, and those of no known format.
  package var settled: (done: [Input], failed: [Input]) {
    let read = Set(inputs.map(\.source))
    let failed = wrong.union(failed.compactMap(\.first))
    let unchanged = begun.indices.filter { begun[$0]?.size != nil && begun[$0] == walk.inputs[$0].status }
    func files(_ areIncluded: (Int) -> Bool) -> [Input] {
      unchanged.filter(areIncluded).flatMap { [walk.inputs[$0]] + walk.inputs[$0].otherParts }
    }
    let done = files {
      !failed.contains($0) && (skipped.contains($0) || read.contains(walk.inputs[$0].name))
    }
    return (done, files(failed.contains))
  }

  /// Threads for the inputs after the current one; nil if one thread reads all.
  ///
  /// A capture in several files and a pair of dumps are read in order, and whether an input is skipped may depend on those
  /// before it.
  private func readAhead(_ sizes: [Int?], _ jobs: Int) throws -> ReadAhead? {
    guard jobs > 1, walk.inputs.count > 1, skips == nil, !options.reading.joins,
      walk.inputs.first?.half == nil
    else { return nil }
    var plan = ReadAhead.Plan(reading, contentProbes: options.analysis.contentProbes)
    (plan.known, plan.knownDigests) = (options.knownHashes, knownDigests)
    plan.digests = additionalDigests
    // This thread mostly waits for the others. An image has its own file and the one that libewf opens.
    let lanes = DescriptorBudget.possible(jobs, each: 2)
    guard lanes > 0 else { return nil }
    let inputs = walk.inputs.enumerated().map { index, input in
      let isLeft = failed.contains([index]) || input.isShared || copies[index] != nil
      return (input: input, size: isLeft ? nil : sizes[index])
    }
    return try ReadAhead(inputs, plan, lanes: lanes, memory: options.readAheadMemory)
  }

  /// What reading one input after another changes.
  private struct Run: ~Copyable {
    let decryption: DecryptionStage?
    let consume: InputReader.Consumer
    var reader: InputReader
    var ahead: ReadAhead?
    let progress: ReadingProgress
    /// Whether an input was read before.
    var hasBegun = false

    func stop() {
      ahead?.stop()
      reader.stop()
      progress.clear()
    }
  }

  private func reader(usesThread: Bool, _ consume: @escaping InputReader.Consumer) throws -> InputReader {
    do throws(InputError) {
      return try InputReader(
        options: reading, contentProbes: options.analysis.contentProbes, usesThread: usesThread,
        consume: consume)
    } catch {
      throw UsageError(.about("--filter", error.message))
    }
  }

  /// Reads an input of the walk, unless it is known.
  private mutating func read(_ input: Input, at index: Int, _ run: inout Run) throws {
    if let copy = copies[index] {
      run.progress.finishInput(copy.file.bytes)
      return try leaveOut(input, copy.file, .copy, copyOf: copy.first)
    }
    let opening = try run.ahead?.open(index)
    let known: HashedFile?
    switch opening {
    case .known(let file): known = file
    case .isRead, .left: known = nil
    case nil: known = self.known(input, run.progress)
    }
    if let known {
      knownInputs += 1
      try leaveOut(input, known, .known)
      run.progress.finishInput(known.bytes)
    } else if case .isRead = opening {
      try read(input, key: [index], isAhead: true, &run)
    } else {
      try read(input, key: [index], &run)
    }
  }

  /// Reads an input, and the members of an archive.
  /// - Parameters:
  ///   - archive: the archive of which `input` is the current member.
  ///   - key: identifies the input in `failed`.
  ///   - isAhead: whether another thread reads it.
  private mutating func read(
    _ input: Input, of archive: Archive? = nil, key: [Int], isAhead: Bool = false, _ run: inout Run
  ) throws {
    let isContinued =
      run.hasBegun && options.reading.joins || input.half == .responses
      || input.continues != nil && run.reader.isOpen
    if !isContinued { try run.reader.finish() }
    run.hasBegun = true
    run.decryption?.begin(source: input.name)
    if isContinued {
      analyzer.log.continues(with: input.name)
    } else {
      let files = analyzer.log.needs.contains(.fileNames) ? options.fileNames?(input) : nil
      try analyzer.log.begin(source: input.name, files: files)
    }
    let progress = run.progress
    var counts = counts
    let (conflicts, errors) = (analyzer.log.summary.lateConflicts, analyzer.log.summary.findingCount(.error))
    var report: InputReport
    if isAhead, let ahead = run.ahead {
      report = try ahead.read(consume: run.consume, progress: { progress.update($0) })
    } else {
      report = try run.reader.read(
        input, of: archive, digests: additionalDigests(input),
        progress: { progress.update(archive?.diskPosition ?? $0) })
    }
    let late = analyzer.log.summary.lateConflicts - conflicts
    if late > 0 {
      report.errors.append(
        InputError(
          "\(Count.of(late, "packet")) contradicted bytes whose records had been written (see "
            + "conflicting-overlap); read it again with a larger --reorder-window, and a larger "
            + "--total-buffer if that is not enough"))
    }
    let first = inputs.count
    if let inner = report.archive {
      (report.members, report.lostMembers) = try readMembers(of: inner, input, key: key, &run)
      report.finishArchive()
      // Its members have their records and findings.
      counts = self.counts
    }
    if archive == nil { progress.finishInput(report.bytes) }
    if !report.errors.isEmpty || report.recognition == .nothing { progress.clear() }
    let known = failures
    try record(report, of: input, before: first, since: counts)
    if failures > known { failed.insert(key) }
    if analyzer.log.summary.findingCount(.error) > errors { wrong.insert(key[0]) }
  }

  /// Returns how many members were read or skipped, with those in them, and how many failed.
  private mutating func readMembers(
    of archive: Archive, _ input: Input, key: [Int], _ run: inout Run
  ) throws -> (members: Int, lost: Int) {
    let (known, first) = (failures, readCount)
    var index = 0
    while let member = archive.next() {
      let (file, key) = (input.member(member), key + [index])
      if file.isWanted, !failed.contains(key) { try read(member, file, of: archive, key: key, &run) }
      index += 1
    }
    let lost = failures - known
    let members = max(readCount - first, index - lost)
    guard input.isNamed, readCount == first, lost == 0, archive.error == nil, !isRerun
    else { return (members, lost) }
    failures += 1
    Console.say(
      .about(
        input.name,
        input.wantedMember.map { .noMember($0) } ?? "no input in this archive"))
    return (members, lost)
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
      try report(InputError(obstacle), of: input.name)
    } else {
      Console.note(.about(input.name, .skipped(obstacle)))
    }
    try end(since: counts) { InputRecord(input, member.isLost ? .unreadable : .notAFile, reason: obstacle) }
  }

  private mutating func reportWalk() throws {
    for (member, error) in walk.errors {
      failures += 1
      noteDirectory(of: member)
      let counts = counts
      try report(error, of: member.name)
      try end(since: counts) { InputRecord(member, .unreadable, reason: error.message) }
    }
    if let first = walk.hidden.first {
      let names = Count.of(walk.hidden.count, "name")
      Console.note("left alone \(names) with a leading dot, such as \(first.name): name it to read it")
      for member in walk.hidden { noteDirectory(of: member) }
    }
    for (member, reason) in walk.skipped {
      Console.note(.about(member.name, .skipped(reason)))
      try end(since: counts) { InputRecord(member, .notAFile, reason: reason) }
    }
  }

  package func report(_ finding: Finding) throws { try analyzer.report(finding) }

  private var reading: ReadingOptions {
    var reading = options.reading
    reading.capture.readsSecrets = options.keys?.readsEmbedded ?? false
    reading.hashesSkipped = analyzer.log.needs.contains(.inventory)
    reading.digests = options.hashing == .all ? [.sha256] : []
    if reading.hashesSkipped { reading.digests.formUnion(options.inventoryDigests) }
    return reading
  }

  /// Finds the digests of an input in addition to those of all inputs.
  private var additionalDigests: @Sendable (Input) -> DigestKinds {
    guard options.hashing == .possibleCopies else { return { _ in [] } }
    // The size of a member need not be known before it is read.
    return { [repeated] input in input.isMember || repeated?.mayBeCopy(input) ?? false ? [.sha256] : [] }
  }
}
