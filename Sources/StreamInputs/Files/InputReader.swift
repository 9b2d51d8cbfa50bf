import PacketCapture
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
  /// Whether it lay in a directory and was passed over.
  package var isPassedOver = false
}

/// Reads inputs: a file's blocks in, the events of its streams out. Memory does not grow with the file.
package struct InputReader {
  /// Bytes read at once: large enough that a system call costs nothing beside them, small enough for the
  /// processor's cache.
  private static let blockLength = 256 << 10
  /// Bytes of a capture's content that are kept where the file cannot be read twice: what a sender repeats
  /// is held against them.
  private static let keptLength = 32 << 20

  private let options: ReadingOptions
  private let contentProbes: [FormatProbe]
  private var block: [UInt8]
  /// The capture that is made of several inputs.
  private var joined: CapturePass?
  /// How many inputs were read before this one.
  private var inputCount = 0

  /// - Parameter contentProbes: tell whether raw bytes are what the caller looks for.
  /// - Throws: an `InputFault` where the filter does not compile.
  package init(options: ReadingOptions, contentProbes: [FormatProbe]) throws(InputFault) {
    if let filter = options.capture.filter { _ = try PacketFilter(filter) }
    self.options = options
    self.contentProbes = contentProbes
    self.block = [UInt8](repeating: 0, count: Self.blockLength)
  }

  /// Reads `input` into `receiver`. An input that cannot be read whole gives what could be read, and a
  /// fault in the report; only what the receiver throws is thrown.
  /// - Parameters:
  ///   - hashes: whether this input's SHA-256 is wanted, also where those of all are not.
  ///   - progress: is told now and then how many bytes of the file on disk were read.
  package mutating func read(
    _ input: Input, hashes: Bool = false, into receiver: inout some StreamReceiver,
    progress: (_ done: Int) -> Void
  ) throws -> InputReport {
    defer { inputCount += 1 }
    if input.half == .requests { try receiver.opened(.pair) }
    let report = try readContent(of: input, hashes: hashes, into: &receiver, progress: progress)
    // Whatever became of this half: the other one was read.
    if input.half == .responses { try receiver.closed(StreamReport(.pair)) }
    return report
  }

  private mutating func readContent(
    of input: Input, hashes: Bool, into receiver: inout some StreamReceiver, progress: (_ done: Int) -> Void
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
      switch format {
      case .dump(let format):
        let direction = StreamDirection(stream: 0, side: input.half == .responses ? .second : .first)
        let pass = DumpPass(
          format, of: direction, head: head, isWhole: isWhole, maxExpansion: options.maxExpansion)
        if input.half == nil { try receiver.opened(.dump) }
        try read(&file, filled, pass, into: &receiver, report: &report, progress: progress)
        if input.half == nil { try receiver.closed(StreamReport(.dump)) }
      case .export(let format):
        let pass = ExportPass(format, serverPorts: options.capture.serverPorts)
        try read(&file, filled, pass, into: &receiver, report: &report, progress: progress)
      case .capture:
        report.captureKind = CaptureRecords.recognises(head.span.bytes)
        try readCapture(&file, filled, into: &receiver, report: &report, progress: progress)
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
  package mutating func finish(into receiver: inout some StreamReceiver) throws {
    try joined?.finish(into: &receiver)
    joined = nil
  }

  // MARK: - Dumps

  private mutating func read(
    _ file: inout InputFile, _ firstFilled: Int, _ pass: consuming DumpPass,
    into receiver: inout some StreamReceiver, report: inout InputReport, progress: (Int) -> Void
  ) throws {
    var filled = firstFilled
    do {
      while filled > 0 {
        try pass.block(block.span.bytes.extracting(first: filled), into: &receiver)
        progress(file.bytesRead)
        filled = try file.fill(&block, from: 0)
      }
    } catch let fault as InputFault {
      report.faults.append(fault)
    }
    try pass.finish(into: &receiver, report: &report)
  }

  // MARK: - Stream exports

  private mutating func read(
    _ file: inout InputFile, _ firstFilled: Int, _ pass: consuming ExportPass,
    into receiver: inout some StreamReceiver, report: inout InputReport, progress: (Int) -> Void
  ) throws {
    var filled = firstFilled
    do {
      while filled > 0 {
        try pass.block(block.span.bytes.extracting(first: filled), into: &receiver)
        progress(file.bytesRead)
        filled = try file.fill(&block, from: 0)
      }
    } catch let fault as InputFault {
      report.faults.append(fault)
    }
    try pass.finish(into: &receiver, faults: &report.faults)
  }

  // MARK: - Captures

  private mutating func readCapture(
    _ file: inout InputFile, _ filled: Int, into receiver: inout some StreamReceiver,
    report: inout InputReport, progress: (Int) -> Void
  ) throws {
    guard let kind = report.captureKind else {
      report.faults.append(
        InputFault("is no capture: expected pcap or pcapng, found neither's first bytes", fileOffset: 0))
      return
    }
    file.keep(Self.keptLength, behind: block[..<filled])
    // Taken out of `self` while it is read into, so that it is not copied.
    var pass = try joined ?? CapturePass(options: options.capture)
    joined = nil
    pass.begin(kind, input: options.joins ? UInt16(clamping: inputCount) : 0)
    try readWindows(&file, filled, &pass, into: &receiver, report: &report, progress: progress)
    report.packets = pass.packetCount
    if options.joins {
      joined = pass
    } else {
      try pass.finish(into: &receiver)
    }
  }

  /// Moves the block over the file as a window: what is left of it comes to its front.
  private mutating func readWindows(
    _ file: inout InputFile, _ firstFilled: Int, _ pass: inout CapturePass,
    into receiver: inout some StreamReceiver, report: inout InputReport, progress: (Int) -> Void
  ) throws {
    var filled = firstFilled
    var windowOffset = 0
    while true {
      let outcome = try pass.read(
        block.span.bytes.extracting(first: filled), windowOffset: windowOffset, isLast: filled < block.count,
        memory: &file, into: &receiver)
      progress(file.bytesRead)
      guard case .needsBytes(let consumed, let needed) = outcome else {
        if case .ended(let fault?) = outcome { report.faults.append(fault) }
        break
      }
      let rest = filled - consumed
      block.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<rest]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[consumed..<filled]))
      }
      windowOffset += consumed
      if needed > block.count { block += [UInt8](repeating: 0, count: needed - block.count) }
      // A fault comes again when the rest of the file is asked for.
      filled = (try? file.fill(&block, from: rest)) ?? rest
    }
    try readRest(of: &file, report: &report)
  }

  /// What the file holds behind the last record counts for its size and its digest.
  private mutating func readRest(of file: inout InputFile, report: inout InputReport) throws {
    do {
      while try file.fill(&block, from: 0) > 0 {}
    } catch let fault {
      report.faults.append(fault)
    }
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
      // In a directory, too: evidence that is passed over for its wrapping would be missed by nobody.
      report.faults.append(InputFault("is \(kind): \(remedy)", fileOffset: 0))
      return nil
    case .nothing:
      report.isPassedOver = !input.isNamed
      return input.isNamed ? .dump(.raw) : nil
    }
  }
}

extension InputFile: CaptureMemory {}
