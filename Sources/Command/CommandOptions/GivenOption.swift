import Basics
import EvidenceReport

/// An option for reading inputs with its value, as both reports have it: a member of the options in JSON, and lines of the page.
struct GivenOption {
  /// Nil if only the page has it.
  var member: (name: String, value: JSONValue)?
  var lines: [ReportOption]

  /// An option that may be left out, or has `standard` for its default.
  init(_ name: String, _ value: String?, standard: String? = nil) {
    member = (Self.member(name), JSONValue(value))
    lines = [ReportOption(name, value ?? "none", isDefault: value == standard)]
  }

  init(_ name: String, isGiven: Bool, affectsResults: Bool = true) {
    member = (Self.member(name), .bool(isGiven))
    lines = [ReportOption(name, isDefault: !isGiven, affectsResults: affectsResults)]
  }

  /// A repeatable option with the names of files.
  init(_ name: String, files: [String], member: String? = nil) {
    self.member = (member ?? Self.member(name), .array(files.map { .string($0) }))
    lines =
      files.isEmpty
      ? [ReportOption(name, "none", isDefault: true)]
      : files.map { ReportOption(name, $0, isDefault: false) }
  }

  init(_ name: String, ports: Set<UInt16>, isDefault: Bool) {
    let ports = ports.sorted()
    member = (Self.member(name) + "s", .array(ports.map { .int(Int($0)) }))
    lines = [
      ReportOption(name, ports.map { String($0) }.joined(separator: ", "), isDefault: isDefault)
    ]
  }

  /// - Parameter effective: the value that is used, as JSON.
  init(_ name: String, _ given: any LimitArgument, standard: String, effective: JSONValue) {
    let text = given.defaultValueDescription
    member = (Self.member(name), effective)
    lines = [ReportOption(name, text, isDefault: text == standard)]
  }

  /// `--log-zone` is the member `log_zone`.
  private static func member(_ name: String) -> String {
    String(name.dropFirst(2)).replacing("-", with: "_")
  }
}

extension InputOptions {
  /// The options that change answers, for reports.
  package var reported: JSONValue { .object(given.compactMap(\.member)) }

  /// The same as lines, and those that only the page has.
  package var listed: [ReportOption] { given.flatMap(\.lines) }

  /// All options for reading inputs, in the order of reports.
  private var given: [GivenOption] {
    var effective = self
    effective.limits.maxTokenLength = rules.longestToken
    func limits(_ limits: [Limit]) -> [GivenOption] {
      limits.map {
        GivenOption(
          $0.option, $0.given(self), standard: $0.standardText, effective: $0.given(effective).reported)
      }
    }
    let ports = protocolChoice
    var passphrase = GivenOption("--passphrase-file", decryption.passphraseFile)
    passphrase.member = nil
    var embedded = GivenOption("--no-embedded-keys", isGiven: decryption.noEmbeddedKeys)
    embedded.member = ("embedded_keys", .bool(!decryption.noEmbeddedKeys))
    var decrypts = GivenOption("--no-decrypt", isGiven: decryption.noDecrypt)
    decrypts.member = ("decrypt", .bool(!decryption.noDecrypt))
    return [
      GivenOption("--from", from.name, standard: FromArgument.auto.name),
      GivenOption("--map", map.text.isEmpty ? nil : map.text),
      GivenOption("--forms", forms?.path),
      GivenOption("--line-pattern", linePattern?.text),
      GivenOption("--log-zone", logZone?.name),
      GivenOption("--protocol", streamProtocol.rawValue, standard: ProtocolArgument.auto.rawValue),
    ] + limits(Limit.ofContents) + [
      GivenOption("--strict", isGiven: strict, affectsResults: false),
      GivenOption("--feedback-port", ports: ports.feedbackPorts, isDefault: capture.feedbackPort.isEmpty),
      GivenOption("--gateway-port", ports: ports.gatewayPorts, isDefault: capture.gatewayPort.isEmpty),
      GivenOption("--filter", capture.filter),
      GivenOption("--join", isGiven: capture.join),
    ] + limits(Limit.ofCaptures) + [
      GivenOption("--keys", files: decryption.keys),
      GivenOption("--rsa-key", files: decryption.rsaKey, member: "rsa_keys"),
      passphrase,
      GivenOption("--psk", files: decryption.psk),
      embedded, decrypts,
    ] + (knownHashes.isEmpty ? [] : [GivenOption("--known-hashes", files: knownHashes)])
  }
}
