import Analysis
import WireBytes

extension Examination {
  /// The command's last message: a summary, then the problems.
  /// - Parameter faults: problems other than those of the inputs.
  package func closingLine(_ done: String, faults: [String] = []) -> String {
    var wrong = faults
    for severity in Severity.allCases {
      let codes = FindingCode.allCases.filter {
        $0.severity == severity && summary.findings[$0, default: 0] > 0
      }
      guard !codes.isEmpty else { continue }
      let counts = codes.map { "\($0.rawValue) \(summary.findings[$0, default: 0])" }.joined(separator: ", ")
      wrong.append("\(Count.of(summary.findingCount(severity), severity.rawValue)) (\(counts))")
    }
    let flagged = summary.flagCounts.map { "\($0.code) \($0.count)" }
    if !flagged.isEmpty { wrong.append("flags: \(flagged.joined(separator: ", "))") }
    if failures > 0 { wrong.append("\(Count.of(failures, "input")) not read in full, see above") }
    if wrong.isEmpty {
      let isEmpty = emptyInputs > 0 && emptyInputs == inputs.count
      wrong.append(
        !isEmpty
          ? "no problems found" : emptyInputs == 1 ? "the input is empty" : "\(emptyInputs) inputs are empty")
    }
    return "\(done); " + wrong.joined(separator: "; ")
  }
}
