import Analysis
import Corpus
import ReaderModels
import Reports
import StreamSources
import WireBytes

/// A case with what is expected of it and what was found.
struct ExaminedCase {
  var directory: CaseDirectory
  /// Nil where it could not be read.
  var description: CaseDescription?
  var verdict = Verdict.holds
  /// What was found; nil where nothing could be looked for.
  var found: Evidence?
  /// Streams for readers, where they were asked for.
  var streams: [ReadableStream] = []
  /// What the examination had to say.
  var messages: [String] = []

  enum Verdict {
    /// It was found as it is expected.
    case holds
    case differs(EvidenceComparison)
    /// A part is missing, or cannot be used: a sentence without its full stop.
    case broken(String)
  }

  /// Whether it is broken for want of an expectation that can be used, and of nothing else.
  var lacksExpectation = false

  var name: String { directory.name }
}

/// Examines cases as `export` does, with their messages kept apart.
struct CaseExaminer {
  /// How many differences of a case are kept.
  static let keptDifferences = 3
  /// An expectation of more bytes is not read.
  private static let maxExpectation = 256 << 20

  /// Which streams readers are to be judged by; nil keeps none.
  var readers: ReadableStream.Kind?
  /// Whether streams with bytes that are no records are kept as well.
  var takesDamaged = false

  func examine(_ directory: CaseDirectory) throws -> ExaminedCase {
    var one = ExaminedCase(directory: directory)
    let log = MessageLog()
    do {
      try Messages.$log.withValue(log) { try examine(&one) }
    } catch let broken as BrokenCase {
      one.verdict = .broken(broken.message)
    } catch let mistake as MappingError {
      one.verdict = .broken(mistake.message)
    } catch let usage as UsageError {
      one.verdict = .broken("its options cannot be used: \(usage.message)")
    } catch let failure as Failure {
      one.verdict = .broken(failure.message)
    }
    one.messages = log.lines
    return one
  }

  private func examine(_ one: inout ExaminedCase) throws {
    guard one.directory.hasDescription else {
      throw BrokenCase(
        "expected the file \(CaseFiles.description), found none; write one that says what the case shows and where it "
          + "comes from")
    }
    // Messages begin with the case's name already.
    let description = try CaseFile.description(
      at: one.directory.path(of: CaseFiles.description), name: CaseFiles.description)
    one.description = description
    let found = try find(description, &one)
    one.found = found
    one.lacksExpectation = true
    let expected = try expectation(one.directory)
    one.lacksExpectation = false
    let comparison = EvidenceComparison(expected: expected, found: found, limit: Self.keptDifferences)
    if comparison.count > 0 { one.verdict = .differs(comparison) }
  }

  // MARK: - What is found

  private func find(_ description: CaseDescription, _ one: inout ExaminedCase) throws -> Evidence {
    let inputs = try CaseInputs(one.directory, description)
    let memory = inputs.options.memory.bytes
    let document = EvidenceMemory(limit: memory)
    let buffer = OutputBuffer(document)
    let writer = EvidenceWriter(.ndjson, kinds: .all, letterCase: .lower, output: buffer)
    var streams: [ReadableStream] = []
    let keeper = StreamKeeper(memory: memory) { kept, summary in
      guard let kind = readers else { return }
      let stream = ReadableStream(kept, summary, kind: kind, takesDamaged: takesDamaged, memory: memory)
      if let stream { streams.append(stream.cut(description.chunks)) }
    }
    let sinks: [any EvidenceSink] = readers == nil ? [writer] : [writer, keeper]
    let analyzer = Analyzer(inputs.options.analysis, sinks: sinks)
    var examination = Examination(inputs.options, hashing: .all, walk: inputs.walk)
    if readers == nil {
      try examination.run(analyzer)
    } else {
      try examination.run(analyzer, into: KeepingReceiver(analyzer, keeper: keeper))
    }
    try writer.end(analyzer.summary, inputs: examination.inputs)
    try buffer.flush()
    one.streams = Self.inOrder(streams)
    do {
      return try Evidence(ndjson: document.bytes)
    } catch {
      throw BrokenCase("what was found cannot be compared (line \(error.line): \(error.message)); report it")
    }
  }

  /// Streams end in any order: by their inputs, and in each by their numbers.
  private static func inOrder(_ streams: [ReadableStream]) -> [ReadableStream] {
    var inputs: [String: Int] = [:]
    for stream in streams where inputs[stream.source] == nil { inputs[stream.source] = inputs.count }
    return streams.sorted {
      (inputs[$0.source] ?? 0, $0.number) < (inputs[$1.source] ?? 0, $1.number)
    }
  }

  // MARK: - What is expected

  private func expectation(_ directory: CaseDirectory) throws -> Evidence {
    let name = CaseFiles.expectation
    guard directory.hasExpectation else {
      throw BrokenCase("expected the file \(name), found none; --update writes what is found now: read it")
    }
    let bytes: [UInt8]
    do {
      bytes = try Self.read(Input(name, path: directory.path(of: name)))
    } catch {
      throw BrokenCase("\(name): \(error.message)")
    }
    do {
      return try Evidence(ndjson: bytes)
    } catch {
      let remedy =
        error.isOtherVersion
        ? "it was written for another version of apnsift; --update writes it anew: read the difference"
        : "correct it, or write it anew with --update"
      throw BrokenCase("\(name): line \(error.line), column \(error.column): \(error.message); \(remedy)")
    }
  }

  private static func read(_ input: Input) throws(InputFault) -> [UInt8] {
    let bytes = try InputFile.content(of: input, limit: maxExpectation)
    guard bytes.count <= maxExpectation else {
      throw InputFault(
        "expected at most \(ByteSize.text(maxExpectation)), found more; make several cases of the case")
    }
    return bytes
  }
}

/// Keeps what is written, as long as it is not too much.
private final class EvidenceMemory: ByteSink {
  private let limit: Int
  private(set) var bytes: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  func write(_ more: RawSpan) throws {
    guard bytes.count + more.byteCount <= limit else {
      throw BrokenCase(
        "what is found takes more than the \(ByteSize.text(limit)) of --memory; make several cases of the case"
      )
    }
    more.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}
