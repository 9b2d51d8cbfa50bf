import ArgumentParser

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
}
