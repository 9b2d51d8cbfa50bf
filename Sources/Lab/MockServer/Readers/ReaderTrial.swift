import Basics
import Conformance
import ReaderModels

/// Runs a reader on streams, and judges its output.
package struct ReaderTrial: Sendable {
  package let command: ReaderCommand
  /// Serves the streams; nil passes them on standard input.
  package let server: ReaderServer?
  package let kind: ReadableStream.Kind
  package let limits: ReaderLimits
  package var takesDamaged = false
  /// Whether to report its standard error even if it is right.
  package var isVerbose = false

  package init(
    _ command: ReaderCommand, server: ReaderServer?, kind: ReadableStream.Kind, limits: ReaderLimits
  ) {
    (self.command, self.server, self.kind, self.limits) = (command, server, kind, limits)
  }

  func read(_ stream: ReadableStream, of name: String) throws -> CaseReading {
    switch stream.content {
    case .notJudged(let reason): return reading(.notJudged(reason), stream, name)
    case .feedback(let truth): return try judge(stream, name) { _ in FeedbackJudge(truth: truth) }
    case .responses(let truth): return try judge(stream, name) { _ in ResponseJudge(truth: truth) }
    case .pushes(let recorded):
      return try judge(stream, name) { served in
        PrintedPushJudge(recorded.tokens) { served?.reader.answer(to: $0) ?? .neverAsked }
      }
    }
  }

  /// Runs the reader on a stream of a server that it must refuse; nil without TLS.
  func readRefused(_ certificate: RefusedCertificate, _ stream: ReadableStream) throws -> CaseReading? {
    guard server?.isTLS == true else { return nil }
    return try judge(stream, certificate.name, refused: certificate) { _ in RefusalJudge(certificate) }
  }

  private func judge<Judge: PrintedJudge>(
    _ stream: ReadableStream, _ name: String, refused: RefusedCertificate? = nil,
    by judge: (RunningServer?) -> Judge
  ) throws -> CaseReading {
    let start = ContinuousClock.now
    let served = try server?.start(stream, seconds: limits.seconds, refused: refused)
    var lines = PrintedLines(judge(served))
    var printed = 0
    let getsInput = served == nil || stream.kind == .pushes
    var session = try ReaderSession(
      command, limits: limits, stream: getsInput ? (stream.bytes, stream.chunking) : nil, served: served)
    let end = session.run { bytes in
      printed += bytes.count
      lines.take(bytes)
    }
    served?.server.settle()
    let complaint = session.lastErrors
    try checkStart(end, printed: printed, complaint)
    let judgement = lines.finish(outcome: end.outcome)
    if refused != nil, served?.reader.wasReached == false {
      return reading(.notJudged("the reader never connected"), stream, name)
    }
    var reading = self.reading(.judged(judgement), stream, name)
    let causes = [ending(end, refusedAt: session.refusedAt), served?.reader.obstacle].compactMap(\.?.text)
    if judgement.outcome != .refused, !causes.isEmpty {
      reading.ending = .verbatim(causes.joined(separator: "; "))
    }
    reading.time = .now - start
    if isVerbose || reading.row.isRight != true { reading.complaint = complaint }
    return reading
  }

  /// Throws if the shell could not find or execute the reader: every other run would fail in the same way.
  private func checkStart(_ end: ReaderEnd, printed: Int, _ complaint: [String]) throws {
    guard case .line(let line) = command, end == .exit(127) || end == .exit(126), printed == 0 else { return }
    let reason = complaint.last.map { " (\($0))" } ?? ""
    throw CommandError("cannot start the reader '\(line)'\(reason); correct the command")
  }

  private func reading(
    _ verdict: ReaderRow.ReaderResult, _ stream: ReadableStream, _ name: String
  ) -> CaseReading {
    let row = ReaderRow(name: command.name, source: stream.source, stream: stream.number, verdict: verdict)
    return CaseReading(name: name, row: row, ending: nil, complaint: [])
  }

  /// How the reader ended; nil after a normal exit.
  private func ending(_ end: ReaderEnd, refusedAt: Int?) -> Message? {
    switch end {
    case .exit(0): refusedAt.map { Message("the reader closed its input before offset \($0)") }
    case .exit(let code): "the reader ended with exit code \(Int(code))"
    case .signal(let number): "the reader was terminated by signal \(Int(number))"
    case .timeout: timeout
    case .flood: "the reader printed more than \(ByteSize.text(limits.output)), and was terminated"
    }
  }

  private var timeout: Message {
    let (idle, total) = (limits.seconds, limits.seconds * Double(ReaderClock.turns))
    let texts = [idle, total].map { Int(exactly: $0).map(String.init) ?? "\($0)" }
    return
      "the reader was terminated: it did not end within \(texts[0]) s of its start or last read, or within "
      + "\(texts[1]) s in all"
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
