import APNsWire
import Analysis
import Basics
import PacketCapture
import StreamInputs
import TestSupport

/// A sink that keeps all evidence, one record at a time.
final class EvidenceRecording: EvidenceSink {
  struct Record: Equatable {
    var source: String
    var offset: Int
    var fileOffset: Int
    var time: UInt32
    var token: [UInt8]
    var flags: [String]

    /// The bytes of the record in the stream.
    var bytes: [UInt8] { Tuples.of(token, time: time) }
  }

  private(set) var records: [Record] = []
  private(set) var findings: [Finding] = []
  private(set) var streams: [StreamSummary] = []

  var needs: EvidenceNeeds { .extents }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    records.eachExtent { add($0, in: bytes) }
  }

  private func add(_ records: FeedbackRecords, in bytes: RawSpan) {
    for index in 0..<records.run.count {
      let run = records.run.slice(from: index, count: 1)
      let token = bytes.extracting((run.start + 6)..<(run.start + run.stride)).withUnsafeBytes { Array($0) }
      self.records.append(
        Record(
          source: records.labels.source, offset: run.offset,
          fileOffset: records.origin.fileOffset(of: run.offset),
          time: bytes.bigEndianUInt32(at: run.start), token: token, flags: run.flags.codes))
    }
  }

  func finding(_ finding: Finding) { findings.append(finding) }
  func stream(_ stream: StreamSummary, report: StreamReport) { streams.append(stream) }

  /// Findings as `code offset+length@fileOffset`.
  var findingTexts: [String] {
    findings.map { finding in
      let offset = finding.offset.map(String.init) ?? "-"
      let length = finding.length.map(String.init) ?? "-"
      return "\(finding.code.rawValue) \(offset)+\(length)@\(finding.fileOffset.map(String.init) ?? "-")"
    }
  }
}

/// Single events. The slot of a stream is its number.
extension Analyzer {
  /// The events of one stream, from its beginning to its end.
  func analyse(_ identity: StreamIdentity = .dump, _ events: (Analyzer) throws -> Void) throws {
    try log.begin(source: "input")
    try opened(identity)
    try events(self)
    try closed(StreamReport(identity))
  }

  func opened(_ identity: StreamIdentity) throws {
    try consume { $0.opened(identity, slot: Int32(identity.number)) }
  }

  func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) throws {
    try consume(bytes) {
      $0.bytes(
        .window, 0..<bytes.byteCount, slot: Int32(direction.stream), side: direction.side, origins: origins)
    }
  }

  /// At one offset in the stream and, if it is not given, in the file.
  func bytes(
    _ bytes: [UInt8], of direction: StreamDirection = .dump, at offset: Int = 0, fileOffset: Int? = nil,
    packet: Int? = nil
  ) throws {
    let origin = SourceExtent(
      streamOffset: offset, fileOffset: fileOffset ?? offset, stride: 1,
      packet: packet.map { PacketReference(number: $0) })
    try self.bytes(bytes.span.bytes, of: direction, origins: [origin])
  }

  func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    try consume { $0.gap(gap, slot: Int32(direction.stream), side: direction.side) }
  }

  func finding(_ finding: StreamFinding) throws {
    try consume { $0.finding(finding, slot: finding.stream.map { Int32($0) }) }
  }

  func closed(_ report: StreamReport) throws {
    try consume { $0.closed(report, slot: Int32(report.identity.number)) }
  }

  private func consume(_ window: RawSpan = RawSpan(), _ add: (inout EventBatch) -> Void) throws {
    var batch = EventBatch()
    add(&batch)
    batch.window = window.withUnsafeBytes { Array($0) }
    try consume(batch)
  }
}

/// The results of analysing dumps.
struct DumpAnalysis {
  let evidence = EvidenceRecording()
  private(set) var summary = Summary()
  private(set) var reports: [InputReport] = []

  /// Reads each of `dumps` as a file of `format`, nil to recognise it.
  /// - Parameter usesThreads: whether reading, analysis and the sink run on separate threads.
  init(
    all dumps: [[UInt8]], as format: DumpFormat? = .raw, usesThreads: Bool = false
  ) throws {
    let files = TemporaryFiles()
    let analysis = AnalysisOptions()
    let analyzer = Analyzer(analysis, sinks: [evidence], sinkThreads: usesThreads ? 3 : 0)
    var options = ReadingOptions()
    options.format = format.map { .dump($0) }
    options.digests = usesThreads ? [.sha256] : []
    var reader = try InputReader(
      options: options, contentProbes: [analysis.probe.formatProbe], usesThread: usesThreads
    ) { try analyzer.consume($0) }
    defer {
      reader.stop()
      analyzer.log.stop()
    }
    for (index, dump) in dumps.enumerated() {
      try analyzer.log.begin(source: "dump \(index)")
      let input = Input(try files.write(dump))
      reports.append(try reader.read(input, progress: { _ in }))
    }
    try analyzer.log.finish()
    summary = analyzer.log.summary
  }

  init(_ dump: [UInt8], as format: DumpFormat? = .raw) throws { try self.init(all: [dump], as: format) }
}

/// Damaged dumps.
enum Dumps {
  static func mark(_ length: Int, nul: Bool = false) -> [UInt8] {
    Array("[\(length) bytes missing in capture file]".utf8) + (nul ? [0] : [])
  }

  /// Tuples, some of them odd or incomplete, with gap marks between them.
  static func damaged(_ generator: inout SeededGenerator, parts: Int = 12) -> [UInt8] {
    var dump: [UInt8] = []
    for _ in 0..<generator.pick(1...parts) {
      for _ in 0..<generator.pick(0...20) { dump += tuple(&generator) }
      switch generator.pick(0...7) {
      case 0: dump += mark(generator.pick(1...2000), nul: generator.chance(2))
      case 1: dump += mark(5) + mark(generator.pick(0...70), nul: true)
      case 2: dump.removeLast(min(dump.count, generator.pick(1...50)))
      case 3: dump += generator.bytes(generator.pick(1...100))
      case 4: dump += Tuples.one(54)
      case 5: dump += Tuples.one(time: 10)
      case 6: dump += Tuples.one(fill: 0)
      default: break
      }
    }
    return dump
  }

  static func tuple(_ generator: inout SeededGenerator) -> [UInt8] {
    Tuples.of(generator.bytes(32), time: UInt32(generator.pick(1_300_000_000...1_600_000_000)))
  }
}
