import APNsWire
import Analysis
import ArgumentParser
import Basics
import PacketCapture
import StreamInputs

/// Limits and buffers of every command that reads inputs (docs/reliability.md, "Limits").
package struct LimitOptions: ParsableArguments {
  private static let standard = CaptureOptions()

  package init() {}

  @Option(help: Limit.maxTokenLength.argumentHelp) package var maxTokenLength = FeedbackRules
    .announcedLongestToken

  @Option(help: Limit.maxPayload.argumentHelp) package var maxPayload = RequestRules.defaultLongestPayload

  @Option(help: Limit.maxPending.argumentHelp) package var maxPending = GatewayLimits.defaultMaxPending

  @Option(help: Limit.memory.argumentHelp) package var memory = SizeArgument(1 << 30)

  @Option(help: Limit.maxExpansion.argumentHelp) package var maxExpansion = SizeArgument(1 << 30)

  @Option(help: Limit.minChain.argumentHelp) package var minChain = 3

  @Option(help: Limit.maxMembers.argumentHelp) package var maxMembers = ArchiveLimits().maxMembers

  @Option(help: Limit.maxDepth.argumentHelp) package var maxDepth = ArchiveLimits().maxDepth

  @Option(help: Limit.maxContent.argumentHelp) package var maxContent = SizeArgument(
    ArchiveLimits().maxContent)

  @Option(help: Limit.reorderWindow.argumentHelp) package var reorderWindow = LimitOptions.standard
    .reorderWindow

  @Option(help: Limit.streamBuffer.argumentHelp) package var streamBuffer = SizeArgument(
    LimitOptions.standard.streamBuffer)

  @Option(help: Limit.totalBuffer.argumentHelp) package var totalBuffer = SizeArgument(
    LimitOptions.standard.totalBuffer)

  @Option(help: Limit.fragmentBuffer.argumentHelp) package var fragmentBuffer = SizeArgument(
    LimitOptions.standard.fragmentBuffer)

  @Option(help: Limit.maxConnections.argumentHelp) package var maxConnections = LimitOptions.standard
    .maxConnections

  @Option(help: Limit.maxPacket.argumentHelp) package var maxPacket = SizeArgument(
    LimitOptions.standard.maxPacket)

  package mutating func validate() throws {
    for (name, value, range) in [
      ("--max-token-length", maxTokenLength, 0...Int(UInt16.max)),
      ("--max-payload", maxPayload, 0...Int(UInt16.max)),
      ("--min-chain", minChain, 1...1000),
      ("--max-members", maxMembers, 0...Int.max),
      ("--max-depth", maxDepth, 0...32),
      ("--reorder-window", reorderWindow, 0...CaptureOptions.maxReorderWindow),
      ("--max-connections", maxConnections, 1...CaptureOptions.maxConnectionsLimit),
      ("--max-packet", maxPacket.bytes, 64...CaptureOptions.maxPacketLimit),
    ] {
      try checkRange(name, value, range)
    }
    guard maxPending >= 0 else { throw ValidationError(.tooSmall("--max-pending", maxPending, least: 0)) }
    guard memory.bytes > 0 else { throw ValidationError(.sizeTooSmall("--memory", memory.bytes)) }
  }

  package var archives: ArchiveLimits {
    var archives = ArchiveLimits()
    archives.maxMembers = maxMembers
    archives.maxDepth = maxDepth
    archives.maxContent = maxContent.bytes
    return archives
  }

  package func captureOptions(filter: String?, serverPorts: Set<UInt16>) -> CaptureOptions {
    var options = CaptureOptions()
    options.filter = filter
    options.reorderWindow = reorderWindow
    options.streamBuffer = min(streamBuffer.bytes, memory.bytes)
    options.totalBuffer = min(totalBuffer.bytes, memory.bytes)
    options.fragmentBuffer = min(fragmentBuffer.bytes, memory.bytes)
    options.maxConnections = maxConnections
    options.maxPacket = maxPacket.bytes
    options.serverPorts = serverPorts
    return options
  }
}

/// Throws a usage error unless `value` is in `range`.
package func checkRange(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
  guard range.contains(value) else { throw ValidationError(.outOfRange(name, "\(value)", range)) }
}
