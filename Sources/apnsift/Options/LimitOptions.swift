import APNsWire
import Analysis
import ArgumentParser
import PacketCapture
import WireBytes

/// Limits and buffers of every command that reads inputs (docs/reliability.md, "Limits").
struct LimitOptions: ParsableArguments {
  private static let standard = CaptureOptions()

  @Option(
    help: .init("Longest plausible token; never less than the longest of --token-length.", valueName: "BYTES")
  )
  var maxTokenLength = FeedbackRules.announcedLongestToken

  @Option(help: .init("Longest plausible payload of a request with command 0 or 1.", valueName: "BYTES"))
  var maxPayload = RequestRules.usualLongestPayload

  @Option(
    help: .init(
      "Requests per connection that wait for a response; older ones stay unknown.", valueName: "COUNT"))
  var maxPending = GatewayLimits.usualMaxPending

  @Option(
    help: .init(
      "Memory for tokens, as much for pending requests, and the limit of each buffer.", valueName: "SIZE"))
  var memory = SizeArgument(1 << 30)

  @Option(help: .init("Bytes that the * lines of one hex dump may stand for.", valueName: "SIZE"))
  var maxExpansion = SizeArgument(1 << 30)

  @Option(help: .init("Packets to wait for missing bytes before a gap is skipped.", valueName: "COUNT"))
  var reorderWindow = LimitOptions.standard.reorderWindow

  @Option(help: .init("Buffer for out-of-order bytes of one direction.", valueName: "SIZE"))
  var streamBuffer = SizeArgument(LimitOptions.standard.streamBuffer)

  @Option(help: .init("Buffer for out-of-order bytes of all directions.", valueName: "SIZE"))
  var totalBuffer = SizeArgument(LimitOptions.standard.totalBuffer)

  @Option(help: .init("Buffer for IP fragments.", valueName: "SIZE"))
  var fragmentBuffer = SizeArgument(LimitOptions.standard.fragmentBuffer)

  @Option(help: .init("Connections tracked at once, about 2 KiB each.", valueName: "COUNT"))
  var maxConnections = LimitOptions.standard.maxConnections

  @Option(help: .init("Longest packet; a longer record of a capture is damage.", valueName: "SIZE"))
  var maxPacket = SizeArgument(LimitOptions.standard.maxPacket)

  mutating func validate() throws {
    for (name, value, range) in [
      ("--max-token-length", maxTokenLength, 0...Int(UInt16.max)),
      ("--max-payload", maxPayload, 0...Int(UInt16.max)),
      ("--reorder-window", reorderWindow, 0...CaptureOptions.maxReorderWindow),
      ("--max-connections", maxConnections, 1...CaptureOptions.mostConnections),
      ("--max-packet", maxPacket.bytes, 64...CaptureOptions.longestPacket),
    ] {
      try checkRange(name, value, range)
    }
    guard maxPending >= 0 else { throw ValidationError("--max-pending is \(maxPending): give 0 or more.") }
    guard memory.bytes > 0 else { throw ValidationError("--memory is 0: give 1 byte or more.") }
  }

  func captureOptions(filter: String?, serverPorts: Set<UInt16>) -> CaptureOptions {
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
func checkRange<Value>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) throws {
  guard range.contains(value) else {
    throw ValidationError("\(name) is \(value): give \(range.lowerBound) to \(range.upperBound).")
  }
}
