import Basics
import PacketCapture
import ProviderLogs

package struct ReadingOptions: Sendable {
  /// Nil detects the format of each file from its content.
  package var format: InputFormat?
  package var digests: DigestKinds = [.sha256]
  /// Whether inputs that are skipped are read in full nevertheless, for their digests.
  package var hashesSkipped = false
  /// Maximum number of bytes that the `*` lines of one hex dump may expand to.
  package var maxExpansion = 1 << 30
  package var capture = CaptureOptions()
  package var carving = CarvingOptions()
  package var archives = ArchiveLimits()
  /// How the lines of lists are read.
  package var lines = LogOptions()
  /// Whether records are searched in inputs of no known format.
  package var carvesUnknown = true
  /// Whether the inputs are one capture: connections continue across files.
  package var joins = false

  package init() {}
}

package struct InputReport {
  package var name: String
  /// Nil if it was not read.
  package var format: InputFormat?
  package var captureKind: CaptureRecords.FileFormat?
  package var packets: Int?
  /// Whether no packet of a capture with packets has TCP, or none of them that match the filter.
  package var lacksTCP = false
  /// The compression of the file, or `ewf`, or `utf-16`; nil if it is read as it is.
  package var compression: String?
  /// What an E01 image says of its acquisition, and of the MD5 of the medium.
  package var acquisition: (facts: [String], md5: String?) = ([], nil)
  /// How many files contain the content: more than 1 for a split image.
  package var parts = 1
  /// Bytes read of the file on disk, and their digests.
  package var bytes = 0
  package var digests = FileDigests()
  /// Bytes of content: the same number, or that after decompression.
  package var contentBytes = 0
  package var errors: [InputError] = []
  package var recognition = Recognition.nothing
  /// What it looks like, if a search found no record in it because its records have to be decoded first.
  package var undecoded: Message?
  /// Whether it was found in a directory and skipped.
  package var isSkipped = false
  /// Whether all of its content was searched for records.
  package var isSearched = false
  /// An archive: the caller reads its members, and then `finish`es the report.
  package var archive: Archive?
  package var archiveFormat: ArchiveFormat?
  /// How many members were read or skipped, with those in them, and how many could not be read in full.
  package var members = 0
  package var lostMembers = 0

  /// All members of the archive that were wanted have been read.
  package mutating func finishArchive() {
    guard let archive else { return }
    (bytes, contentBytes, digests) = archive.finish()
    if let error = archive.error { errors.append(error) }
    self.archive = nil
  }
}

/// Reads inputs: blocks of a file in, batches of stream events out. Memory does not grow with the file.
package struct InputReader: ~Copyable {
  /// Receives the events of one window, in order. It may take them, and leave an empty batch.
  package typealias Consumer = (_ batch: inout EventBatch) throws -> Void
  /// Gets the number of bytes read of the file on disk.
  package typealias Progress = (_ done: Int) throws -> Void

  /// Bytes read at once: large enough to make the cost of a system call negligible, small enough for the processor's
  /// cache.
  private static let blockLength = 256 << 10
  /// The head of text with long lines.
  private static let longHeadLength = 4 << 20
  /// Bytes of a capture's content kept in memory if the file cannot be read twice: retransmissions are compared with
  /// them.
  private static let keptLength = 32 << 20

  private let options: ReadingOptions
  private let detection: FormatDetection
  private let consume: Consumer
  /// Consumes on another thread while the next block is read; nil to consume on this one.
  private let worker: OrderedWorkers<EventBatch>?
  private static let maxQueued = 2
  /// Whether the worker has the input's events so far: only then may it get the next ones.
  private var usesWorker = false
  /// Whether reading this input takes more than passing on its bytes.
  private var isReadingWork = false
  /// Whether streams may have other bytes than the file.
  private var decodesText = false
  /// Whether holes of a sparse file are skipped: where bytes are searched, and not accounted for.
  private var skipsHoles = false
  /// Whether inputs are read ahead: archives are left to another reader.
  private let isAhead: Bool
  /// Whether the consumer keeps blocks.
  private var sharesBlocks: Bool { isAhead || worker != nil || held != nil }
  /// The current input, and the bytes of the block that it has filled.
  private var input = Input("-")
  private var report = InputReport(name: "")
  private var filled = 0
  private var block: [UInt8]
  private var batch = EventBatch()
  /// The last batches of a capture, which wait for other copies of their bytes.
  private var held: HeldBatches?
  /// The capture that several inputs form.
  private var joined: CaptureSource?
  /// Number of its inputs read before this one.
  private var joinedCount = 0

  /// - Parameters:
  ///   - contentProbes: detect the caller's protocols in raw bytes.
  ///   - usesThread: whether large inputs are consumed on another thread; it is idle between two inputs, and after
  ///     `stop`.
  ///   - isAhead: whether the consumer keeps batches. An archive is then not opened: the report has its format alone.
  ///   - consume: receives the events of all inputs.
  /// - Throws: an `InputError` where the filter does not compile.
  package init(
    options: ReadingOptions, contentProbes: [FormatProbe], usesThread: Bool = false,
    isAhead: Bool = false, consume: @escaping Consumer
  ) throws(InputError) {
    if let filter = options.capture.filter { _ = try PacketFilter(filter) }
    (self.options, self.consume, self.isAhead) = (options, consume, isAhead)
    detection = FormatDetection(options: options, contentProbes: contentProbes)
    block = [UInt8](repeating: 0, count: Self.blockLength)
    worker =
      !usesThread
      ? nil
      : OrderedWorkers(capacity: Self.maxQueued) { batch in
        try consume(&batch)
        batch.removeAll()
      }
  }

  /// Whether the next input may continue a capture.
  package var isOpen: Bool { joined != nil }

  /// Waits until the other thread is idle.
  package func stop() { worker?.stop() }

  /// Reads `input` and passes on its events. If an input is unreadable in part, the rest is used, and the report has
  /// an error; only errors of the consumer are thrown.
  /// - Parameters:
  ///   - archive: the archive of which `input` is the current member.
  ///   - digests: those to compute of this input, in addition to those of the options.
  ///   - progress: called now and then with the number of bytes read of the file on disk.
  package mutating func read(
    _ input: Input, of archive: Archive? = nil, digests: DigestKinds = [], progress: Progress
  ) throws -> InputReport {
    (self.input, report) = (input, InputReport(name: input.name))
    // An archive is the caller's alone.
    defer { report.archive = nil }
    defer { joinedCount = options.joins || isOpen ? joinedCount + 1 : 0 }
    if input.half == .requests { batch.opened(.pair, slot: 0) }
    try readFile(of: archive, digests: options.digests.union(digests), progress: progress)
    // Even if this half failed: the other one was read.
    if input.half == .responses { batch.closed(StreamReport(.pair), slot: 0) }
    try emit()
    try worker?.drain()
    usesWorker = false
    return report
  }

  private mutating func readFile(of archive: Archive?, digests: DigestKinds, progress: Progress) throws {
    do {
      // With the raw format, bytes may only look compressed.
      let isRaw = options.format == .dump(.raw)
      var file = try InputFile(input, of: archive, digests: digests, readsLookalikes: isRaw)
      var headLength = FormatProbes.headLength
      filled = file.fill(&block, errors: &report.errors)
      if options.format == nil, filled == block.count, FormatProbes.endsInLongLine(block) {
        block += [UInt8](repeating: 0, count: max(0, Self.longHeadLength - block.count))
        // An error is returned again by the next call.
        filled = (try? file.fill(&block, from: filled)) ?? filled
        headLength = Self.longHeadLength
      }
      (report.compression, report.acquisition) = (file.encoding, file.acquisition)
      report.parts = file.partCount
      let head = Array(block[..<min(filled, headLength)])
      if !isRaw, input.half == nil, let format = ArchiveFormat(of: head) {
        report.archiveFormat = format
        if isAhead { return }
        report.archive = Archive(
          format, in: file, head: block[..<filled], limits: options.archives, outer: archive)
        return
      }
      if report.errors.isEmpty {
        do {
          try readContent(of: &file, head, progress: progress)
        } catch let error as InputError {
          report.errors.append(error)
        }
      }
      report.errors += file.damage
      let isSkipped = report.format == nil
      if isSkipped, options.hashesSkipped { try file.readStored(progress: progress) }
      report.contentBytes = file.contentLength
      let stored = file.finish()
      report.bytes = stored.bytes
      if !isSkipped || options.hashesSkipped { report.digests = stored.digests }
    } catch let error as InputError {
      report.errors.append(error)
    }
  }

  private mutating func readContent(of file: inout InputFile, _ head: [UInt8], progress: Progress) throws {
    let isWhole = filled == head.count && filled < block.count
    if let segment = file.laterSegment {
      report.recognition = .imageSegment(segment)
      report.isSkipped = true
      if let error = EWFImage.orphan(segment, at: input.path) { report.errors.append(error) }
      return
    }
    guard
      let format = detection.format(
        of: input, head: head, block: block[..<filled], isWhole: isWhole, report: &report)
    else { return }
    report.format = format
    // Reading bytes only to pass them on takes less time than passing them to another processor.
    isReadingWork = file.isHashed || report.compression != nil || format != .dump(.raw)
    skipsHoles = format == .carve
    decodesText = ![.dump(.raw), .capture, .providerLog].contains(format)
    switch format {
    case .dump(let format):
      var source = DumpSource(
        format, side: input.half == .responses ? .second : .first, head: head, isWhole: isWhole,
        maxExpansion: options.maxExpansion)
      if input.half == nil { batch.opened(.dump, slot: 0) }
      try readAll(&file, &source, progress: progress)
      report.errors += source.errors
      if input.half == nil { batch.closed(StreamReport(.dump), slot: 0) }
    case .export(let format):
      var source = ExportSource(format, serverPorts: options.capture.serverPorts, lines: options.lines)
      try readAll(&file, &source, progress: progress)
      report.errors += source.errors
    case .providerLog:
      var source = DumpSource()
      batch.opened(.log, slot: 0)
      try readAll(&file, &source, progress: progress)
      batch.closed(StreamReport(.log), slot: 0)
    case .carve:
      var source = CarveSource(options.carving, capture: options.capture)
      try readAll(&file, &source, progress: progress)
      report.isSearched = true
      if !source.isIdle { report.undecoded = nil }
      if options.format == nil, report.recognition == .nothing, source.isIdle {
        (report.format, report.isSkipped) = (nil, true)
      }
    case .capture:
      report.captureKind = CaptureRecords.recognises(head.span.bytes)
      try readCapture(&file, progress: progress)
    }
  }

  /// The inputs of a joined capture have been read.
  package mutating func finish() throws {
    guard var source = joined.take() else { return }
    joinedCount = 0
    held = source.held
    try finish(&source)
    held = nil
  }

  /// The key logs of a capture, without its packets, as far as that many bytes are kept.
  private func keyLogs() -> CaptureSource.KeyLogs {
    var options = options
    (options.format, options.joins, options.digests, options.capture.skipsPackets) = (
      .capture, false, [], true
    )
    return { [options, input] in
      var found: [EmbeddedSecrets] = []
      let reader = try? InputReader(options: options, contentProbes: []) { batch in
        found += batch.secrets
        if found.reduce(0, { $0 + $1.bytes.count }) > Self.keptLength { throw CancellationError() }
      }
      if var reader { _ = try? reader.read(input) { _ in } }
      return found
    }
  }

  private mutating func readCapture(_ file: inout InputFile, progress: Progress) throws {
    guard let kind = report.captureKind else {
      report.errors.append(InputError("not a pcap or pcapng capture", fileOffset: 0))
      return
    }
    let history = file.keepHistory(Self.keptLength, after: block[..<filled])
    // Moved out of `self` meanwhile, so that it is not copied.
    var source = if let known = joined.take() { known } else { try CaptureSource(options: options.capture) }
    held = source.held
    let canReadTwice = input.path != nil && file.size != nil && !input.isMember
    source.begin(
      kind, input: UInt16(clamping: joinedCount), history: history,
      keyLogs: canReadTwice ? keyLogs() : nil, isLast: !options.joins && !input.isContinued)
    try readWindows(&file, &source, progress: progress)
    if let error = source.end() { report.errors.append(error) }
    report.packets = source.packetCount
    report.lacksTCP = source.packetCount > 0 && !source.hasTCP
    if options.joins || input.isContinued { joined = consume source } else { try finish(&source) }
    try passHeld(isEnd: true)
    held = nil
  }

  // MARK: - From a file's blocks to events

  /// Reads a file that is not part of a joined capture.
  private mutating func readAll(
    _ file: inout InputFile, _ source: inout some StreamSource & ~Copyable, progress: Progress
  ) throws {
    try readWindows(&file, &source, progress: progress)
    try finish(&source)
  }

  /// Moves the block over the file as a window: unread bytes move to its front.
  private mutating func readWindows(
    _ file: inout InputFile, _ source: inout some StreamSource & ~Copyable, progress: Progress
  ) throws {
    // Moved out of `self`, so that a window of the block can be read while the batch is filled.
    var block: [UInt8] = []
    swap(&block, &self.block)
    defer { swap(&block, &self.block) }
    var (start, windowOffset) = (0, 0)
    var readError: InputError?
    reading: while true {
      let step = source.read(
        block.span.bytes.extracting(first: filled), from: start, windowOffset: windowOffset,
        isLast: filled < block.count, into: &batch)
      try emit(block, filled: filled, at: windowOffset)
      try progress(file.bytesRead)
      switch step {
      case .isFull(let consumed): start = consumed
      case .needsBytes(let consumed, let needed):
        // For a small input, waking a thread costs more than it saves.
        usesWorker = usesWorker || worker != nil && isReadingWork && filled == block.count
        let rest = Self.moveToFront(consumed..<filled, of: &block, isShared: sharesBlocks)
        windowOffset += consumed
        start = 0
        if needed > block.count { block += [UInt8](repeating: 0, count: needed - block.count) }
        // What is searched begins and ends within a block: the inside of a long hole cannot matter.
        if skipsHoles, block[..<rest].allSatisfy({ $0 == 0 }) {
          windowOffset += file.skipHole(keeping: block.count)
        }
        do throws(InputError) {
          filled = try file.fill(&block, from: rest)
        } catch {
          readError = error
          filled = rest
        }
      case .ended(let error):
        if let error { report.errors.append(error) }
        break reading
      }
    }
    // Bytes after the last record count for the file's size and digest.
    if let readError { return report.errors.append(readError) }
    while file.fill(&block, errors: &report.errors) > 0 {}
  }

  /// Moves bytes to the front of the block, or of a new one if this is shared; the next bytes are read after them.
  /// - Returns: the number of bytes.
  private static func moveToFront(_ range: Range<Int>, of block: inout [UInt8], isShared: Bool) -> Int {
    if isShared {
      let rest = block[range]
      // The bytes after the rest are filled before they are used.
      block = [UInt8](unsafeUninitializedCapacity: block.count) { bytes, count in
        _ = bytes.initialize(fromContentsOf: rest)
        count = bytes.count
      }
    } else if range.lowerBound > 0 {
      block.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
    }
    return range.count
  }

  private mutating func finish(_ source: inout some StreamSource & ~Copyable) throws {
    var isDone = false
    while !isDone {
      isDone = source.finish(into: &batch)
      try emit()
      // No more copies can come.
      try passHeld(isEnd: true)
    }
  }

  /// Passes the events so far to the consumer.
  /// - Parameters:
  ///   - window: their bytes.
  ///   - filled: the length of the window's part that was read.
  ///   - offset: its offset in the file.
  private mutating func emit(_ window: [UInt8] = [], filled: Int = 0, at offset: Int = 0) throws {
    guard !batch.isEmpty else { return }
    batch.textOffsets = decodesText && filled > 0 ? offset..<offset + filled : nil
    // A small input's bytes must not keep a whole block, which is then copied for the next input.
    batch.window = sharesBlocks && filled <= window.count / 2 ? Array(window[..<filled]) : window
    guard let held else { return try pass() }
    held.add(&batch)
    try passHeld(isEnd: false)
  }

  private mutating func passHeld(isEnd: Bool) throws {
    while let due = held?.removeDue(isEnd: isEnd) {
      batch = due
      try pass()
    }
  }

  private mutating func pass() throws {
    guard let worker, usesWorker else {
      defer { batch.removeAll() }
      return try consume(&batch)
    }
    var full = EventBatch()
    swap(&full, &batch)
    batch = try worker.add(full) ?? EventBatch()
  }
}
