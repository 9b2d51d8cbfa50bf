import Analysis
import Basics
import PacketCapture

extension Examination {
  /// The command's last message: a summary, then the problems.
  /// - Parameter errors: problems other than those of the inputs.
  package func closingLine(_ done: Message, errors: [Message] = []) -> Message {
    var wrong = errors
    for severity in Severity.allCases {
      let codes = FindingCode.allCases.filter {
        $0.severity == severity && summary.findings[$0, default: 0] > 0
      }
      guard !codes.isEmpty else { continue }
      let counts = codes.map { "\($0.rawValue) \(summary.findings[$0, default: 0])" }
      wrong.append(
        "\(Count.of(summary.findingCount(severity), severity.rawValue)) "
          + "(\(counts.joined(separator: ", ")))")
    }
    let flagged = summary.flagCounts.map { "\($0.code) \($0.count)" }
    if !flagged.isEmpty { wrong.append("flags: \(flagged.joined(separator: ", "))") }
    if failures > 0 { wrong.append("\(Count.of(failures, "input")) not read in full, see above") }
    if wrong.isEmpty {
      let isEmpty = emptyInputs > 0 && emptyInputs == readCount
      let isSearch = options.reading.format == .carve && summary.recordBytes == 0
      wrong.append(
        isEmpty
          ? (emptyInputs == 1 ? "the input is empty" : "\(emptyInputs) inputs are empty")
          : isSearch
            ? "no record found; compressed and encrypted parts were not searched" : "no problems found")
    }
    return "\(done); \(wrong.map(\.text).joined(separator: "; "))"
  }
}
