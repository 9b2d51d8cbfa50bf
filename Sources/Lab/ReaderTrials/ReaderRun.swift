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

    /// The readings as tests. A case without a stream for the reader is skipped.
    var rows: [TestRow] {
      if let broken { return [TestRow(name: name, shows: shows, verdict: .broken(broken.text))] }
      if readings.isEmpty {
        return [TestRow(name: name, shows: shows, verdict: .skipped("the case has no stream for the reader"))]
      }
      return readings.map { $0.test(shows: shows) }
    }
  }

  private let cases: [CaseDirectory]
  private let examiner: CaseExaminer
  private let trial: ReaderTrial
  private let jobs: Int

  package init(_ cases: [CaseDirectory], _ examiner: CaseExaminer, _ trial: ReaderTrial, jobs: Int) {
    (self.cases, self.trial, self.jobs) = (cases, trial, jobs)
    self.examiner = examiner.keepingStreams(of: trial.kind, takesDamaged: trial.takesDamaged)
  }

  /// Prints the results of the cases, in order.
  package func run(_ output: OutputBuffer, asJSON: Bool, isVerbose: Bool) throws -> CorpusResult {
    var all: [Reading] = []
    let (cases, examiner, trial) = (cases, examiner, trial)
    try Workers.run(cases.count, jobs: jobs) {
      try Self.read(examiner.examine(cases[$0]), trial)
    } deliver: {
      all.append($0)
    }
    let rows = all.flatMap(\.rows)
    let isNothingJudged = !all.contains { $0.readings.contains { $0.row.isRight != nil } }
    if isNothingJudged { Console.say("no case has a stream to judge the reader on") }
    let readings = all.flatMap(\.readings)
    if asJSON {
      try output.append(Self.json(readings))
      for one in all { one.broken.map { Console.say(.about(one.name, $0)) } }
    } else {
      try output.append(text(all, readings, isVerbose: isVerbose))
    }
    return result(rows, readings)
  }

  private static func read(_ one: ExaminedCase, _ trial: ReaderTrial) throws -> Reading {
    var reading = Reading(name: one.name, shows: one.description?.shows ?? "")
    switch one.verdict {
    case .broken(let reason): reading.broken = reason
    case .differs:
      reading.broken = "its own expectation fails, so it cannot judge readers; run verify without --reader"
    case .asExpected:
      for stream in one.streams {
        reading.readings.append(try trial.read(stream, of: one.name, isOneOfMany: one.streams.count > 1))
      }
    }
    return reading
  }

  // MARK: - Output

  private func text(_ all: [Reading], _ readings: [CaseReading], isVerbose: Bool) -> String {
    let style = TextStyle(isColoured: OutputFile.isColoured)
    let others = all.filter(\.readings.isEmpty).flatMap(\.rows)
    let heading = readings.isEmpty ? "" : "Reader \(VisibleText.of(trial.command.name))\n\n"
    return heading + CaseReadingText.text(readings, style: style)
      + others.map { TestText.lines($0, style: style, isVerbose: isVerbose) }.joined()
  }

  private static func json(_ readings: [CaseReading]) -> String {
    let rows = readings.map(\.json.text).joined(separator: ",\n")
    return "{\"schema\":\(JSONValue.quoted(Evidence.schema)),\"readers\":[\n\(rows)\n]}\n"
  }

  private func result(_ rows: [TestRow], _ readings: [CaseReading]) -> CorpusResult {
    let tally = TestTally(rows)
    let right = readings.count { $0.row.isRight == true }
    let judged = readings.count { $0.row.isRight != nil }
    let line = Message(
      "read \(Count.of(cases.count, "case")): \(right) of \(Count.of(judged, "stream")) right, "
        + "\(readings.count - judged) not judged, \(Count.of(tally.broken, "broken case"))")
    let ending: CorpusResult.Ending = tally.broken > 0 ? .broken : right < judged ? .differs : .asExpected
    return CorpusResult(rows: rows, closingLine: line, ending: ending)
  }
}
