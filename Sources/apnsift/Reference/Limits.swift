import APNsWire
import Analysis
import ArgumentParser
import PacketCapture
import WireBytes

/// A limit on memory, time or what is plausible. `--help` and docs/reference/limits.md are made from it.
struct Limit: Sendable {
  var option: String
  /// What it limits, as `--help` says it.
  var help: String
  /// With its unit.
  var standard: String
  /// Smallest and largest value, where the type of the option does not say it.
  var range = ""
  /// What a larger value costs.
  var cost = ""
  /// What happens at the limit.
  var effect: String
}

extension Limit {
  private static let capture = CaptureOptions()

  static let tokenLength = Limit(
    option: "--token-length", help: "Normal token lengths in bytes: 32, or 32,54, or 1-100.", standard: "32",
    effect: "other lengths get the flag unexpected-token-length")
  static let maxTokenLength = Limit(
    option: "--max-token-length", help: "Longest plausible token in bytes.",
    standard: "\(FeedbackRules.announcedLongestToken)", range: "0 to 65535",
    effect: "a longer one begins no record")
  static let maxPayload = Limit(
    option: "--max-payload", help: "Longest plausible payload of commands 0 and 1 in bytes.",
    standard: "\(RequestRules.usualLongestPayload)", range: "0 to 65535", effect: "malformed-frame")
  static let earliest = Limit(
    option: "--earliest", help: "Earliest plausible time: RFC 3339, or seconds since 1970.",
    standard: UTCTime.text(FeedbackRules.serviceStart),
    effect: "earlier times get the flag implausible-timestamp")
  static let latest = Limit(
    option: "--latest", help: "Latest plausible time.", standard: UTCTime.text(FeedbackRules.serviceEnd),
    effect: "later times get the flag implausible-timestamp")
  static let maxPending = Limit(
    option: "--max-pending", help: "Requests of a connection that wait for a response.",
    standard: "\(GatewayLimits.usualMaxPending)", cost: "some 100 bytes each, within --memory",
    effect: "pending-limit: the oldest requests stay unknown")
  static let memory = Limit(
    option: "--memory", help: "Memory for distinct tokens, and again for pending requests.", standard: "1GiB",
    range: "1MiB or more", effect: "the rest goes through temporary files; the results are the same")
  static let maxExpansion = Limit(
    option: "--max-expansion", help: "Bytes that the * lines of one hex dump may stand for.",
    standard: "1GiB",
    effect: "unreadable-input")
  static let reorderWindow = Limit(
    option: "--reorder-window", help: "Packets to wait for missing bytes before their gap is flushed.",
    standard: "\(capture.reorderWindow)", range: "0 to \(CaptureOptions.maxReorderWindow)",
    effect: "stream-gap, then late-segment; fragment-missing")
  static let streamBuffer = Limit(
    option: "--stream-buffer", help: "Memory for early segments of one direction.",
    standard: SizeArgument(capture.streamBuffer).defaultValueDescription, range: "at most --memory",
    cost: "128 bytes a packet on top",
    effect: "buffer-limit: the first gap is flushed")
  static let totalBuffer = Limit(
    option: "--total-buffer", help: "Memory for early segments of all directions.",
    standard: SizeArgument(capture.totalBuffer).defaultValueDescription, range: "at most --memory",
    effect: "buffer-limit: the oldest gap is flushed")
  static let fragmentBuffer = Limit(
    option: "--fragment-buffer", help: "Memory for incomplete IP datagrams.",
    standard: SizeArgument(capture.fragmentBuffer).defaultValueDescription, range: "at most --memory",
    effect: "fragment-missing")
  static let maxConnections = Limit(
    option: "--max-connections", help: "Connections in memory.", standard: "\(capture.maxConnections)",
    range: "1 to \(CaptureOptions.mostConnections)", cost: "1 to 2 KiB each",
    effect: "connection-evicted: closed ones first, then the one idle longest")
  static let maxPacket = Limit(
    option: "--max-packet", help: "Longest plausible packet; a longer record is damage.",
    standard: SizeArgument(capture.maxPacket).defaultValueDescription, range: "64 bytes to 1GiB",
    effect: "damaged-capture")

  /// The limits of reading, in the order of `--help`.
  static let options = [
    tokenLength, maxTokenLength, maxPayload, earliest, latest, maxPending, memory, maxExpansion,
    reorderWindow,
    streamBuffer, totalBuffer, fragmentBuffer, maxConnections, maxPacket,
  ]
}
