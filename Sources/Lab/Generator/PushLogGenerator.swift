/// The format of a generated provider's log.
package struct PushLogScenario: Sendable, Equatable {
  package enum Format: String, CaseIterable, Sendable {
    case ndjson, csv
  }

  /// The format of times.
  package enum Times: String, CaseIterable, Sendable {
    case milliseconds, seconds, rfc3339
  }

  package var format = Format.ndjson
  package var times = Times.milliseconds

  package init() {}
}

/// Generates a provider's log with a line for each push, and its truth.
struct PushLogGenerator {
  private static let columns = "token,status,reason,timestamp,apns_id,topic"

  private let scenario: Scenario
  private var log: BufferedOutput
  private var truth: TruthWriter
  private var line = 0

  /// - Parameter source: the name of the log in expected records.
  init(_ scenario: Scenario, source: String, to output: any GeneratorOutput, truth: any GeneratorOutput) {
    self.scenario = scenario
    log = BufferedOutput(output)
    self.truth = TruthWriter(truth, source: source, isOfDamaged: false)
  }

  mutating func run() throws -> GeneratedCounts {
    if scenario.log.format == .csv {
      line += 1
      try log.append(Array((Self.columns + "\n").utf8))
    }
    for number in 0..<scenario.tuples {
      let push = GeneratedPush(number, of: scenario)
      let answer = push.answer.rounded(scenario.log.times == .seconds)
      line += 1
      try truth.push(push, answer, line: line, at: log.count)
      try log.append(text(of: push, answer))
    }
    var totals = TruthWriter.StreamTotals()
    totals.protocolName = "provider-log"
    totals.serverBytes = log.count
    totals.records = scenario.tuples
    try truth.stream(TruthWriter.Stream(), totals)
    try log.flush()
    try truth.finish()
    return GeneratedCounts(bytes: log.count)
  }

  private func text(of push: GeneratedPush, _ answer: GeneratedPush.ServerAnswer) -> [UInt8] {
    var text = TruthText()
    let isCSV = scenario.log.format == .csv
    if !isCSV { text.verbatim("{\"token\":".utf8) }
    text.hex(push.token)
    text.verbatim((isCSV ? "," : ",\"status\":").utf8)
    text.verbatim(String(answer.status).utf8)
    text.verbatim((isCSV ? "," : ",\"reason\":").utf8)
    if let reason = answer.reason { text.quote(reason) } else { append(nothing: isCSV, to: &text) }
    text.verbatim((isCSV ? "," : ",\"timestamp\":").utf8)
    if let time = answer.time { append(time, to: &text) } else { append(nothing: isCSV, to: &text) }
    text.verbatim((isCSV ? "," : ",\"apns_id\":").utf8)
    text.verbatim("\"\(push.responseID)\"".utf8)
    text.verbatim((isCSV ? "," : ",\"topic\":").utf8)
    text.verbatim("\"\(push.topic)\"".utf8)
    text.verbatim((isCSV ? "\n" : "}\n").utf8)
    return text.bytes
  }

  private func append(nothing isCSV: Bool, to text: inout TruthText) {
    if !isCSV { text.null() }
  }

  /// - Parameter time: in milliseconds since 1970.
  private func append(_ time: Int, to text: inout TruthText) {
    switch scenario.log.times {
    case .milliseconds: text.verbatim(String(time).utf8)
    case .seconds: text.verbatim(String(time / 1000).utf8)
    case .rfc3339:
      text.time(UInt32(time / 1000), nanoseconds: UInt32(time % 1000) * 1_000_000, digits: 3)
    }
  }
}
