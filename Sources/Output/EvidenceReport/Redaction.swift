import Analysis
import Messages
import PacketCapture
import Platform

/// The only step that makes a page a redacted one. What collects the page, and what writes it, treat all pages alike.
package struct Redaction {
  private let pseudonyms: Pseudonyms
  /// Whether something was masked in a text.
  private var hasMasked = false

  /// Replaces tokens by pseudonyms, removes bytes that may be part of a token, and masks the texts of the inputs and of
  /// the examiner (decision 33).
  package static func redact(_ page: inout ReportPage, key: [UInt8]) throws {
    var redaction = Redaction(pseudonyms: Pseudonyms(key: key))
    redaction.redact(&page.head)
    redaction.redactInputs(&page)
    page.findings.change { $0.examples.change { redaction.redact(&$0) } }
    try redaction.redactRecords(&page)
    redaction.redact(&page.commands)
    page.summary.pushes.replaceTexts { TextMask.masked($0) }
    (page.head.isRedacted, page.head.hasMaskedText) = (true, redaction.hasMasked)
  }

  private mutating func mask(_ text: inout String) {
    let masked = TextMask.masked(text)
    hasMasked = hasMasked || masked != text
    text = masked
  }

  private mutating func mask(_ text: inout String?) {
    if var known = text {
      mask(&known)
      text = known
    }
  }

  private mutating func redact(_ head: inout ReportHead) {
    mask(&head.title)
    mask(&head.caseName)
    mask(&head.examiner)
    head.note.change { mask(&$0) }
    head.options.change { mask(&$0.value) }
  }

  private mutating func redact(_ commands: inout ReportCommands) {
    for path in [\ReportCommands.report, \.everything, \.audit] { mask(&commands[keyPath: path]) }
    for path in [\ReportCommands.deadTokens, \.doubtful] { commands[keyPath: path].change { mask(&$0) } }
    for (kind, var command) in commands.exports {
      mask(&command)
      commands.exports[kind] = command
    }
  }

  // MARK: - Inputs and streams

  private mutating func redactInputs(_ page: inout ReportPage) {
    page.inputs.change {
      mask(&$0.source)
      mask(&$0.sameBytesAs)
    }
    page.files.change {
      mask(&$0.source)
      mask(&$0.linkTarget)
      mask(&$0.content)
      // The message about a fault may quote bytes.
      if [.partial, .unreadable].contains($0.verdict) { $0.reason = nil } else { mask(&$0.reason) }
    }
    page.streams.change { redact(&$0) }
  }

  private mutating func redact(_ stream: inout StreamSummary) {
    mask(&stream.source)
    if let client = stream.client, !Self.isAddress(client) { mask(&stream.client) }
    if let server = stream.server, !Self.isAddress(server) { mask(&stream.server) }
    guard var encryption = stream.encryption else { return }
    for path in [
      \StreamEncryption.serverName, \.applicationProtocol, \.serverSubject, \.clientSubject, \.clientUserID,
      \.keyFile,
    ] {
      mask(&encryption[keyPath: path])
    }
    stream.encryption = encryption
  }

  /// An address with a port, `192.0.2.1:2196` or `[2001:db8::1]:2196`, is not masked, even if it has many digits.
  private static func isAddress(_ peer: String) -> Bool {
    guard let colon = peer.lastIndex(of: ":"), UInt16(peer[colon...].dropFirst()) != nil else { return false }
    var address = in6_addr()
    let host = String(peer[..<colon])
    return inet_pton(AF_INET, host, &address) == 1
      || host.hasPrefix("[") && inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
  }

  // MARK: - Records, and their bytes

  private mutating func redact(_ example: inout FindingExample) {
    mask(&example.finding.source)
    mask(&example.command)
    // The message may quote bytes.
    example.finding.message = .verbatim("")
    example.bytes.change { $0.bytes.change { if !$0.isOfNoToken { $0.value = nil } } }
  }

  private mutating func redactRecords(_ page: inout ReportPage) throws {
    try page.doubtfulRecords.change {
      mask(&$0.location.source)
      try name(&$0.token)
      // It may be bytes of a token.
      $0.time = nil
    }
    for path in [\Invalidations.rows, \.repeated, \.doubtfulRows] {
      try page.invalidations[keyPath: path].change {
        if var location = $0.location {
          mask(&location.source)
          $0.location = location
        }
        $0.token = try pseudonyms.name(ofHex: $0.token)
      }
    }
    try page.gateway.responses.change {
      mask(&$0.location.source)
      try name(&$0.token)
      // A response that refers to no request may be other bytes, such as those of a token.
      if $0.requestOffset == nil { ($0.status, $0.identifier) = (nil, nil) }
    }
    page.readers.change { redact(&$0.difference) }
  }

  /// The records of a reader have tokens.
  private mutating func redact(_ difference: inout ReaderTotal.Difference?) {
    guard var known = difference else { return }
    mask(&known.source)
    (known.reason, known.expected, known.emitted) = (nil, nil, nil)
    difference = known
  }

  private func name(_ token: inout String?) throws {
    if let digits = token { token = try pseudonyms.name(ofHex: digits) }
  }
}

extension Array {
  fileprivate mutating func change(_ body: (inout Element) throws -> Void) rethrows {
    for index in indices { try body(&self[index]) }
  }
}
