import APNsWire
import Analysis
import ArgumentParser
import Basics
import PacketCapture

/// A limit on memory, time or what is plausible: its option, its range, and what it sets. `--help`, usage errors, reports and
/// docs/reference/limits.md are made from it. Its key path has no values in it, so any thread may use it.
package struct Limit: @unchecked Sendable {
  package var option: String
  /// The name of its value in `--help`.
  var value: String
  private var type: any LimitArgument.Type = Int.self
  /// The value that is given, or the default.
  var given: @Sendable (InputOptions) -> any LimitArgument
  /// What it limits, as `--help` says it.
  package var help: String
  /// What it sets, whose value is the default.
  var target: WritableKeyPath<Examination.Options, Int>?
  /// The default, of those that are parts of rules.
  private var ofRules = 0
  private var range: ClosedRange<Int>?
  /// Whether a larger value than that of --memory has no effect.
  var isWithinMemory = false
  /// What a larger value costs.
  package var cost = ""
  /// What happens at the limit.
  package var effect: String

  var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: value) }
  var standard: Int { target.map { Examination.Options()[keyPath: $0] } ?? ofRules }

  /// The default, with its unit.
  package var standardText: String { type.init(number: standard).defaultValueDescription }

  /// Smallest and largest value, where the type of the option does not say it.
  package var rangeText: String {
    if isWithinMemory { return "at most --memory" }
    guard let range else { return "" }
    let (least, most) = (type.init(number: range.lowerBound), type.init(number: range.upperBound))
    return least.defaultValueDescription
      + (range.upperBound == .max ? " or more" : " to \(most.defaultValueDescription)")
  }

  func check(_ number: Int) throws { if let range { try checkRange(option, number, range) } }
}

/// Throws a usage error unless `value` is in `range`.
package func checkRange(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
  if range.contains(value) { return }
  throw ValidationError(
    range.upperBound == .max
      ? .tooSmall(name, value, least: range.lowerBound) : .outOfRange(name, "\(value)", range))
}

extension Option where Value: LimitArgument {
  init(_ limit: Limit) { self.init(wrappedValue: Value(number: limit.standard), help: limit.argumentHelp) }
}

extension Option where Value == TimeArgument {
  init(_ limit: Limit) {
    let help = ArgumentHelp("\(limit.help) (default: \(limit.standardText))", valueName: limit.value)
    self.init(wrappedValue: Value(number: limit.standard), help: help, transform: Value.parsed)
  }
}

extension Limit {
  static let tokenLength = Limit(
    option: "--token-length", value: "LIST", type: TokenLengths.self, given: { $0.tokenLength },
    help: "Expected token lengths, such as 32,54 or 1-100.", ofRules: TokenLengths.standard.number,
    effect: "other lengths get the flag unexpected-token-length")
  static let maxTokenLength = Limit(
    option: "--max-token-length", value: "BYTES", given: { $0.limits.maxTokenLength },
    help: "Longest plausible token; never less than the longest of --token-length.",
    ofRules: FeedbackRules.announcedLongestToken, range: 0...65_535, effect: "a longer one begins no record")
  static let maxPayload = Limit(
    option: "--max-payload", value: "BYTES", given: { $0.limits.maxPayload },
    help: "Longest plausible payload of a request with command 0 or 1.",
    ofRules: RequestRules.defaultLongestPayload, range: 0...65_535, effect: "malformed-frame")
  static let maxPending = Limit(
    option: "--max-pending", value: "COUNT", given: { $0.limits.maxPending },
    help: "Requests per connection that wait for a response; older ones stay unknown.",
    target: \.analysis.gateway.maxPending, range: 0...Int.max,
    cost: "some 100 bytes each, within --memory", effect: "pending-limit: the oldest requests stay unknown")
  static let earliest = Limit(
    option: "--earliest", value: "TIME", type: TimeArgument.self, given: { $0.earliest },
    help: "Earliest plausible time: RFC 3339, date or Unix seconds.",
    ofRules: Int(FeedbackRules.serviceStart),
    effect: "earlier times get the flag implausible-timestamp")
  static let latest = Limit(
    option: "--latest", value: "TIME", type: TimeArgument.self, given: { $0.latest },
    help: "Latest plausible time.", ofRules: Int(FeedbackRules.serviceEnd),
    effect: "later times get the flag implausible-timestamp")
  static let memory = Limit(
    option: "--memory", value: "SIZE", type: SizeArgument.self, given: { $0.limits.memory },
    help: "Memory each for tokens, pending requests and answers; the limit of each buffer.",
    target: \.analysis.gateway.memory, range: 1...Int.max, cost: "at least 1MiB is used",
    effect: "the rest goes through temporary files; the results are the same")
  static let maxExpansion = Limit(
    option: "--max-expansion", value: "SIZE", type: SizeArgument.self, given: { $0.limits.maxExpansion },
    help: "Bytes that the * lines of one hex dump may expand to.", target: \.reading.maxExpansion,
    effect: "unreadable-input")
  static let maxPatternSteps = Limit(
    option: "--max-pattern-steps", value: "COUNT", given: { $0.limits.maxPatternSteps },
    help: "Steps of a pattern in one line of a log.", target: \.analysis.logs.patternSteps,
    range: 1...Int(UInt32.max), cost: "time for each line", effect: "malformed-line")
  static let maxHours = Limit(
    option: "--max-hours", value: "COUNT", given: { $0.limits.maxHours },
    help: "Hours of pushes that are counted each for itself.", target: \.analysis.mostHours,
    range: 1...1_000_000, cost: "some 200 bytes each",
    effect: "pushes of hours that come later are counted together")
  static let minChain = Limit(
    option: "--min-chain", value: "COUNT", given: { $0.limits.minChain },
    help: "Tuples in a row that --from carve needs.", target: \.reading.carving.minChain, range: 1...1000,
    cost: "a smaller value finds more coincidences", effect: "shorter chains are left out")
  static let maxMembers = Limit(
    option: "--max-members", value: "COUNT", given: { $0.limits.maxMembers },
    help: "Files that are read in one archive, and in archives in it.",
    target: \.reading.archives.maxMembers, range: 0...Int.max,
    effect: "unreadable-input: the other files are not read")
  static let maxDepth = Limit(
    option: "--max-depth", value: "COUNT", given: { $0.limits.maxDepth },
    help: "Archives in archives that are read.", target: \.reading.archives.maxDepth, range: 0...32,
    effect: "unreadable-input: deeper archives are not read")
  static let maxContent = Limit(
    option: "--max-content", value: "SIZE", type: SizeArgument.self, given: { $0.limits.maxContent },
    help: "Bytes that one archive may unpack to, with archives in it.",
    target: \.reading.archives.maxContent, cost: "time: nothing is kept",
    effect: "unreadable-input: the rest is not read")
  static let reorderWindow = Limit(
    option: "--reorder-window", value: "COUNT", given: { $0.limits.reorderWindow },
    help: "Packets to wait for missing bytes before a gap is skipped.",
    target: \.reading.capture.reorderWindow, range: 0...CaptureOptions.maxReorderWindow,
    effect: "stream-gap, then late-segment; fragment-missing")
  static let streamBuffer = Limit(
    option: "--stream-buffer", value: "SIZE", type: SizeArgument.self, given: { $0.limits.streamBuffer },
    help: "Buffer for out-of-order bytes of one direction.", target: \.reading.capture.streamBuffer,
    isWithinMemory: true, cost: "128 bytes a packet on top", effect: "buffer-limit: the first gap is flushed")
  static let totalBuffer = Limit(
    option: "--total-buffer", value: "SIZE", type: SizeArgument.self, given: { $0.limits.totalBuffer },
    help: "Buffer for out-of-order bytes of all directions.", target: \.reading.capture.totalBuffer,
    isWithinMemory: true, effect: "buffer-limit: the oldest gap is flushed")
  static let fragmentBuffer = Limit(
    option: "--fragment-buffer", value: "SIZE", type: SizeArgument.self, given: { $0.limits.fragmentBuffer },
    help: "Buffer for IP fragments.", target: \.reading.capture.fragmentBuffer, isWithinMemory: true,
    effect: "fragment-missing")
  static let maxConnections = Limit(
    option: "--max-connections", value: "COUNT", given: { $0.limits.maxConnections },
    help: "Connections tracked at once, about 2 KiB each.", target: \.reading.capture.maxConnections,
    range: 1...CaptureOptions.maxConnectionsLimit, cost: "1 to 2 KiB each",
    effect: "connection-evicted: closed ones first, then the one idle longest")
  static let maxPacket = Limit(
    option: "--max-packet", value: "SIZE", type: SizeArgument.self, given: { $0.limits.maxPacket },
    help: "Longest packet; a longer record of a capture is damage.", target: \.reading.capture.maxPacket,
    range: 64...CaptureOptions.maxPacketLimit, effect: "damaged-capture")

  /// In the order of reports.
  package static let all = ofContents + ofCaptures
  static let ofContents = [
    tokenLength, maxTokenLength, maxPayload, maxPending, earliest, latest, memory, maxExpansion,
    maxPatternSteps, maxHours, minChain, maxMembers, maxDepth, maxContent,
  ]
  static let ofCaptures = [
    reorderWindow, streamBuffer, totalBuffer, fragmentBuffer, maxConnections, maxPacket,
  ]
}

/// Limits and buffers of every command that reads inputs (docs/reliability.md, "Limits").
struct LimitOptions: ParsableArguments {
  @Option(.maxTokenLength) var maxTokenLength: Int
  @Option(.maxPayload) var maxPayload: Int
  @Option(.maxPending) var maxPending: Int
  @Option(.memory) var memory: SizeArgument
  @Option(.maxExpansion) var maxExpansion: SizeArgument
  @Option(.maxPatternSteps) var maxPatternSteps: Int
  @Option(.maxHours) var maxHours: Int
  @Option(.minChain) var minChain: Int
  @Option(.maxMembers) var maxMembers: Int
  @Option(.maxDepth) var maxDepth: Int
  @Option(.maxContent) var maxContent: SizeArgument
  @Option(.reorderWindow) var reorderWindow: Int
  @Option(.streamBuffer) var streamBuffer: SizeArgument
  @Option(.totalBuffer) var totalBuffer: SizeArgument
  @Option(.fragmentBuffer) var fragmentBuffer: SizeArgument
  @Option(.maxConnections) var maxConnections: Int
  @Option(.maxPacket) var maxPacket: SizeArgument
}
