import Basics
import Reports

/// Compares every case of a corpus with its expectation.
package struct CorpusRun {
  private let cases: [CaseDirectory]
  private let examiner: CaseExaminer
  private let updates: Bool
  private let jobs: Int

  package init(_ cases: [CaseDirectory], _ examiner: CaseExaminer, updates: Bool, jobs: Int) {
    (self.cases, self.examiner, self.updates, self.jobs) = (cases, examiner, updates, jobs)
  }

  /// Prints the results of the cases, in order.
  package func run(_ output: OutputBuffer, isVerbose: Bool) throws -> CorpusResult {
    let style = TextStyle(isColoured: OutputFile.isColoured)
    var rows: [TestRow] = []
    var updated = 0
    let (cases, examiner, updates) = (cases, examiner, updates)
    try Workers.run(cases.count, jobs: jobs) { number in
      var one = try examiner.examine(cases[number])
      // Frees results that are not written, instead of queueing them.
      if !updates || one.verdict.isAsExpected { one.found = nil }
      return one
    } deliver: { one in
      var row = Self.row(one, isVerbose: isVerbose)
      do {
        if updates, try update(one) {
          updated += 1
          row.verdict = .passed
        }
      } catch let error as CommandError {
        row.verdict = .broken("cannot write expected.ndjson: \(error.message)")
      }
      rows.append(row)
      try output.append(TestText.lines(row, style: style, isVerbose: isVerbose))
    }
    return result(rows, updated: updated)
  }

  private static func row(_ one: ExaminedCase, isVerbose: Bool) -> TestRow {
    let verdict: TestRow.TestResult =
      switch one.verdict {
      case .asExpected: .passed
      case .broken(let reason): .broken(reason.text)
      case .differs(let comparison):
        .failed(
          Count.of(comparison.count, "difference")
            + (comparison.count > comparison.first.count ? ", the first \(comparison.first.count)" : ""),
          details: details(comparison) + (isVerbose ? one.messages : []))
      }
    return TestRow(name: one.name, shows: one.description?.shows ?? "", verdict: verdict, time: one.time)
  }

  /// For each difference its location and fields, then both records.
  private static func details(_ comparison: EvidenceComparison) -> [String] {
    comparison.first.flatMap { difference in
      [heading(difference).text]
        + [("-", difference.expected), ("+", difference.found)].compactMap { sign, record in
          record.map { sign + String(decoding: $0.canonical, as: UTF8.self) }
        }
    }
  }

  private static func heading(_ difference: EvidenceDifference) -> Message {
    if difference.found == nil { return "\(difference.location): expected, but not found" }
    if difference.expected == nil { return "\(difference.location): found, but not expected" }
    return "\(difference.location): differs in \(difference.fields.joined(separator: ", "))"
  }

  /// Writes the expectation of a case that differs or has no valid one; returns false if nothing was written.
  private func update(_ one: ExaminedCase) throws -> Bool {
    guard let found = one.found else { return false }
    if case .broken = one.verdict, !one.lacksExpectation { return false }
    if one.verdict.isAsExpected { return false }
    let path = one.directory.path(of: CaseFiles.expectation).dropLast().map { UInt8(bitPattern: $0) }
    guard let name = String(validating: path, as: UTF8.self) else {
      throw CommandError("its path is not UTF-8; rename the directory")
    }
    let file = try OutputFile(name, force: true, isPrivate: false, isUpdate: true)
    try file.write(found.ndjson.span.bytes)
    try file.finish()
    Console.say(.about(one.name, "wrote expected.ndjson"))
    return true
  }

  private func result(_ rows: [TestRow], updated: Int) -> CorpusResult {
    let tally = TestTally(rows)
    let line: Message =
      "verified \(Count.of(tally.count, "case")): \(updates ? "\(updated) written, " : "")"
      + "\(tally.passed - updated) as expected, \(tally.failed) different, \(tally.broken) broken"
    let ending: CorpusResult.Ending = tally.broken > 0 ? .broken : tally.failed > 0 ? .differs : .asExpected
    return CorpusResult(rows: rows, closingLine: line, ending: ending)
  }
}

package struct CorpusResult {
  package enum Ending { case asExpected, differs, broken }

  package var rows: [TestRow]
  package var closingLine: Message
  package var ending: Ending

  package init(rows: [TestRow], closingLine: Message, ending: Ending) {
    (self.rows, self.closingLine, self.ending) = (rows, closingLine, ending)
  }
}
