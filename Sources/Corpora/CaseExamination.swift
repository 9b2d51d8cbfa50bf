import Analysis
import PacketCapture
import Platform
import Readers
import Reports
import StreamInputs
import WireBytes
import YAML

/// A case with what is expected of it and what was found.
struct ExaminedCase: Sendable {
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

  enum Verdict: Sendable {
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
  /// Bytes of NDJSON that a case may have: all of it is in memory, on both sides.
  fileprivate static let maxEvidence = 16 << 20

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
    let evidence = EvidenceText()
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
    do {
      return try Evidence(ndjson: evidence.bytes)
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
    do {
      let bytes = try InputFile.content(of: directory.input(name), limit: Self.maxEvidence)
      guard bytes.count <= Self.maxEvidence else {
        throw BrokenCase(
          "\(name): expected at most \(ByteSize.text(Self.maxEvidence)), found more; make several cases of the case"
        )
      }
      return try Evidence(ndjson: bytes)
    } catch let fault as InputFault {
      throw BrokenCase("\(name): \(fault.message)")
    } catch let fault as EvidenceFault {
      let remedy =
        fault.isOtherVersion
        ? "it was written for another version of apnsift; --update writes it anew: read the difference"
        : "correct it, or write it anew with --update"
      throw BrokenCase("\(name): line \(fault.line), column \(fault.column): \(fault.message); \(remedy)")
    }
  }
}

/// Keeps what is written, as long as it is not too much.
private final class EvidenceText: ByteSink {
  private(set) var bytes: [UInt8] = []

  func write(_ more: RawSpan) throws {
    guard bytes.count + more.byteCount <= CaseExaminer.maxEvidence else {
      throw BrokenCase(
        "what is found takes more than \(ByteSize.text(CaseExaminer.maxEvidence)) of NDJSON; make several cases of the "
          + "case")
    }
    more.withUnsafeBytes { bytes += $0 }
  }
}
