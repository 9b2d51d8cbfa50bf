import ArgumentParser
import Generator

/// How generated connections travel, and how they are captured.
struct GenerateCaptureOptions: ParsableArguments {
  private static let standard = CaptureScenario()

  @Option(help: "How many connections share the tuples.")
  var connections = GenerateCaptureOptions.standard.connections

  @Option(help: "How many of them are open at a time, at most.")
  var open = GenerateCaptureOptions.standard.openConnections

  @Option(help: "Of 1000 gateway connections, so many have an error response. (default: 500)")
  var responses: Int?

  @Option(help: "Payload bytes of a segment: 1400, or 1-1460 for anything between.")
  var segments = RangeArgument(GenerateCaptureOptions.standard.segmentSizes)

  @Option(help: "Of 1000 data segments, so many are not in the capture.")
  var loss = 0

  @Option(help: "So many come up to 32 packets late.")
  var reordering = 0

  @Option(help: "So many come again.")
  var retransmission = 0

  @Option(help: "So many begin with the end of the one before.")
  var overlaps = 0

  @Option(help: "So many come again with other bytes.")
  var conflicts = 0

  @Flag(help: "Sequence numbers wrap around; with --port-reuse in every other connection.")
  var wrap = false

  @Flag(help: "A connection has the ports of one that has ended.")
  var portReuse = false

  @Flag(help: "The first connections are open when the capture begins.")
  var midstream = false

  @Option(help: "Of 1000 connections, so many end with a RST.")
  var resets = 0

  @Option(help: "Of 1000 packets with data, so many are 2 to 4 IP fragments.")
  var fragments = 0

  @Option(help: "Bytes of a packet that are in the capture at most. (default: all)")
  var snapLength: Int?

  @Option(help: "What packets begin with.")
  var link = GenerateCaptureOptions.standard.link

  @Option(help: "The version of IP: 4 or 6.")
  var ip = 4

  @Option(help: "The kind of file.")
  var container = GenerateCaptureOptions.standard.container.format

  @Flag(help: "The file is written by a big-endian machine.")
  var bigEndian = false

  @Flag(help: "Times have nanoseconds, not microseconds.")
  var nanoseconds = false

  mutating func validate() throws {
    try Self.check("--connections", connections, 1...CaptureScenario.mostConnections)
    try Self.check("--open", open, 1...CaptureScenario.mostOpenConnections)
    try Self.check("--segments", segments.range.lowerBound, 1...CaptureScenario.longestSegment)
    try Self.check("--segments", segments.range.upperBound, 1...CaptureScenario.longestSegment)
    guard ip == 4 || ip == 6 else { throw ValidationError("--ip is \(ip): 4 and 6 are possible.") }
    if snapLength != nil, fragments > 0 {
      throw ValidationError(
        "--fragments and --snap-length do not go together: a cut fragment completes nothing.")
    }
    if let snapLength { try Self.check("--snap-length", snapLength, CaptureScenario.snapLengths) }
    try PerMille.check([
      ("--responses", responses ?? 0), ("--loss", loss), ("--reordering", reordering),
      ("--retransmission", retransmission),
      ("--overlaps", overlaps), ("--conflicts", conflicts), ("--resets", resets), ("--fragments", fragments),
    ])
  }

  private static func check(_ name: String, _ value: Int, _ possible: ClosedRange<Int>) throws {
    guard possible.contains(value) else {
      throw ValidationError(
        "\(name) is \(value): \(possible.lowerBound) to \(possible.upperBound) are possible.")
    }
  }

  /// Whether an option says anything that does not go without saying.
  var isAnyGiven: Bool { scenario != Self.standard }

  var scenario: CaptureScenario {
    var scenario = CaptureScenario()
    scenario.connections = connections
    scenario.openConnections = open
    scenario.segmentSizes = segments.range
    scenario.loss = loss
    scenario.reordering = reordering
    scenario.retransmission = retransmission
    scenario.overlaps = overlaps
    scenario.conflicts = conflicts
    scenario.wrapsSequence = wrap
    scenario.reusesPorts = portReuse
    scenario.beginsMidstream = midstream
    scenario.resets = resets
    scenario.fragments = fragments
    scenario.snapLength = snapLength
    scenario.link = link
    scenario.isV6 = ip == 6
    scenario.container.format = container
    scenario.container.isBigEndian = bigEndian
    scenario.container.hasNanoseconds = nanoseconds
    return scenario
  }
}

/// A number or a range of them as an argument: `1400`, `1-1460`.
struct RangeArgument: ExpressibleByArgument {
  var range: ClosedRange<Int>

  init(_ range: ClosedRange<Int>) { self.range = range }

  init?(argument: String) {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
    else {
      return nil
    }
    range = first...last
  }

  var defaultValueDescription: String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }
}

extension CaptureLink: ExpressibleByArgument {}
extension CaptureContainer.Format: ExpressibleByArgument {}
