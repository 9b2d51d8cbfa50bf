import APNsWire
import Analysis
import PacketCapture
import WireBytes

/// All that a report says, as rows: `ReportHTML` makes the page of it.
///
/// Tokens are in it as they are to be shown, in hex or as pseudonyms, and bytes that are not to be shown are not in it at
/// all: what is not here cannot leak into the page.
package struct ReportPage: Sendable {
  package var head: ReportHead
  package var inputs: [InputSummary] = []
  /// Inputs that could not be read, or not whole.
  package var failures = 0
  package var summary = Summary()
  /// Records with at least one flag.
  package var flaggedRecords = 0
  package var streams: [StreamSummary] = []
  /// Streams that are not in `streams`.
  package var streamsLeftOut = 0
  /// Streams that speak the protocol, whether or not they are in `streams`.
  package var decodedStreams = 0
  /// One of each code that was found, in the order of `FindingCode.allCases`.
  package var findings: [FoundCode] = []
  package var deaths = Deaths()
  package var gateway = GatewayRows()
  package var readers: [ReaderTotal] = []
  package var auditedStreams = AuditedStreams()
  /// How the streams are cut into chunks for the readers, as a sentence goes on: `over …`.
  package var chunks = ""
  /// False where the readers were not asked for.
  package var isAudited = true
  package var commands = ReportCommands()

  package init(_ head: ReportHead) { self.head = head }
}

/// What stands around the findings: who made the report of what, and how.
package struct ReportHead: Sendable {
  package var title: String
  /// Remarks of the examiner, a paragraph each.
  package var note: [String] = []
  package var madeAt: String?
  package var madeBy: String?
  /// Of the tool.
  package var version: String
  package var options: [ReportOption] = []
  /// Whether tokens are replaced by pseudonyms, and bytes that may be of tokens left out.
  package var isRedacted = false
  /// Whether a name, a title or a remark held what looked like a token, and has it masked.
  package var hasMaskedText = false

  package init(title: String, version: String) {
    self.title = title
    self.version = version
  }

  /// The title of a report that is given none.
  /// - Parameter inputs: their names.
  package static func title(of inputs: [String]) -> String {
    guard inputs.count == 1, let name = inputs.first else { return "Examination of \(inputs.count) inputs" }
    return "Examination of \(name == "-" ? "standard input" : name)"
  }
}

/// The findings of one code: how many there are, and the first few places.
package struct FoundCode: Sendable {
  package var code: FindingCode
  package var count: Int
  package var places: [FoundPlace]

  package init(code: FindingCode, count: Int, places: [FoundPlace]) {
    self.code = code
    self.count = count
    self.places = places
  }
}

/// A finding, the bytes around it, and the command that shows it.
package struct FoundPlace: Sendable {
  package var finding: Finding
  /// Nil where the bytes were no longer at hand, or the finding is about no bytes of a stream.
  package var window: HexWindow?
  package var command: String?

  package init(_ finding: Finding, window: HexWindow?, command: String?) {
    self.finding = finding
    self.window = window
    self.command = command
  }
}

/// The tokens that the records name, and when each died: by the latest of its records without a flag
/// (docs/spec/interface.md#replay-rule).
package struct Deaths: Sendable {
  package struct Row: Equatable, Sendable {
    /// In hex, or a pseudonym.
    package var token: String
    /// The latest time among the records that count, seconds since 1970.
    package var time: UInt32
    /// How many records count, and how many there are; `UInt32.max` stands for as many or more.
    package var countedRecords: UInt32
    package var records: UInt32
    /// Bytes of the token.
    package var length: Int

    package init(token: String, time: UInt32, countedRecords: UInt32, records: UInt32, length: Int) {
      self.token = token
      self.time = time
      self.countedRecords = countedRecords
      self.records = records
      self.length = length
    }
  }

  /// Distinct tokens with a record that counts.
  package var dead = 0
  /// Distinct tokens all of whose records carry a flag.
  package var doubtful = 0
  /// Earliest and latest of the times at which tokens died.
  package var times: ClosedRange<UInt32>?
  package var hours = HourCounts(0...0)
  /// The latest first, those of one time by their bytes.
  package var rows: [Row] = []
  /// Those that most records name, at least two, most first.
  package var repeated: [Row] = []
  /// How many tokens more than one record names.
  package var repeatedCount = 0

  package init() {}
}

/// Error responses, and the requests by command.
package struct GatewayRows: Sendable {
  package struct Response: Equatable, Sendable {
    package var source: String
    package var stream: Int
    package var offset: Int
    package var packet: Int?
    package var capturedAt: String?
    /// Nil where it may be bytes of a token (a redacted report, and no request found).
    package var status: UInt8?
    package var identifier: UInt32?
    package var requestOffset: Int?
    /// In hex, or a pseudonym; nil where no request is found, or it has none.
    package var token: String?
    package var flags: [String]

    package init(source: String, stream: Int, offset: Int) {
      self.source = source
      self.stream = stream
      self.offset = offset
      flags = []
    }
  }

  /// Requests by command, 0 to 2.
  package var commands: [Int] = [0, 0, 0]
  /// The first few.
  package var responses: [Response] = []

  package init() {}
}

/// On how many streams the faulty readers were judged.
package struct AuditedStreams: Equatable, Sendable {
  package var judged: Int
  /// Judged ones with bytes that belong to no record: the verdicts stand if the readers received them so.
  package var conditional: Int
  /// Those that were left out, since no record was recognised in them.
  package var unrecognised: Int

  package init(judged: Int = 0, conditional: Int = 0, unrecognised: Int = 0) {
    self.judged = judged
    self.conditional = conditional
    self.unrecognised = unrecognised
  }
}

/// What a faulty reader would have made of all streams that it was judged on.
package struct ReaderTotal: Sendable {
  package var name: String
  package var judged = 0
  package var right = 0
  package var notJudged = 0
  /// Judged streams with bytes that belong to no record.
  package var conditional = 0
  /// Why the first stream that is not judged is not.
  package var reason: String?
  package var records = 0
  package var correct = 0
  package var wrong = 0
  package var missed = 0
  package var hangs = 0
  package var throwing = 0
  /// The first place at which it goes wrong.
  package var difference: Difference?

  package struct Difference: Sendable {
    package var source: String
    package var stream: Int
    package var record: Int
    /// Nil in a redacted report.
    package var reason: String?
    package var expected: String?
    package var emitted: String?

    package init(source: String, stream: Int, record: Int) {
      self.source = source
      self.stream = stream
      self.record = record
    }
  }

  package init(_ name: String) { self.name = name }

  /// Whether it would have told anything but the truth of a stream.
  var hasErred: Bool { wrong > 0 || missed > 0 || hangs > 0 || throwing > 0 }
}
