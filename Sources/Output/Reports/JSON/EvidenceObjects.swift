import Analysis
import Basics
import PacketCapture

/// The objects of NDJSON and JSON other than records (docs/spec/interface.md#export). docs/schemas/ has their JSON
/// Schemas.
package enum EvidenceObjects {
  /// Name and version of the format, at the head of every document.
  package static let schema = "apnsift/1"

  /// The header without its `type`, which only NDJSON needs; likewise of the summary.
  static func header(version: String, options: JSONValue) -> JSONValue {
    .object([("schema", .string(schema)), ("version", .string(version)), ("options", options)])
  }

  static func summary(_ summary: Summary, inputs: [InputSummary]) -> [(String, JSONValue)] {
    [
      ("inputs", .array(inputs.map(input))),
      ("streams", .int(summary.streams)),
      ("stream_bytes", .int(summary.streamBytes)),
      ("record_bytes", .int(summary.recordBytes)),
      ("skipped_bytes", .int(summary.skippedBytes)),
      ("truncated_bytes", .int(summary.truncatedBytes)),
      ("undecoded_bytes", .int(summary.undecodedBytes)),
      ("gap_bytes", .int(summary.gapBytes)),
      ("feedback", .int(summary.feedback)),
      ("distinct_tokens", JSONValue(summary.distinctTokens)),
      ("requests", .int(summary.gateway.requests)),
      ("responses", .int(summary.gateway.responses)),
      ("findings", .object(Severity.allCases.map { ($0.rawValue, .int(summary.findingCount($0))) })),
      ("flags", .object(summary.flagCounts.map { ($0.code, .int($0.count)) })),
      ("earliest", JSONValue(summary.times.map { Int($0.lowerBound) })),
      ("latest", JSONValue(summary.times.map { Int($0.upperBound) })),
    ] + members(summary.pushes)
  }

  private static func input(_ input: InputSummary) -> JSONValue {
    .object([
      ("source", .string(input.source)), ("format", JSONValue(input.format)), ("bytes", .int(input.bytes)),
      ("sha256", JSONValue(input.sha256)),
    ])
  }

  /// Summaries without pushes lack these members: expected outputs of corpora have none.
  private static func members(_ pushes: PushTally) -> [(String, JSONValue)] {
    guard pushes.counts.all > 0 else { return [] }
    let answers = pushes.answers.map { answer in
      JSONValue.object([
        ("status", JSONValue(answer.status.map(Int.init))), ("reason", JSONValue(answer.text)),
        ("pushes", .int(answer.count)),
      ])
    }
    let topics = pushes.topics.map { topic in
      JSONValue.object([("topic", JSONValue(topic.text)), ("pushes", .int(topic.count))])
    }
    return [
      ("pushes", .int(pushes.counts.all)), ("push_answers", .array(answers)), ("push_topics", .array(topics)),
    ]
  }
}
