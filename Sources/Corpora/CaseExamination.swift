import Analysis
import PacketCapture
import Platform
import Readers
import Reports
import StreamInputs
import WireBytes
import YAML

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

    var isHeld: Bool {
      if case .holds = self { true } else { false }
    }
  }

  /// Whether it is broken for want of an expectation that can be used, and of nothing else.
  var lacksExpectation = false

  var name: String { directory.name }
}

/// The inputs of a case, ready to be read.
package struct CaseSource {
  /// Bytes of memory that may be taken for what is found.
  package let memory: Int
  /// Reads all of it into the sinks; returns what there is to say of the whole.
  package let read: ([any EvidenceSink]) throws -> (Summary, [InputSummary])

  package init(memory: Int, read: @escaping ([any EvidenceSink]) throws -> (Summary, [InputSummary])) {
    (self.memory, self.read) = (memory, read)
  }
}

/// Examines cases as `export` does, with their messages kept apart.
package struct CaseExaminer: Sendable {
  /// How many differences of a case are kept.
  static let keptDifferences = 3
  /// An expectation of more bytes is not read.
  private static let maxExpectation = 256 << 20
  /// What it takes in memory: its text, and as much again for what it is sorted by.
  private static let expectationMemory = 2 * maxExpectation

  /// Descriptors that an examination takes: an input, maybe two, what is written of it to temporary files, and more.
  package static let descriptors = 6

  /// Opens a case with the options of its description.
  private let open: @Sendable (CaseDirectory, CaseDescription) throws -> CaseSource

  package init(open: @escaping @Sendable (CaseDirectory, CaseDescription) throws -> CaseSource) {
    self.open = open
  }

  /// Which streams readers are to be judged by; nil keeps none.
  private var readers: ReadableStream.Kind?
  /// Whether streams with bytes that are no records are kept as well.
  private var takesDamaged = false

  /// The same with the streams that a reader is to be judged by.
  func keepingStreams(for trial: ReaderTrial) -> CaseExaminer {
    var examiner = self
    examiner.readers = trial.kind
    examiner.takesDamaged = trial.takesDamaged
    return examiner
  }

  func examine(_ directory: CaseDirectory) throws -> ExaminedCase {
    var one = ExaminedCase(directory: directory)
    let log = MessageLog()
    do {
      try Messages.$log.withValue(log) { try examine(&one) }
    } catch let broken as BrokenCase {
      one.verdict = .broken(broken.message)
    } catch let mistake as YAMLMistake {
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

  // MARK: - What is found

  private func find(_ description: CaseDescription, _ one: inout ExaminedCase) throws -> Evidence {
    let source = try open(one.directory, description)
    let memory = source.memory
    let evidence = EvidenceSource(limit: memory)
    let buffer = OutputBuffer(evidence)
    let writer = EvidenceWriter(.ndjson, kinds: .all, letterCase: .lower, output: buffer)
    var streams: [ReadableStream] = []
    let recorder = readers.map { kind in
      StreamRecorder(budget: memory, contents: .records) { recorded, summary, _ in
        let stream = ReadableStream(
          recorded, summary, kind: kind, takesDamaged: takesDamaged, memory: memory)
        if let stream { streams.append(stream.cut(description.chunks)) }
        return 0
      }
    }
    let sinks: [(any EvidenceSink)?] = [writer, recorder]
    let (summary, inputs) = try source.read(sinks.compactMap { $0 })
    try writer.end(summary, inputs: inputs)
    try buffer.flush()
    one.streams = Self.inOrder(streams)
    return try evidence.finish()
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
    do {
      return try Self.evidence(in: directory.input(name))
    } catch let fault as InputFault {
      throw BrokenCase("\(name): \(fault.message)")
    } catch let fault as EvidenceFault {
      throw BrokenCase(
        "\(name): line \(fault.line), column \(fault.column): \(fault.message); \(Self.remedy(fault))")
    }
  }

  /// Reads an expectation in blocks: only what is compared of it is kept.
  private static func evidence(in input: Input) throws -> Evidence {
    var file = try InputFile(input)
    var builder = EvidenceBuilder(limit: expectationMemory)
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = try file.fill(&block, from: 0)
      if count == 0 { return try builder.finish() }
      guard file.contentLength <= maxExpectation else {
        throw InputFault(
          "expected at most \(ByteSize.text(maxExpectation)), found more; make several cases of the case")
      }
      try builder.add(count == block.count ? block : Array(block[..<count]))
    }
  }

  private static func remedy(_ fault: EvidenceFault) -> String {
    if fault.isOtherVersion {
      return "it was written for another version of apnsift; --update writes it anew: read the difference"
    }
    return fault.isTooMuch
      ? "make several cases of the case" : "correct it, or write it anew with --update"
  }
}

/// Makes evidence of what is written, as long as it is not too much.
private final class EvidenceSource: ByteSink {
  private let limit: Int
  private var builder: EvidenceBuilder

  init(limit: Int) {
    self.limit = limit
    builder = EvidenceBuilder(limit: limit)
  }

  func write(_ bytes: RawSpan) throws {
    do {
      try builder.add(bytes.withUnsafeBytes { Array($0) })
    } catch {
      throw broken(error)
    }
  }

  func finish() throws -> Evidence {
    do {
      return try builder.finish()
    } catch {
      throw broken(error)
    }
  }

  private func broken(_ fault: EvidenceFault) -> BrokenCase {
    BrokenCase(
      fault.isTooMuch
        ? "what is found takes more than the \(ByteSize.text(limit)) of --memory; make several cases of the case"
        : "what was found cannot be compared (line \(fault.line): \(fault.message)); report it")
  }
}
