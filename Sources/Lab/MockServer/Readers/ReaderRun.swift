import Basics
import Conformance
import Reports

/// Runs an external reader on every case of a corpus.
package struct ReaderRun {
  /// The result of one case: the readings of its streams, or the reason why there are none.
  private struct Reading: Sendable {
    var name: String
    var shows: String
    var readings: [CaseReading] = []
    var broken: Message?
    var tried = TriedStreams()
    /// A judged stream, to try certificates with.
    var stream: ReadableStream?

    /// The readings as tests. A case without a stream for the reader is skipped.
    var rows: [TestRow] {
      if let broken { return [TestRow(name: name, shows: shows, verdict: .broken(broken.text))] }
      if readings.isEmpty {
        return [TestRow(name: name, shows: shows, verdict: .skipped("the case has no stream for the reader"))]
      }
      return readings.map(\.test)
    }
  }

  private let cases: [CaseDirectory]
  private var examiner: CaseExaminer
  private let trial: ReaderTrial
  private let jobs: Int

  package init(_ cases: [CaseDirectory], _ examiner: CaseExaminer, _ trial: ReaderTrial, jobs: Int) {
    (self.cases, self.examiner, self.trial, self.jobs) = (cases, examiner, trial, jobs)
    (self.examiner.readers, self.examiner.takesDamaged) = (trial.kind, trial.takesDamaged)
  }

  /// Prints the results of the cases, in order.
  package func run(_ output: OutputBuffer, asJSON: Bool, isVerbose: Bool) throws -> CorpusResult {
    var all: [Reading] = []
    var first: ReadableStream?
    let (cases, examiner, trial) = (cases, examiner, trial)
    try Workers.run(cases.count, jobs: jobs) {
      try Self.read(examiner.examine(cases[$0]), trial)
    } deliver: { reading in
      all.append(reading)
      // One is enough, and all together may be large.
      first = first ?? reading.stream
      all[all.count - 1].stream = nil
    }
    let certificates = try certificates(first)
    let streams = all.flatMap(\.readings)
    all += certificates
    let rows = all.flatMap(\.rows)
    let isJudged = all.contains { $0.readings.contains { $0.row.isRight != nil } }
    if !isJudged {
      Console.say(
        "no case has a stream to judge the reader on: give cases with streams of \(trial.kind.rawValue), or another "
          + "--reader-of")
    }
    let readings = all.flatMap(\.readings)
    if asJSON {
      try output.append(Self.json(readings))
      for one in all { one.broken.map { Console.say(.about(one.name, $0)) } }
    } else {
      try output.append(text(all, readings, isVerbose: isVerbose))
    }
    if isJudged { Console.say(untried(all.reduce(into: TriedStreams()) { $0.add($1.tried) })) }
    var result = result(rows, streams, certificates.flatMap(\.readings))
    if !isJudged { result.ending = .broken }
    return result
  }

  /// Readings of servers that the reader must refuse.
  private func certificates(_ stream: ReadableStream?) throws -> [Reading] {
    guard let stream else { return [] }
    return try RefusedCertificate.allCases.compactMap { certificate in
      guard var read = try trial.readRefused(certificate, stream) else { return nil }
      read.shows = certificate.shows
      return Reading(name: certificate.name, shows: certificate.shows, readings: [read])
    }
  }

  /// What the run cannot have found: a right reader is right on these streams, and not beyond.
  private func untried(_ tried: TriedStreams) -> Message {
    var parts = tried.missing(of: trial.kind)
    if trial.server?.isTLS != true { parts.append("TLS and wrong certificates (--over tls)") }
    if !trial.takesDamaged, trial.kind != .pushes { parts.append("damaged streams (--damaged)") }
    let others = ReadableStream.Kind.allCases.filter { $0 != trial.kind }.map(\.rawValue)
    parts.append("readers of \(others.joined(separator: " and ")) (--reader-of)")
    return "not tried: \(parts.joined(separator: ", "))"
  }

  private static func read(_ one: ExaminedCase, _ trial: ReaderTrial) throws -> Reading {
    var reading = Reading(name: one.name, shows: one.description?.shows ?? "")
    switch one.verdict {
    case .broken(let reason): reading.broken = reason
    case .differs:
      reading.broken =
        "its own expectation fails, so it cannot judge readers; `apnsift verify` shows the differences"
    case .asExpected:
      for stream in one.streams {
        if stream.isJudged {
          reading.tried.add(stream)
          // A reader of no bytes prints nothing, whatever it accepts.
          if !stream.bytes.isEmpty { reading.stream = reading.stream ?? stream }
        }
        var read = try trial.read(stream, of: one.name)
        (read.shows, read.isOneOfMany) = (reading.shows, one.streams.count > 1)
        reading.readings.append(read)
      }
    }
    return reading
  }

  // MARK: - Output

  private func text(_ all: [Reading], _ readings: [CaseReading], isVerbose: Bool) -> String {
    let style = TextStyle(isColoured: OutputFile.isColoured)
    let others = all.filter(\.readings.isEmpty).flatMap(\.rows)
    let heading = readings.isEmpty ? "" : "Reader \(VisibleText.of(trial.command.name))\n\n"
    return heading + CaseReadingText.text(readings, style: style, isVerbose: isVerbose)
      + others.map { TestText.lines($0, style: style, isVerbose: isVerbose) }.joined()
  }

  private static func json(_ readings: [CaseReading]) -> String {
    let rows = readings.map(\.json.text).joined(separator: ",\n")
    return "{\"schema\":\(JSONValue.quoted(EvidenceObjects.schema)),\"readers\":[\n\(rows)\n]}\n"
  }

  private func result(
    _ rows: [TestRow], _ streams: [CaseReading], _ certificates: [CaseReading]
  ) -> CorpusResult {
    let broken = TestTally(rows).broken
    let wrong = (streams + certificates).contains { $0.row.isRight == false }
    let isTried = certificates.contains { $0.row.isRight != nil }
    let refused: Message = isTried ? ", \(Self.right(certificates, "certificate")) refused" : ""
    let unjudged = (streams + certificates).count { $0.row.isRight == nil }
    let line: Message =
      "read \(Count.of(cases.count, "case")): \(Self.right(streams, "stream")) right\(refused), "
      + "\(unjudged) not judged, \(Count.of(broken, "broken case"))"
    return CorpusResult(
      rows: rows, closingLine: line, ending: broken > 0 ? .broken : wrong ? .differs : .asExpected)
  }

  /// Those that the reader was right in, of those that were judged.
  private static func right(_ readings: [CaseReading], _ noun: String) -> String {
    let judged = readings.count { $0.row.isRight != nil }
    return "\(readings.count { $0.row.isRight == true }) of \(Count.of(judged, noun))"
  }
}
