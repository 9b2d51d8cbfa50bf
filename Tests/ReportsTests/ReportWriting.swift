import APNsWire
import Analysis
import Basics
import Foundation
import PacketCapture
import Reports
import TestSupport

/// Keeps a report in memory.
final class MemorySink: ByteSink {
  private(set) var bytes: [UInt8] = []
  /// The lengths of the chunks received.
  private(set) var chunks: [Int] = []

  func write(_ bytes: RawSpan) {
    chunks.append(bytes.byteCount)
    bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The output of `body` as text.
func report(_ body: (OutputBuffer) throws -> Void) rethrows -> String {
  let sink = MemorySink()
  let output = OutputBuffer(sink)
  try body(output)
  try? output.flush()
  return sink.text
}

/// A table of all standard columns, if none are given, as CSV.
func csv(
  _ kind: ExportedKind, _ columns: [String]? = nil, _ letterCase: Hex.LetterCase = .lower,
  _ body: (RecordWriter) throws -> Void
) throws -> String {
  try report { output in
    let writer = try RecordWriter(
      .csv, .table(kind, columns ?? kind.standard), letterCase: letterCase, output: output)
    try writer.begin(version: "0")
    try body(writer)
  }
}

/// A document of one input.
func document(
  _ format: DocumentFormat, _ kinds: Set<ExportedKind> = .all, _ letterCase: Hex.LetterCase = .lower,
  _ body: (RecordWriter) throws -> Void
) throws -> String {
  try report { output in
    let writer = try RecordWriter(format.format, .document(kinds), letterCase: letterCase, output: output)
    try writer.begin(version: "1.2", options: .object([("from", .string("auto"))]))
    try body(writer)
    try writer.end(Summary(), inputs: [InputSummary(source: "x", format: nil, bytes: 3, sha256: nil)])
  }
}

/// The formats as arguments of tests.
enum DocumentFormat: CaseIterable, Sendable {
  case json, ndjson

  var format: RecordWriter.Format { self == .json ? .json : .ndjson }
}

extension RecordWriter {
  func batch(_ batch: Batch) throws { try records(batch.records, in: batch.bytes.span.bytes) }
}

/// Records of equal token length and flags, with their bytes.
struct Batch {
  var records: FeedbackRecords
  var bytes: [UInt8]

  /// - Parameter lead: bytes before the first record.
  init(
    source: String = "dump.bin", stream: Int = 0, tokens: [[UInt8]], times: [UInt32], offset: Int = 0,
    flags: RecordFlags = [], lead: Int = 0, origin: SourceExtent? = nil
  ) {
    var bytes = [UInt8](repeating: 0xee, count: lead)
    for (token, time) in zip(tokens, times) { bytes += Tuples.of(token, time: time) }
    self.bytes = bytes
    let run = RecordRun.sample(
      start: lead, offset: offset, tokenLength: tokens.first?.count ?? 0, count: tokens.count, flags: flags,
      times: (times.min() ?? 0)...(times.max() ?? 0))
    records = FeedbackRecords(
      labels: StreamLabels(source: source, stream: stream), direction: .server, run: run,
      origin: origin ?? SourceExtent(streamOffset: offset, fileOffset: offset, stride: 1))
  }

  /// Batches of all kinds: token lengths around the widths of registers, and far beyond.
  static func random(_ generator: inout SeededGenerator) -> Batch {
    let length = generator.pick([0, 1, 3, 15, 16, 17, 31, 32, 32, 32, 33, 48, 54, 100, 1000])
    let count = generator.pick(1...9)
    let offset = generator.pick([0, 9, 1 << 40, generator.pick(0...1_000_000)])
    let spacing = generator.pick([Stride(stride: 1), Stride(stride: 2, groupSize: 2, groupStride: 5)])
    return Batch(
      source: generator.pick(["dump.bin", "-", "a,b", "q\"q", "two\nlines", "é/ü", ""]),
      stream: generator.pick(0...2), tokens: (0..<count).map { _ in generator.bytes(length) },
      times: (0..<count).map { _ in generator.pick([0, .max, UInt32(generator.pick(0...Int(UInt32.max)))]) },
      offset: offset,
      flags: RecordFlags(rawValue: UInt32(generator.pick(0...63)) * UInt32(generator.pick(0...1))),
      lead: generator.pick(0...40),
      origin: SourceExtent(
        streamOffset: offset - generator.pick(0...offset), fileOffset: 77, spacing: spacing))
  }

  /// The values of each record's columns, formatted with Foundation as a slow reference.
  func rows(_ letterCase: Hex.LetterCase = .lower) -> [[String: String]] {
    let formatter = ISO8601DateFormatter()
    return (0..<records.run.count).map { index in
      let length = records.run.tokenLength
      let header = records.run.start + index * (6 + length)
      let time = bytes[header..<(header + 4)].reduce(0) { $0 << 8 | Int($1) }
      let offset = records.run.offset + index * (6 + length)
      let digits = bytes[(header + 6)..<(header + 6 + length)].map {
        String(format: letterCase == .upper ? "%02X" : "%02x", $0)
      }
      return [
        "source": records.labels.source, "stream": "\(records.labels.stream)", "direction": "server",
        "offset": "\(offset)", "stream_offset": "\(offset)",
        "file_offset": "\(Self.fileOffset(offset, records.origin))", "timestamp": "\(time)",
        "time": formatter.string(from: Date(timeIntervalSince1970: Double(time))),
        "token_length": "\(length)",
        "token": digits.joined(), "flags": records.run.flags.codes.joined(separator: ";"),
      ]
    }
  }

  private static func fileOffset(_ offset: Int, _ origin: SourceExtent) -> Int {
    let index = offset - origin.streamOffset
    let spacing = origin.spacing
    guard spacing.groupSize > 0 else { return origin.fileOffset + index * spacing.stride }
    return origin.fileOffset + index / spacing.groupSize * spacing.groupStride
      + index % spacing.groupSize * spacing.stride
  }
}
