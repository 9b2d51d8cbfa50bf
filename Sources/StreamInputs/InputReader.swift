import PacketCapture
import Platform
import WireBytes

/// How inputs are read.
package struct ReadingOptions: Sendable {
  /// Nil recognises each file by its content.
  package var format: InputFormat?
  /// Whether the inputs' SHA-256 is wanted.
  package var hashes = true
  /// How many bytes the `*` lines of one hex dump may stand for.
  package var maxExpansion = 1 << 30
  package var capture = CaptureOptions()
  /// Whether the inputs are one capture: connections go on across files.
  package var joins = false

  package init() {}
}

/// What became of an input.
package struct InputReport: Sendable {
  package var name: String
  /// Nil where it was not read.
  package var format: InputFormat?
  /// Which kind of capture it is.
  package var captureKind: CaptureRecords.Kind?
  /// Packets that a capture holds.
  package var packets: Int?
  /// Nil where the file holds the bytes themselves.
  package var compression: Compression?
  /// Bytes of the file that were read, as it lies on disk, and their SHA-256.
  package var bytes = 0
  package var sha256: String?
  /// Bytes that the file holds: as many, or what became of them when they were decompressed.
  package var contentBytes = 0
  package var faults: [InputFault] = []
  /// What its content was taken for.
  package var recognition = Recognition.nothing
  /// Whether it lay in a directory and was skipped.
  package var isPassedOver = false
}

/// Reads inputs: a file's blocks in, batches of the events of its streams out. Memory does not grow with the file.
package struct InputReader: ~Copyable {
  /// Takes the events that one window gave, in order.
  package typealias Consumer = (_ batch: EventBatch) throws -> Void

  /// Bytes read at once: large enough that a system call costs nothing beside them, small enough for the processor's cache.
  private static let blockLength = 256 << 10
  /// Bytes of a capture's content that are kept where the file cannot be read twice: what a sender repeats is compared with
  /// them.
  private static let keptLength = 32 << 20

  private let options: ReadingOptions
  private let contentProbes: [FormatProbe]
  private let consume: Consumer
  /// Consumes on another thread while the next block is read; nil where this one does.
  private let worker: SerialWorker<EventBatch>?
  private static let mostWaiting = 2
  /// Whether the worker has what this input gave so far: only then the next comes after it.
  private var usesWorker = false
  /// Whether reading this input takes more than passing its bytes on.
  private var isReadingWork = false
  private var block: [UInt8]
  private var batch = EventBatch()
  /// The capture that is made of several inputs.
  private var joined: CaptureSource?
  /// How many inputs were read before this one.
  private var inputCount = 0

  /// - Parameters:
  ///   - contentProbes: tell whether raw bytes are what the caller looks for.
  ///   - usesThread: whether large inputs are consumed on another thread. Between two inputs, and after `stop`, none is.
  ///   - consume: gets the events of all inputs.
  /// - Throws: an `InputFault` where the filter does not compile.
  package init(
    options: ReadingOptions, contentProbes: [FormatProbe], usesThread: Bool = false,
    consume: @escaping Consumer
  ) throws(InputFault) {
    if let filter = options.capture.filter { _ = try PacketFilter(filter) }
    self.options = options
    self.contentProbes = contentProbes
    self.consume = consume
    worker = usesThread ? Self.worker(consume) : nil
    block = [UInt8](repeating: 0, count: Self.blockLength)
  }

  private static func worker(_ consume: @escaping Consumer) -> SerialWorker<EventBatch> {
    SerialWorker(capacity: mostWaiting) { batch in
      try consume(batch)
      batch.removeAll()
    }
  }

  /// Waits until no other thread consumes.
  package func stop() { worker?.stop() }

  /// Reads `input` and has its events consumed. An input that cannot be read whole gives what could be read, and a
  /// fault in the report; only what the consumer throws is thrown.
  /// - Parameters:
  ///   - hashes: whether this input's SHA-256 is wanted, also where those of all are not.
  ///   - progress: gets, now and then, how many bytes of the file on disk were read.
  package mutating func read(
    _ input: Input, hashes: Bool = false, progress: (_ done: Int) -> Void
  ) throws -> InputReport {
    defer { inputCount += 1 }
    if input.half == .requests { batch.opened(.pair, slot: 0) }
    let report = try readContent(of: input, hashes: hashes, progress: progress)
    // Whatever became of this half: the other one was read.
    if input.half == .responses { batch.closed(StreamReport(.pair), slot: 0) }
    try emit()
    try worker?.drain()
    usesWorker = false
    return report
  }

  private mutating func readContent(
    of input: Input, hashes: Bool, progress: (_ done: Int) -> Void
  ) throws -> InputReport {
    var report = InputReport(name: input.name)
    do {
      // Who says raw may mean bytes that only look compressed.
      var file = try InputFile(
        input, hashes: options.hashes || hashes, readsLookalikes: options.format == .dump(.raw))
      let filled = try file.fill(&block, from: 0)
      report.compression = file.compression
      let head = Array(block[..<min(filled, FormatProbes.headLength)])
      let isWhole = filled <= FormatProbes.headLength
      guard let format = format(of: input, head: head, isWhole: isWhole, report: &report) else {
        return report
      }
      report.format = format
      // To read bytes that are only passed on takes less than to pass them to another processor.
      isReadingWork = options.hashes || hashes || report.compression != nil || format != .dump(.raw)
      switch format {
      case .dump(let format):
        var source = DumpSource(
          format, side: input.half == .responses ? .second : .first, head: head, isWhole: isWhole,
          maxExpansion: options.maxExpansion)
        if input.half == nil { batch.opened(.dump, slot: 0) }
        try readAll(&file, filled, &source, report: &report, progress: progress)
        report.faults += source.faults
        if input.half == nil { batch.closed(StreamReport(.dump), slot: 0) }
      case .export(let format):
        var source = ExportSource(format, serverPorts: options.capture.serverPorts)
        try readAll(&file, filled, &source, report: &report, progress: progress)
        report.faults += source.faults
      case .capture:
        report.captureKind = CaptureRecords.recognises(head.span.bytes)
        try readCapture(&file, filled, report: &report, progress: progress)
      }
      report.bytes = file.bytesRead
      report.contentBytes = file.contentLength
      report.sha256 = file.takeDigest()
    } catch let fault as InputFault {
      report.faults.append(fault)
    }
    return report
  }

  /// All inputs have been read: the capture that they made has ended.
  package mutating func finish() throws {
    guard var source = joined.take() else { return }
    try finish(&source)
  }

  private mutating func readCapture(
    _ file: inout InputFile, _ filled: Int, report: inout InputReport, progress: (Int) -> Void
  ) throws {
    guard let kind = report.captureKind else {
      report.faults.append(
        InputFault("is no capture: expected pcap or pcapng, found neither's first bytes", fileOffset: 0))
      return
    }
    let history = file.keepHistory(Self.keptLength, after: block[..<filled])
    // Taken out of `self` while it is read into, so that it is not copied.
    var source = if let known = joined.take() { known } else { try CaptureSource(options: options.capture) }
    source.begin(kind, input: options.joins ? UInt16(clamping: inputCount) : 0, history: history)
    try readWindows(&file, filled, &source, report: &report, progress: progress)
    source.end()
    report.packets = source.packetCount
    if options.joins {
      joined = consume source
    } else {
      try finish(&source)
    }
  }

  // MARK: - From a file's blocks to events

  /// Reads a file that is no part of a larger one.
  private mutating func readAll(
    _ file: inout InputFile, _ filled: Int, _ source: inout some StreamSource & ~Copyable,
    report: inout InputReport, progress: (Int) -> Void
  ) throws {
    try readWindows(&file, filled, &source, report: &report, progress: progress)
    try finish(&source)
  }

  /// Moves the block over the file as a window: what is left of it comes to its front.
  private mutating func readWindows(
    _ file: inout InputFile, _ firstFilled: Int, _ source: inout some StreamSource & ~Copyable,
    report: inout InputReport, progress: (Int) -> Void
  ) throws {
    // Taken out of `self`, so that a window of the block can be read while the batch is filled.
    var block: [UInt8] = []
    swap(&block, &self.block)
    defer { swap(&block, &self.block) }
    var filled = firstFilled
    var start = 0
    var windowOffset = 0
    var readFault: InputFault?
    reading: while true {
      let step = source.read(
        block.span.bytes.extracting(first: filled), from: start, windowOffset: windowOffset,
        isLast: filled < block.count, into: &batch)
      try emit(block)
      progress(file.bytesRead)
      switch step {
      case .isFull(let consumed):
        start = consumed
      case .needsBytes(let consumed, let needed):
        // A small input costs less than to wake a thread.
        usesWorker = usesWorker || worker != nil && isReadingWork && filled == block.count
        let rest = Self.moveToFront(consumed..<filled, of: &block, isShared: worker != nil)
        windowOffset += consumed
        start = 0
        if needed > block.count { block += [UInt8](repeating: 0, count: needed - block.count) }
        do throws(InputFault) {
          filled = try file.fill(&block, from: rest)
        } catch {
          readFault = error
          filled = rest
        }
      case .ended(let fault):
        if let fault { report.faults.append(fault) }
        break reading
      }
    }
    // What the file holds after the last record counts for its size and its digest.
    do throws(InputFault) {
      while readFault == nil, try file.fill(&block, from: 0) > 0 {}
    } catch {
      readFault = error
    }
    if let readFault { report.faults.append(readFault) }
  }

  /// Moves bytes to the front of the block, or of a new one where somebody has this: what is read next comes after them.
  /// - Returns: how many bytes they are.
  private static func moveToFront(_ range: Range<Int>, of block: inout [UInt8], isShared: Bool) -> Int {
    if isShared {
      let rest = block[range]
      // What comes after the rest is read before anybody looks at it.
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
    while !source.finish(into: &batch) { try emit() }
    try emit()
  }

  /// Has the events so far consumed.
  /// - Parameter window: what they are in.
  private mutating func emit(_ window: [UInt8] = []) throws {
    guard !batch.isEmpty else { return }
    batch.window = window
    guard let worker, usesWorker else {
      defer { batch.removeAll() }
      return try consume(batch)
    }
    var full = EventBatch()
    swap(&full, &batch)
    batch = try worker.add(full) ?? EventBatch()
  }

  // MARK: - Recognition

  /// The format to read `input` in; nil, with the reason in the report, where it is not to be read.
  private func format(
    of input: Input, head: [UInt8], isWhole: Bool, report: inout InputReport
  ) -> InputFormat? {
    guard let format = recognise(input, head: head, isWhole: isWhole, report: &report) else { return nil }
    if options.joins, format != .capture {
      report.faults.append(InputFault("is no capture, and --join makes one capture of all inputs"))
      return nil
    }
    if input.half != nil, !format.isDump {
      report.faults.append(
        InputFault("holds whole streams: --requests and --responses take dumps of one direction each"))
      return nil
    }
    return format
  }

  private func recognise(
    _ input: Input, head: [UInt8], isWhole: Bool, report: inout InputReport
  ) -> InputFormat? {
    if let format = options.format { return format }
    report.recognition = FormatProbes.recognise(
      head, isWhole: isWhole, inside: report.compression, content: contentProbes)
    switch report.recognition {
    case .format(let format):
      return format
    case .foreign(let kind, let remedy):
      report.isPassedOver = !input.isNamed
      if input.isNamed { report.faults.append(InputFault("is \(kind): \(remedy)", fileOffset: 0)) }
      return nil
    case .packed(let kind, let remedy):
      // In a directory, too: evidence that is skipped for its wrapping would be missed by nobody.
      report.faults.append(InputFault("is \(kind): \(remedy)", fileOffset: 0))
      return nil
    case .nothing:
      report.isPassedOver = !input.isNamed
      return input.isNamed ? .dump(.raw) : nil
    }
  }
}
