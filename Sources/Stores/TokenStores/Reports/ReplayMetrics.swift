import Analysis
import Basics
import PacketCapture

/// The figures of a replay in Prometheus' text format, for node_exporter's text collector
/// (docs/spec/interface.md#metrics).
package struct ReplayMetrics {
  /// Of the files that node_exporter reads.
  package static let fileExtension = "prom"

  private let file: OutputFile
  /// The name of the file without its extension. It keeps the figures of several replays apart, also when a replay ends
  /// before its app is known.
  private let name: String
  private let start = ContinuousClock.now
  /// Nil if the replay ended before there was one.
  package var examination: Examination?
  package var outcome: ReplayOutcomeReport?

  /// - Throws: a `CommandError` if the file cannot be written.
  package init(_ path: String) throws {
    // The collector may be another user.
    file = try OutputFile(path, force: true, isPrivate: false)
    name = String((path.split(separator: "/").last ?? "").dropLast(Self.fileExtension.utf8.count + 1))
      .replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// Replaces the file.
  package func write(exitCode: Int32) throws {
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    let text =
      gauge("timestamp_seconds", "Time of the end, in seconds since 1970.", time(nil))
      + gauge("exit_code", "Exit code: 0 if nothing needs attention.", exitCode)
      + gauge("duration_seconds", "Duration.", Double(milliseconds) / 1000)
      + (examination.map(text) ?? "") + (outcome.map(text) ?? "")
    try file.write(Array(text.utf8).span.bytes)
    try file.finish()
  }

  private func text(_ examination: Examination) -> String {
    let severities = Severity.allCases.map { ($0.rawValue, examination.summary.findingCount($0)) }
    return gauge("inputs", "Inputs, by what became of them.", "state", examination.fileCounts)
      + gauge("tuples", "Feedback tuples of all inputs.", examination.summary.feedback)
      + gauge("findings", "Findings of all inputs.", "severity", severities)
  }

  private func text(_ outcome: ReplayOutcomeReport) -> String {
    gauge("dry_run", "1 for a dry run, which changes nothing.", outcome.dryRun ? 1 : 0)
      + gauge("pushes", "Pushes with status 410 that were taken.", outcome.pushes)
      + gauge("tokens", "Distinct tokens, by outcome.", "outcome", outcome.counts.named)
      + gauge("rows", "Rows that were changed, or would be.", outcome.answer.rows)
  }

  private func gauge(_ metric: String, _ help: String, _ value: some CustomStringConvertible) -> String {
    family(metric, help, ["{replay=\"\(name)\"} \(value)"])
  }

  private func gauge(_ metric: String, _ help: String, _ label: String, _ counts: [(String, Int)]) -> String {
    family(metric, help, counts.map { "{replay=\"\(name)\",\(label)=\"\($0)\"} \($1)" })
  }

  private func family(_ metric: String, _ help: String, _ samples: [String]) -> String {
    let metric = "apnsift_replay_\(metric)"
    return "# HELP \(metric) \(help)\n# TYPE \(metric) gauge\n" + samples.map { "\(metric)\($0)\n" }.joined()
  }
}

extension Examination {
  fileprivate var fileCounts: [(String, Int)] {
    [
      ("read", readCount), ("unreadable", failures), ("replayed_before", skipped.count),
      ("left_alone", walk.hidden.count),
    ]
  }

  /// The members `files`, `findings` and `flags` of a replay's JSON.
  var countsAsJSON: [(String, JSONValue)] {
    let codes = FindingCode.allCases
    let findings = codes.compactMap { code in summary.findings[code].map { (code.rawValue, $0) } }
    let counts = [("files", fileCounts), ("findings", findings), ("flags", summary.flagCounts)]
    return counts.map { name, counts in (name, .object(counts.map { ($0, .int($1)) })) }
  }
}
