import ArgumentParser
import EvidenceReport
import JSON
import PacketCapture
import Reports
import WireBytes

/// The options that matter to captures (docs/reliability.md, "Limits").
struct CaptureOptionGroup: ParsableArguments {
  private static let standard = CaptureOptions()

  @Option(help: "A libpcap filter, such as 'host 192.0.2.1': packets that do not match are not read.")
  var filter: String?

  @Flag(help: "The inputs are one capture, in this order: connections go on across files.")
  var join = false

  @Option(help: "A port that feedback servers listen on; may be repeated. (default: 2196)")
  var feedbackPort: [UInt16] = []

  @Option(help: "A port that gateways listen on; may be repeated. (default: 2195)")
  var gatewayPort: [UInt16] = []

  @Option(help: "How many more packets are read before what is missing is given up.")
  var reorderWindow = CaptureOptionGroup.standard.reorderWindow

  @Option(
    help: "Memory for bytes of one direction that wait for others before them; never more than --memory.")
  var streamBuffer = SizeArgument(CaptureOptionGroup.standard.streamBuffer)

  @Option(help: "Memory for such bytes of all directions; likewise.")
  var totalBuffer = SizeArgument(CaptureOptionGroup.standard.totalBuffer)

  @Option(help: "Memory for fragments that wait for the rest of their datagrams; likewise.")
  var fragmentBuffer = SizeArgument(CaptureOptionGroup.standard.fragmentBuffer)

  @Option(help: "How many connections are remembered at once; each takes up to some 2 KiB.")
  var maxConnections = CaptureOptionGroup.standard.maxConnections

  @Option(help: "The longest packet: a record of a capture that claims more bytes is damage.")
  var maxPacket = SizeArgument(CaptureOptionGroup.standard.maxPacket)

  mutating func validate() throws {
    guard (0...CaptureOptions.maxReorderWindow).contains(reorderWindow) else {
      throw ValidationError(
        "--reorder-window is \(reorderWindow): 0 to \(CaptureOptions.maxReorderWindow) packets are possible.")
    }
    guard (1...CaptureOptions.mostConnections).contains(maxConnections) else {
      throw ValidationError(
        "--max-connections is \(maxConnections): 1 to \(CaptureOptions.mostConnections) are possible.")
    }
    guard (64...CaptureOptions.longestPacket).contains(maxPacket.bytes) else {
      throw ValidationError(
        "--max-packet is \(maxPacket.bytes): 64 to \(CaptureOptions.longestPacket) bytes are possible.")
    }
  }

  /// - Parameters:
  ///   - serverPorts: tell the sides apart where no handshake was captured.
  ///   - memory: what buffers may take at most, in bytes.
  func options(serverPorts: Set<UInt16>, memory: Int) -> CaptureOptions {
    var options = CaptureOptions()
    options.filter = filter
    options.reorderWindow = reorderWindow
    options.streamBuffer = min(streamBuffer.bytes, memory)
    options.totalBuffer = min(totalBuffer.bytes, memory)
    options.fragmentBuffer = min(fragmentBuffer.bytes, memory)
    options.maxConnections = maxConnections
    options.maxPacket = maxPacket.bytes
    options.serverPorts = serverPorts
    return options
  }

  /// What of the options a report's reader must know to get the same answers.
  var reported: [(String, JSONValue)] {
    [
      ("filter", JSONValue(filter)),
      ("join", .bool(join)),
      ("reorder_window", .int(reorderWindow)),
      ("stream_buffer", .int(streamBuffer.bytes)),
      ("total_buffer", .int(totalBuffer.bytes)),
      ("fragment_buffer", .int(fragmentBuffer.bytes)),
      ("max_connections", .int(maxConnections)),
      ("max_packet", .int(maxPacket.bytes)),
    ]
  }

  /// All of them, as a report lists them.
  func listed(_ feedbackPorts: Set<UInt16>, _ gatewayPorts: Set<UInt16>) -> [ReportOption] {
    let standard = Self.standard
    func size(_ name: String, _ size: SizeArgument, _ usual: Int) -> ReportOption {
      ReportOption(name, size.defaultValueDescription, isDefault: size.bytes == usual)
    }
    func ports(_ name: String, _ given: [UInt16], _ ports: Set<UInt16>) -> ReportOption {
      ReportOption(name, ports.sorted().map { String($0) }.joined(separator: ", "), isDefault: given.isEmpty)
    }
    return [
      ReportOption("--filter", filter ?? "none", isDefault: filter == nil),
      ReportOption("--join", isDefault: !join),
      ports("--feedback-port", feedbackPort, feedbackPorts),
      ports("--gateway-port", gatewayPort, gatewayPorts),
      ReportOption(
        "--reorder-window", "\(reorderWindow)", isDefault: reorderWindow == standard.reorderWindow),
      size("--stream-buffer", streamBuffer, standard.streamBuffer),
      size("--total-buffer", totalBuffer, standard.totalBuffer),
      size("--fragment-buffer", fragmentBuffer, standard.fragmentBuffer),
      ReportOption(
        "--max-connections", "\(maxConnections)", isDefault: maxConnections == standard.maxConnections),
      size("--max-packet", maxPacket, standard.maxPacket),
    ]
  }
}
