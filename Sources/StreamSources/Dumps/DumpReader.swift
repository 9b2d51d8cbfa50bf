import WireBytes

/// How dumps are read.
package struct DumpOptions: Sendable {
  /// Nil recognises each file by its content.
  package var format: DumpFormat?
  /// Whether the inputs' SHA-256 is wanted.
  package var hashes = true
  /// How many bytes the `*` lines of one hex dump may stand for.
  package var maxExpansion = 1 << 30

  package init() {}
}

/// What became of an input.
package struct InputReport: Sendable {
  package var name: String
  /// Nil where it was not read.
  package var format: DumpFormat?
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

/// Reads dumps: a file's blocks in, a stream's bytes and gaps out. Memory does not grow with the file.
package struct DumpReader {
  /// Bytes read at once: large enough that a system call costs nothing beside them, small enough for the
  /// processor's cache.
  private static let blockLength = 256 << 10

  private let options: DumpOptions
  private let contentProbes: [FormatProbe]
  private var block: [UInt8]

  /// - Parameter contentProbes: tell whether raw bytes are what the caller looks for.
  package init(options: DumpOptions, contentProbes: [FormatProbe]) {
    self.options = options
    self.contentProbes = contentProbes
    self.block = [UInt8](repeating: 0, count: Self.blockLength)
  }

  /// Reads `input` into `receiver`. An input that cannot be read whole gives what could be read, and a
  /// fault in the report; only what the receiver throws is thrown.
  /// - Parameter progress: is told now and then how many bytes of the file on disk were read, of how many where that is known.
  package mutating func read(
    _ input: Input, into receiver: inout some StreamReceiver,
    progress: (_ done: Int, _ size: Int?) -> Void
  ) throws -> InputReport {
    var report = InputReport(name: input.name)
    do {
      // Who says raw may mean bytes that only look compressed.
      var file = try InputFile(
        input, hashes: options.hashes, readsLookalikes: options.format == .raw)
      var filled = try file.fill(&block, from: 0)
      let head = Array(block[..<min(filled, FormatProbes.headLength)])
      let isWhole = filled <= FormatProbes.headLength
      report.compression = file.compression
      guard let format = format(of: input, head: head, isWhole: isWhole, report: &report) else {
        return report
      }
      report.format = format
      var pass = DumpPass(format, head: head, isWhole: isWhole, options: options)
      try receiver.opened(.dump)
      do {
        while filled > 0 {
          try pass.block(block.span.bytes.extracting(first: filled), into: &receiver)
          progress(file.bytesRead, file.size)
          filled = try file.fill(&block, from: 0)
        }
      } catch let fault as InputFault {
        report.faults.append(fault)
      }
      try pass.finish(into: &receiver, report: &report)
      report.bytes = file.bytesRead
      report.contentBytes = file.contentLength
      report.sha256 = file.takeDigest()
      try receiver.closed(StreamReport(.dump))
    } catch let fault as InputFault {
      report.faults.append(fault)
    }
    return report
  }

  /// The format to read `input` in; nil, with the reason in the report, where it is not to be read.
  private func format(
    of input: Input, head: [UInt8], isWhole: Bool, report: inout InputReport
  ) -> DumpFormat? {
    if let format = options.format { return format }
    report.recognition = FormatProbes.recognise(
      head, isWhole: isWhole, inside: report.compression, content: contentProbes)
    switch report.recognition {
    case .dump(let format):
      return format
    case .foreign(let kind, let remedy):
      report.isPassedOver = !input.isNamed
      if input.isNamed { report.faults.append(InputFault("is \(kind): \(remedy)", fileOffset: 0)) }
      return nil
    case .nothing:
      report.isPassedOver = !input.isNamed
      return input.isNamed ? .raw : nil
    }
  }
}
