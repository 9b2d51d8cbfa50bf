import Analysis
import Basics
import PacketCapture
import Reports
import StreamInputs
import YAML

package struct ExaminedCase: Sendable {
  var directory: CaseDirectory
  /// Nil if it could not be read.
  package var description: CaseDescription?
  package var verdict = CaseResult.asExpected
  /// The result of the examination; nil if there was none.
  var found: Evidence?
  /// Streams for readers, if requested.
  package var streams: [ReadableStream] = []
  var messages: [String] = []
  /// How long the examination took.
  var time = Duration.zero

  package enum CaseResult: Sendable {
    case asExpected
    case differs(EvidenceComparison)
    /// A file is missing or invalid.
    case broken(Message)

    var isAsExpected: Bool { if case .asExpected = self { true } else { false } }
  }

  /// Whether the only thing missing is a valid expectation.
  var lacksExpectation = false

  package var name: String { directory.name }
}

/// Examines cases as `export` does, and collects the messages of each.
package struct CaseExaminer: Sendable {
  static let keptDifferences = 3
  /// Limit of a case's NDJSON in bytes: expectation and result are both in memory.
  fileprivate static let maxEvidence = 16 << 20

  /// File descriptors for an examination: one or two inputs, temporary files, and some more.
  package static let descriptors = 6

  /// Parses the options of a description, and the names of the inputs.
  private let parse: @Sendable ([String]) throws(CommandError) -> CaseOptions

  package init(parse: @escaping @Sendable ([String]) throws(CommandError) -> CaseOptions) {
    self.parse = parse
  }

  /// The kind of streams to keep for readers; nil keeps none.
  package var readers: ReadableStream.Kind?
  /// Whether to keep streams with bytes that are in no record.
  package var takesDamaged = false

  package func examine(_ directory: CaseDirectory) throws -> ExaminedCase {
    var one = ExaminedCase(directory: directory)
    let log = MessageLog()
    let start = ContinuousClock.now
    do {
      try Console.$log.withValue(log) { try examine(&one) }
    } catch let error as YAMLError {
      one.verdict = .broken(error.message)
    } catch let usage as UsageError {
      one.verdict = .broken("invalid options: \(usage.message)")
    } catch let error as CommandError {
      one.verdict = .broken(error.message)
    }
    one.messages = log.lines
    one.time = .now - start
    return one
  }

  private func examine(_ one: inout ExaminedCase) throws {
    guard one.directory.hasDescription else {
      throw CommandError("no case.yml; write one that says what the case shows and where its bytes come from")
    }
    // Messages begin with the case's name, so the file name needs no path.
    let description = try CaseFile.description(in: one.directory.input(CaseFiles.description))
    one.description = description
    let found = try find(description, &one)
    one.found = found
    one.lacksExpectation = true
    let expected = try expectation(one.directory)
    one.lacksExpectation = false
    let comparison = EvidenceComparison(expected: expected, found: found, limit: Self.keptDifferences)
    if comparison.count > 0 { one.verdict = .differs(comparison) }
  }

  // MARK: - Result

  private func find(_ description: CaseDescription, _ one: inout ExaminedCase) throws -> Evidence {
    var (examination, memory) = try one.directory.examination(description, parse: parse)
    let evidence = EvidenceText()
    let buffer = OutputBuffer(evidence)
    let writer = try RecordWriter(.ndjson, .document(.all), output: buffer)
    var streams: [ReadableStream] = []
    let pushes = readers == .pushes ? PushAnswerCollector(memory: memory) : nil
    let recorder = readers.map { kind in
      StreamRecorder(budget: memory, contents: .records) { recorded, summary, _ in
        let stream = ReadableStream(recorded, summary, kind: kind, takesDamaged: takesDamaged, memory: memory)
        if let stream { streams.append(stream.cut(description.chunks)) }
        return 0
      }
    }
    try examination.run([writer, recorder, pushes])
    try writer.end(examination.summary, inputs: examination.inputs)
    try buffer.flush()
    one.streams = Self.inOrder(streams)
    if let answers = pushes?.recorded.forClients, !answers.tokens.isEmpty {
      one.streams.append(ReadableStream(answers, of: one.name))
    }
    do {
      return try Evidence(ndjson: evidence.bytes)
    } catch {
      throw CommandError(
        "the result cannot be compared (line \(error.line): \(error.message)); please report this bug")
    }
  }

  /// Sorts streams, which end in any order, by input and number.
  private static func inOrder(_ streams: [ReadableStream]) -> [ReadableStream] {
    var inputs: [String: Int] = [:]
    for stream in streams where inputs[stream.source] == nil { inputs[stream.source] = inputs.count }
    return streams.sorted {
      (inputs[$0.source] ?? 0, $0.number) < (inputs[$1.source] ?? 0, $1.number)
    }
  }

  // MARK: - Expectation

  private func expectation(_ directory: CaseDirectory) throws -> Evidence {
    let name = CaseFiles.expectation
    guard directory.hasExpectation else {
      throw CommandError("no expected.ndjson; --update writes the current result: review it")
    }
    do {
      let bytes = try InputFile.content(of: directory.input(name), limit: Self.maxEvidence)
      guard bytes.count <= Self.maxEvidence else {
        throw CommandError(
          "expected.ndjson is larger than \(ByteSize.text(Self.maxEvidence)); split the case")
      }
      return try Evidence(ndjson: bytes)
    } catch let error as InputError {
      throw CommandError(.about(name, error.message))
    } catch let error as EvidenceError {
      let remedy =
        error.isOtherVersion
        ? "it is in another version of the format; --update rewrites it: review the difference"
        : "correct it, or rewrite it with --update"
      throw CommandError(
        "expected.ndjson: line \(error.line), column \(error.column): \(error.message); \(remedy)")
    }
  }
}

/// Collects NDJSON up to the limit.
private final class EvidenceText: ByteSink {
  private(set) var bytes: [UInt8] = []

  func write(_ more: RawSpan) throws {
    guard bytes.count + more.byteCount <= CaseExaminer.maxEvidence else {
      throw CommandError(
        "the result takes more than \(ByteSize.text(CaseExaminer.maxEvidence)) of NDJSON; split the case")
    }
    more.withUnsafeBytes { bytes += $0 }
  }
}
