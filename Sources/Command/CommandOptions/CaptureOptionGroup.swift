import ArgumentParser
import Basics
import EvidenceReport
import Reports

/// The options for captures; their limits are in `LimitOptions`.
package struct CaptureOptionGroup: ParsableArguments {
  @Option(help: .init("Read only packets that match this pcap filter.", valueName: "EXPRESSION"))
  package var filter: String?
  @Flag(help: "Read the inputs as one capture, in this order.")
  package var join = false
  @Option(help: .init("Feedback server port; repeatable. (default: 2196)", valueName: "PORT"))
  package var feedbackPort: [UInt16] = []
  @Option(help: .init("Gateway port; repeatable. (default: 2195)", valueName: "PORT"))
  package var gatewayPort: [UInt16] = []

  package init() {}

  /// The options that change answers, for reports.
  package func reported(_ input: InputOptions) -> [(String, JSONValue)] {
    [("filter", JSONValue(filter)), ("join", .bool(join))] + Limit.ofCaptures.map { $0.reported(input) }
  }

  /// All of them, as a report lists them.
  package func listed(_ input: InputOptions) -> [ReportOption] {
    func ports(_ name: String, _ given: [UInt16], _ ports: Set<UInt16>) -> ReportOption {
      ReportOption(name, ports.sorted().map { String($0) }.joined(separator: ", "), isDefault: given.isEmpty)
    }
    return [
      ReportOption("--filter", filter ?? "none", isDefault: filter == nil),
      ReportOption("--join", isDefault: !join),
      ports("--feedback-port", feedbackPort, input.protocolChoice.feedbackPorts),
      ports("--gateway-port", gatewayPort, input.protocolChoice.gatewayPorts),
    ] + Limit.ofCaptures.map { $0.listed(input) }
  }
}
