import APNsWire
import Analysis
import ArgumentParser
import Basics
import EvidenceReport
import PacketCapture
import StreamInputs

/// A limit on memory, time or what is plausible. `--help` and docs/reference/limits.md are made from it.
package struct Limit: Sendable {
  package var option: String
  /// The name of its value in `--help`.
  package var value: String
  /// What it limits, as `--help` says it.
  package var help: String
  /// With its unit.
  package var standard: String
  /// Smallest and largest value, where the type of the option does not say it.
  package var range = ""
  /// What a larger value costs.
  package var cost = ""
  /// What happens at the limit.
  package var effect: String
}

extension Limit {
  package var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: value) }

  /// The option with its value, as a report lists it.
  func listed(_ value: some ExpressibleByArgument) -> ReportOption {
    let text = value.defaultValueDescription
    return ReportOption(option, text, isDefault: text == standard)
  }

  private static let capture = CaptureOptions()

  package static let tokenLength = Limit(
    option: "--token-length", value: "LIST",
    help: "Expected token lengths, such as 32,54 or 1-100.", standard: "32",
    effect: "other lengths get the flag unexpected-token-length")
  package static let maxTokenLength = Limit(
    option: "--max-token-length", value: "BYTES",
    help: "Longest plausible token; never less than the longest of --token-length.",
    standard: "\(FeedbackRules.announcedLongestToken)", range: "0 to 65535",
    effect: "a longer one begins no record")
  package static let maxPayload = Limit(
    option: "--max-payload", value: "BYTES",
    help: "Longest plausible payload of a request with command 0 or 1.",
    standard: "\(RequestRules.defaultLongestPayload)", range: "0 to 65535", effect: "malformed-frame")
  package static let earliest = Limit(
    option: "--earliest", value: "TIME",
    help: "Earliest plausible time, RFC 3339 or Unix seconds.",
    standard: UTCTime.text(FeedbackRules.serviceStart),
    effect: "earlier times get the flag implausible-timestamp")
  package static let latest = Limit(
    option: "--latest", value: "TIME",
    help: "Latest plausible time.", standard: UTCTime.text(FeedbackRules.serviceEnd),
    effect: "later times get the flag implausible-timestamp")
  package static let maxPending = Limit(
    option: "--max-pending", value: "COUNT",
    help: "Requests per connection that wait for a response; older ones stay unknown.",
    standard: "\(GatewayLimits.defaultMaxPending)", cost: "some 100 bytes each, within --memory",
    effect: "pending-limit: the oldest requests stay unknown")
  package static let memory = Limit(
    option: "--memory", value: "SIZE",
    help: "Memory for tokens, as much for pending requests, and the limit of each buffer.", standard: "1GiB",
    range: "1MiB or more", effect: "the rest goes through temporary files; the results are the same")
  package static let maxExpansion = Limit(
    option: "--max-expansion", value: "SIZE",
    help: "Bytes that the * lines of one hex dump may expand to.",
    standard: "1GiB",
    effect: "unreadable-input")
  package static let minChain = Limit(
    option: "--min-chain", value: "COUNT",
    help: "Tuples in a row that --from carve needs.", standard: "3", range: "1 to 1000",
    cost: "a smaller value finds more coincidences", effect: "shorter chains are left out")
  private static let archives = ArchiveLimits()
  package static let maxMembers = Limit(
    option: "--max-members", value: "COUNT",
    help: "Files that are read in one archive, and in archives in it.",
    standard: "\(archives.maxMembers)", range: "0 or more",
    effect: "unreadable-input: the other files are not read")
  package static let maxDepth = Limit(
    option: "--max-depth", value: "COUNT", help: "Archives in archives that are read.",
    standard: "\(archives.maxDepth)", range: "0 to 32",
    effect: "unreadable-input: deeper archives are not read")
  package static let maxContent = Limit(
    option: "--max-content", value: "SIZE",
    help: "Bytes that one archive may unpack to, with archives in it.",
    standard: SizeArgument(archives.maxContent).defaultValueDescription,
    cost: "time: nothing is kept", effect: "unreadable-input: the rest is not read")
  package static let reorderWindow = Limit(
    option: "--reorder-window", value: "COUNT",
    help: "Packets to wait for missing bytes before a gap is skipped.",
    standard: "\(capture.reorderWindow)", range: "0 to \(CaptureOptions.maxReorderWindow)",
    effect: "stream-gap, then late-segment; fragment-missing")
  package static let streamBuffer = Limit(
    option: "--stream-buffer", value: "SIZE",
    help: "Buffer for out-of-order bytes of one direction.",
    standard: SizeArgument(capture.streamBuffer).defaultValueDescription, range: "at most --memory",
    cost: "128 bytes a packet on top",
    effect: "buffer-limit: the first gap is flushed")
  package static let totalBuffer = Limit(
    option: "--total-buffer", value: "SIZE",
    help: "Buffer for out-of-order bytes of all directions.",
    standard: SizeArgument(capture.totalBuffer).defaultValueDescription, range: "at most --memory",
    effect: "buffer-limit: the oldest gap is flushed")
  package static let fragmentBuffer = Limit(
    option: "--fragment-buffer", value: "SIZE",
    help: "Buffer for IP fragments.",
    standard: SizeArgument(capture.fragmentBuffer).defaultValueDescription, range: "at most --memory",
    effect: "fragment-missing")
  package static let maxConnections = Limit(
    option: "--max-connections", value: "COUNT",
    help: "Connections tracked at once, about 2 KiB each.", standard: "\(capture.maxConnections)",
    range: "1 to \(CaptureOptions.maxConnectionsLimit)", cost: "1 to 2 KiB each",
    effect: "connection-evicted: closed ones first, then the one idle longest")
  package static let maxPacket = Limit(
    option: "--max-packet", value: "SIZE",
    help: "Longest packet; a longer record of a capture is damage.",
    standard: SizeArgument(capture.maxPacket).defaultValueDescription, range: "64 bytes to 1GiB",
    effect: "damaged-capture")

  /// The limits of reading, in the order of `--help`.
  package static let options = [
    tokenLength, maxTokenLength, maxPayload, earliest, latest, maxPending, memory, maxExpansion,
    minChain, maxMembers, maxDepth, maxContent, reorderWindow,
    streamBuffer, totalBuffer, fragmentBuffer, maxConnections, maxPacket,
  ]
}
