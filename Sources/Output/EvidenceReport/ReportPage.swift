import Analysis
import Basics
import Conformance
import PacketCapture

/// The content of a report, as it was collected or redacted; `ReportHTML` writes it.
package struct ReportPage: Sendable {
  package var head: ReportHead
  package var inputs: [InputSummary] = []
  /// Every file among the inputs, whatever became of it. Those with a format are `inputs`, in the same order.
  package var files: [InputRecord] = []
  package var limits = ReportLimits()
  /// Inputs that could not be read in full.
  package var failures = 0
  package var summary = Summary()
  /// Bytes of inputs that were searched for records, decompressed.
  package var searchedBytes = 0
  /// Doubtful records, and some of them, by input and position.
  package var flagged = RecordCounts()
  package var flaggedRecords: [FlaggedRecord] = []
  /// Records whose only flag is that a search found them; some chains of a search, by input and stream, and their number.
  package var recovered = RecordCounts()
  package var chains: [RecoveredChain] = []
  package var chainCount = 0
  package var streams: [StreamSummary] = []
  package var streamsLeftOut = 0
  /// Streams of a known protocol, whether or not they are in `streams`.
  package var decodedStreams = 0
  /// One group for each code that was found, in the order of `FindingCode.allCases`.
  package var findings: [FindingGroup] = []
  package var invalidations = Invalidations()
  /// Those that became invalid last come first, then those that were seen last.
  package var tokens: [TokenLine] = []
  /// From other inputs; nil without them.
  package var differences: TokenDifferences?
  /// Whether a script shows them.
  package var isInteractive = false
  package var gateway = GatewayRows()
  package var readers: [ReaderTotal] = []
  package var auditedStreams = AuditedStreams()
  /// How the streams are cut into chunks for the readers; follows "cut into" in the page.
  package var chunks = ""
  /// Whether the readers were tested.
  package var isAudited = false
  package var commands = ReportCommands()

  package init(_ head: ReportHead) { self.head = head }
}

/// Who made the report, when, and with which options.
package struct ReportHead: Sendable {
  package var title: String
  package var caseName: String?
  /// The examiner's remarks, one element per paragraph.
  package var note: [String] = []
  package var madeAt: String?
  package var examiner: String?
  package var version: String
  package var options: [ReportOption] = []
  /// For local times next to those in UTC; nil without them.
  package var clock: LocalClock?
  /// Whether tokens are replaced by pseudonyms, and bytes that may be part of tokens left out.
  package var isRedacted = false
  /// Whether text that looks like a token was masked in a name, a title or a remark.
  package var hasMaskedText = false

  package init(title: String, version: String) { (self.title, self.version) = (title, version) }

  /// The default title.
  package static func title(of inputs: [String]) -> String {
    guard inputs.count == 1, let name = inputs.first else { return "Examination of \(inputs.count) inputs" }
    return "Examination of \(name == "-" ? "standard input" : name)"
  }
}

/// The findings of one code: their number, and the first few of them.
package struct FindingGroup: Sendable {
  package var code: FindingCode
  package var count: Int
  package var examples: [FindingExample]

  package init(code: FindingCode, count: Int, examples: [FindingExample]) {
    (self.code, self.count, self.examples) = (code, count, examples)
  }
}

/// A finding, the bytes around it, and the command that shows it.
package struct FindingExample: Sendable {
  package var finding: Finding
  /// In order; the bytes between two segments are missing or left out. Empty if the bytes are no longer available, or
  /// the finding is not about bytes of a stream.
  package var bytes: [HexSegment]
  /// Whether `bytes` are decoded from text, and what the file has there.
  package var isDecoded = false
  package var fileText: FileExcerpt?
  package var command: String?

  package init(_ finding: Finding, bytes: [HexSegment] = [], command: String?) {
    (self.finding, self.bytes, self.command) = (finding, bytes, command)
  }
}

/// The tokens that feedback tuples and pushes with status 410 report, and when each was invalidated: at the time of its
/// latest record without a flag (docs/spec/interface.md#replay-rule, replay's "Rule").
package struct Invalidations: Sendable {
  package struct Row: Equatable, Sendable {
    /// In hex, or a pseudonym.
    package var token: String
    /// The record with that time; if no record counts, the first one of the table.
    package var location: RecordLocation?
    /// The record with the earliest time that counts, and that time; nil if it is the same one.
    package var firstTime: UInt32?
    package var firstLocation: RecordLocation?
    /// The flags of all its records.
    package var flags: [String] = []
    /// The latest time among the records that count, seconds since 1970.
    package var time: UInt32
    /// Records without a flag, and all records; both saturate at `UInt32.max`.
    package var countedRecords: UInt32
    package var records: UInt32
    /// Length of the token, in bytes.
    package var length: Int

    package init(token: String, time: UInt32, countedRecords: UInt32, records: UInt32, length: Int) {
      (self.token, self.time, self.length) = (token, time, length)
      (self.countedRecords, self.records) = (countedRecords, records)
    }
  }

  /// Distinct tokens with a record that counts.
  package var dead = 0
  /// Distinct tokens all of whose records carry a flag: none but `carved`, and others.
  package var recovered = 0
  package var doubtful = 0
  /// Earliest and latest invalidation.
  package var times: ClosedRange<UInt32>?
  /// On the clock of the page, UTC without one.
  package var histogram = TimeHistogram()
  /// Tokens with two or more records, those with the most records first.
  package var repeated: [Row] = []
  /// Number of tokens with two or more records.
  package var repeatedCount = 0
  /// Some tokens all of whose records carry a flag, by input and position.
  package var doubtfulRows: [Row] = []
  /// Pushes with status 410 that date no token, because they lack a timestamp or a token.
  package var undatedPushes = 0
}

/// A token, and what all records say of it.
package struct TokenLine: Sendable {
  /// In hex, or a pseudonym.
  package var token: String
  /// In bytes.
  package var length: Int
  package var history: TokenHistory
  /// Index in the page's inputs of the record that dates it.
  package var input: Int?

  package init(_ token: [UInt8], _ history: TokenHistory, input: Int?) {
    (self.token, length, self.history, self.input) = (ShownToken.hex(token), token.count, history, input)
  }

  var location: RecordLocation { RecordLocation(history.record, in: history.source) }

  /// The record with the earliest time of invalidation, and that time, if it is an earlier one.
  var first: (location: RecordLocation, time: CaptureTime)? {
    guard let first = history.first, let time = first.record.invalidatedAt, let last = history.invalidatedAt,
      time < last
    else { return nil }
    return (RecordLocation(first.record, in: first.source), time)
  }

  /// The most tokens that a script shows.
  package static let mostInteractive = 50_000

  static func precede(
    _ left: (token: [UInt8], history: TokenHistory), _ right: (token: [UInt8], history: TokenHistory)
  ) -> Bool {
    let times = { (history: TokenHistory) in
      [history.invalidatedAt, history.seen?.upperBound].map { $0 ?? .init(seconds: .min) }
    }
    for (one, other) in zip(times(left.history), times(right.history)) {
      if one < other || other < one { return other < one }
    }
    return left.token.lexicographicallyPrecedes(right.token)
  }
}

/// Error responses, and the requests by command.
package struct GatewayRows: Sendable {
  package struct Response: Equatable, Sendable {
    package var location: RecordLocation
    package var capturedAt: String?
    /// Nil if it may be bytes of a token: in a redacted report, when no request is found.
    package var status: UInt8?
    package var identifier: UInt32?
    package var requestOffset: Int?
    /// In hex, or a pseudonym; nil if no request is found, or the request has no token.
    package var token: String?
    package var flags: [String] = []

    package init(at location: RecordLocation) { self.location = location }
  }

  /// Requests by command, 0 to 2.
  package var commands: [Int] = [0, 0, 0]
  /// The first few responses.
  package var responses: [Response] = []
}

/// Counts of the streams that the faulty readers were judged on.
package struct AuditedStreams: Equatable, Sendable {
  package var judged: Int
  /// Judged streams with bytes that belong to no record: the verdicts assume that the readers received these bytes.
  package var conditional: Int
  /// Streams left out because no record was recognised in them.
  package var unrecognised: Int

  package init(judged: Int = 0, conditional: Int = 0, unrecognised: Int = 0) {
    (self.judged, self.conditional, self.unrecognised) = (judged, conditional, unrecognised)
  }
}

/// The results of one faulty reader over all streams that it was judged on.
package struct ReaderTotal: Sendable {
  package var name: String
  package var judged = 0
  package var right = 0
  package var notJudged = 0
  /// Judged streams with bytes that belong to no record.
  package var conditional = 0
  /// The reason why the first stream that was not judged was not.
  package var reason: Message?
  package var records = 0
  package var correct = 0
  package var missed = 0
  package var hangs = 0
  package var throwing = 0
  /// The first difference from the true records, and its stream.
  package var difference: FirstDifference?
  package var source = ""
  package var stream = 0

  package init(_ name: String) { self.name = name }

  package var wrong: Int { records - correct }

  /// Whether its reports differ from the true records of any stream.
  var hasErred: Bool { wrong > 0 || missed > 0 || hangs > 0 || throwing > 0 }
}
