import Analysis
import Basics

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
    let hasPushes = summary.pushes.counts.all > 0
    return [
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
      ("findings", findings(summary)),
      ("flags", flags(summary)),
      ("earliest", JSONValue(summary.times.map { Int($0.lowerBound) })),
      ("latest", JSONValue(summary.times.map { Int($0.upperBound) })),
    ] + (hasPushes ? pushMembers(summary.pushes) : [])
  }

  private static func input(_ input: InputSummary) -> JSONValue {
    .object([
      ("source", .string(input.source)),
      ("format", JSONValue(input.format)),
      ("bytes", .int(input.bytes)),
      ("sha256", JSONValue(input.sha256)),
    ])
  }

  /// Members of summaries with pushes. Others lack them: expected outputs of corpora have none.
  private static func pushMembers(_ pushes: PushTally) -> [(String, JSONValue)] {
    [
      ("pushes", .int(pushes.counts.all)), ("push_answers", answers(pushes)), ("push_topics", topics(pushes)),
    ]
  }

  /// Pushes by status and reason.
  private static func answers(_ pushes: PushTally) -> JSONValue {
    .array(
      pushes.answers.map {
        .object([
          ("status", JSONValue($0.status.map(Int.init))), ("reason", JSONValue($0.text)),
          ("pushes", .int($0.count)),
        ])
      })
  }

  private static func topics(_ pushes: PushTally) -> JSONValue {
    .array(pushes.topics.map { .object([("topic", JSONValue($0.text)), ("pushes", .int($0.count))]) })
  }

  private static func findings(_ summary: Summary) -> JSONValue {
    .object(Severity.allCases.map { ($0.rawValue, .int(summary.findingCount($0))) })
  }

  private static func flags(_ summary: Summary) -> JSONValue {
    .object(summary.flagCounts.map { ($0.code, .int($0.count)) })
  }
}
