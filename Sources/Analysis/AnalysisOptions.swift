import APNsWire

/// What an analysis goes by: the limits of decoding-rules.md, and how streams are told apart.
package struct AnalysisOptions: Sendable {
  package var rules = FeedbackRules.standard
  package var requestRules = RequestRules.standard
  package var choice = ProtocolChoice()
  package var gateway = GatewayLimits()

  package init() {}

  package var probe: ContentProbe { ContentProbe(feedback: rules, requests: requestRules) }
}
