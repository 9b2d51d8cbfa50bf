import ArgumentParser
import CommandOptions
import Generator

/// The connections of a generated capture, and the capture file.
struct GenerateCaptureOptions: ParsableArguments {
  private static let standard = CaptureScenario()

  @Option(help: .init("Connections that share the tuples.", valueName: "COUNT"))
  var connections = GenerateCaptureOptions.standard.connections
  @Option(help: .init("Connections open at a time.", valueName: "COUNT"))
  var open = GenerateCaptureOptions.standard.openConnections
  @Option(help: .init("Error responses, per 1000 gateway connections. (default: 500)", valueName: "RATE"))
  var responses: Int?
  @Option(help: .init("Payload bytes of a segment, such as 1-1460.", valueName: "RANGE"))
  var segments = RangeArgument(GenerateCaptureOptions.standard.segmentSizes)
  @Option(help: .init("Data segments missing from the capture, per 1000.", valueName: "RATE"))
  var loss = 0
  @Option(help: .init("Segments up to 32 packets late, per 1000.", valueName: "RATE"))
  var reordering = 0
  @Option(help: .init("Retransmitted segments, per 1000.", valueName: "RATE"))
  var retransmission = 0
  @Option(help: .init("Segments that overlap the previous one, per 1000.", valueName: "RATE"))
  var overlaps = 0
  @Option(help: .init("Retransmitted segments with other bytes, per 1000.", valueName: "RATE"))
  var conflicts = 0
  @Flag(help: "Wrap sequence numbers; with --port-reuse in every other connection.")
  var wrap = false
  @Flag(help: "Reuse the ports of connections that have ended.")
  var portReuse = false
  @Flag(help: "Start the capture within the first connections.")
  var midstream = false
  @Option(help: .init("Connections that end with a RST, per 1000.", valueName: "RATE"))
  var resets = 0
  @Option(help: .init("Data packets sent as 2 to 4 IP fragments, per 1000.", valueName: "RATE"))
  var fragments = 0
  @Option(help: .init("Most bytes captured of a packet. (default: all)", valueName: "BYTES"))
  var snapLength: Int?
  @Option(help: .init("Link layer.", valueName: "NAME"))
  var link = GenerateCaptureOptions.standard.link
  @Option(help: .init("IP version, 4 or 6.", valueName: "VERSION"))
  var ip = 4
  @Option(help: .init("File format. (default: pcapng if OUT ends so, else pcap)", valueName: "NAME"))
  var container: CaptureContainer.Format?
  @Flag(help: "Write the file in big-endian byte order.")
  var bigEndian = false
  @Flag(help: "Write times in nanoseconds.")
  var nanoseconds = false

  mutating func validate() throws {
    try checkRange("--connections", connections, 1...CaptureScenario.maxConnectionsLimit)
    try checkRange("--open", open, 1...CaptureScenario.mostOpenConnections)
    try checkRange("--segments", segments.range.lowerBound, 1...CaptureScenario.longestSegment)
    try checkRange("--segments", segments.range.upperBound, 1...CaptureScenario.longestSegment)
    guard ip == 4 || ip == 6 else { throw ValidationError("--ip is \(ip): give 4 or 6") }
    if snapLength != nil, fragments > 0 {
      throw ValidationError(
        "--fragments and --snap-length exclude each other: truncated fragments cannot be reassembled")
    }
    if let snapLength { try checkRange("--snap-length", snapLength, CaptureScenario.snapLengths) }
    try checkRates([
      ("--responses", responses ?? 0), ("--loss", loss), ("--reordering", reordering),
      ("--retransmission", retransmission),
      ("--overlaps", overlaps), ("--conflicts", conflicts), ("--resets", resets), ("--fragments", fragments),
    ])
  }

  /// Whether any option differs from its default.
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
    if let container { scenario.container.format = container }
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
    else { return nil }
    range = first...last
  }

  var defaultValueDescription: String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }
}

extension CaptureLink: ExpressibleByArgument {}
extension CaptureContainer.Format: ExpressibleByArgument {}
