/// The format of a generated provider's log.
package struct PushLogScenario: Sendable, Equatable {
  package enum Format: String, CaseIterable, Sendable { case ndjson, csv }

  package enum Times: String, CaseIterable, Sendable { case milliseconds, seconds, rfc3339 }

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

  consuming func run() throws -> Int {
    if scenario.log.format == .csv {
      line += 1
      try log.append(Array((Self.columns + "\n").utf8))
    }
    for number in 0..<scenario.tuples {
      let push = GeneratedPush(number, of: scenario)
      var answer = push.answer
      if scenario.log.times == .seconds { answer.time = answer.time.map { $0 / 1000 * 1000 } }
      line += 1
      try truth.push(push, answer, line: line, at: log.count)
      try log.append(text(of: push, answer))
    }
    var totals = TruthWriter.StreamTotals(protocolName: "provider-log", records: scenario.tuples)
    totals.bytes.server = log.count
    try truth.stream(TruthWriter.Stream(), totals)
    try log.flush()
    try truth.finish()
    return log.count
  }

  private func text(of push: GeneratedPush, _ answer: GeneratedPush.ServerAnswer) -> [UInt8] {
    var token = TruthText()
    token.hex(push.token)
    let values: [(name: String, json: [UInt8]?)] = [
      ("token", token.bytes), ("status", Array(String(answer.status).utf8)),
      ("reason", answer.reason.map(TruthText.quoted)), ("timestamp", answer.time.map(time)),
      ("apns_id", TruthText.quoted(push.responseID)), ("topic", TruthText.quoted(push.topic)),
    ]
    if scenario.log.format == .csv {
      return values.map { $0.json ?? [] }.joined(separator: Array(",".utf8)) + Array("\n".utf8)
    }
    let members = values.map { name, json in Array("\"\(name)\":".utf8) + (json ?? Array("null".utf8)) }
    return Array("{".utf8) + members.joined(separator: Array(",".utf8)) + Array("}\n".utf8)
  }

  /// - Parameter time: in milliseconds since 1970.
  private func time(_ time: Int) -> [UInt8] {
    switch scenario.log.times {
    case .milliseconds: return Array(String(time).utf8)
    case .seconds: return Array(String(time / 1000).utf8)
    case .rfc3339:
      var text = TruthText()
      text.time(Moment(milliseconds: time), digits: 3)
      return text.bytes
    }
  }
}
