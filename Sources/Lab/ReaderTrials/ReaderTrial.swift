import Analysis
import Basics
import Conformance
import ReaderModels
import Reports

/// Runs a reader on streams, and judges its output.
package struct ReaderTrial: Sendable {
  package let command: ReaderCommand
  /// Serves the streams; nil passes them on standard input.
  package let server: ReaderServer?
  /// The kind of stream that it reads.
  package let kind: ReadableStream.Kind
  package let limits: ReaderLimits
  package let takesDamaged: Bool
  /// Whether to report its standard error even if it is right.
  package let isVerbose: Bool

  package init(
    _ command: ReaderCommand, server: ReaderServer?, kind: ReadableStream.Kind, limits: ReaderLimits,
    takesDamaged: Bool, isVerbose: Bool
  ) {
    (self.command, self.server, self.kind, self.limits) = (command, server, kind, limits)
    (self.takesDamaged, self.isVerbose) = (takesDamaged, isVerbose)
  }

  /// Runs the reader on a stream.
  package func read(_ stream: ReadableStream, of name: String, isOneOfMany: Bool) throws -> CaseReading {
    var reading: CaseReading
    switch stream.content {
    case .notJudged(let reason): reading = self.reading(.notJudged(reason), stream, name)
    case .feedback(let truth):
      reading = try judge(FeedbackJudge(truth: truth), truth.bytes, stream, name)
    case .responses(let truth):
      reading = try judge(ResponseJudge(truth: truth), truth.bytes, stream, name)
    }
    reading.isOneOfMany = isOneOfMany
    return reading
  }

  private func judge(
    _ judge: some PrintedJudge, _ bytes: [UInt8], _ stream: ReadableStream, _ name: String
  ) throws -> CaseReading {
    var lines = PrintedLines(judge)
    var printed = 0
    let served = try server?.start(stream, bytes, seconds: limits.seconds)
    var session = try ReaderSession(
      command, limits: limits, stream: served == nil ? (bytes, stream.chunking) : nil, served: served)
    let end = session.run { bytes in
      printed += bytes.count
      lines.take(bytes)
    }
    let complaint = session.errorTail.lines
    try checkStart(end, printed: printed, complaint)
    let judgement = lines.finish(outcome: end.outcome)
    var reading = self.reading(.judged(judgement), stream, name)
    reading.ending = Self.both(ending(end, refusedAt: session.refusedAt), served?.obstacle)
    let isRight = reading.row.isRight == true
    reading.complaint = isRight && !isVerbose ? [] : complaint
    return reading
  }

  /// Throws if the shell could not find or execute the reader: every other run would fail in the same way.
  private func checkStart(_ end: ReaderEnd, printed: Int, _ complaint: [String]) throws {
    guard case .line(let line) = command, end == .exit(127) || end == .exit(126), printed == 0 else { return }
    let reason = complaint.last.map { " (\($0))" } ?? ""
    throw Failure("cannot start the reader '\(line)'\(reason); correct the command")
  }

  private func reading(
    _ verdict: ReaderRow.Verdict, _ stream: ReadableStream, _ name: String
  ) -> CaseReading {
    let row = ReaderRow(
      name: command.name, source: stream.source, stream: stream.number, verdict: verdict)
    return CaseReading(name: name, row: row, ending: nil, complaint: [], isOneOfMany: false)
  }

  /// How the reader ended; nil after a normal exit.
  private func ending(_ end: ReaderEnd, refusedAt: Int?) -> Message? {
    switch end {
    case .exit(0): refusedAt.map { Message("the reader closed its input before offset \($0)") }
    case .exit(let code): "the reader ended with exit code \(Int(code))"
    case .signal(let number): "the reader was terminated by signal \(Int(number))"
    case .timeout: .readerTimedOut(limits)
    case .flood: "the reader printed more than \(ByteSize.text(limits.output)), and was terminated"
    }
  }

  private static func both(_ ending: Message?, _ obstacle: Message?) -> Message? {
    guard let first = ending, let second = obstacle else { return ending ?? obstacle }
    return "\(first); \(second)"
  }
}

extension Message {
  fileprivate static func readerTimedOut(_ limits: ReaderLimits) -> Message {
    let (idle, total) = (limits.seconds, limits.seconds * Double(ReaderClock.turns))
    let texts = [idle, total].map { Int(exactly: $0).map(String.init) ?? "\($0)" }
    return
      "the reader was terminated: it did not end within \(texts[0]) s of its last read, or within \(texts[1]) s"
  }
}

extension ReaderEnd {
  fileprivate var outcome: ReaderOutcome {
    switch self {
    case .exit(0): .completed
    case .exit, .signal: .throws
    case .timeout: .hangs
    case .flood: .floods
    }
  }
}
