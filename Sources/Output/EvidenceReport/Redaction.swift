import APNsWire
import Analysis
import Basics
import Conformance
import PacketCapture

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
    try redaction.redactInputs(&page)
    page.findings.change { $0.examples.change { redaction.redact(&$0) } }
    try redaction.redactRecords(&page)
    redaction.redact(&page.commands)
    for kind in ServiceRequest.Kind.allCases {
      page.summary.requests[kind].replaceTexts { TextMask.masked($0) }
    }
    try page.summary.providerKeys.keys.change {
      $0.id = try $0.id.map { try redaction.pseudonyms.name(of: $0, as: "key") }
      $0.team = try $0.team.map { try redaction.pseudonyms.name(of: $0, as: "team") }
    }
    (page.head.isRedacted, page.head.hasMaskedText) = (true, redaction.hasMasked)
  }

  private mutating func masked(_ text: String) -> String {
    let masked = TextMask.masked(text)
    hasMasked = hasMasked || masked != text
    return masked
  }

  private mutating func mask(_ text: inout String) { text = masked(text) }

  private mutating func mask(_ text: inout String?) { text = text.map { masked($0) } }

  private mutating func redact(_ head: inout ReportHead) {
    mask(&head.title)
    mask(&head.caseName)
    mask(&head.examiner)
    head.note.change { mask(&$0) }
    head.options.change { mask(&$0.value) }
  }

  private mutating func redact(_ commands: inout ReportCommands) {
    for path in [\ReportCommands.report, \.everything, \.audit] { mask(&commands[keyPath: path]) }
    mask(&commands.differences)
    commands.flagged.change { mask(&$0) }
    commands.exports = commands.exports.mapValues { masked($0) }
  }

  // MARK: - Inputs and streams

  private mutating func redactInputs(_ page: inout ReportPage) throws {
    page.inputs.change {
      mask(&$0.source)
      mask(&$0.sameBytesAs)
    }
    page.files.change {
      mask(&$0.source)
      mask(&$0.linkTarget)
      mask(&$0.sameBytesAs)
      mask(&$0.content)
      // The message about a error may quote bytes.
      if [.partial, .unreadable].contains($0.verdict) { $0.reason = nil } else { mask(&$0.reason) }
    }
    try page.streams.change { try redact(&$0) }
  }

  private mutating func redact(_ stream: inout StreamSummary) throws {
    mask(&stream.source)
    stream.client = try stream.client.map(peer)
    stream.server = try stream.server.map(peer)
    guard var encryption = stream.encryption else { return }
    for path in [\StreamEncryption.applicationProtocol, \.keyFile] { mask(&encryption[keyPath: path]) }
    for (path, kind) in [
      (\StreamEncryption.serverName, "host"), (\.serverSubject, "name"), (\.clientSubject, "name"),
      (\.clientUserID, "name"),
    ] {
      encryption[keyPath: path] = try encryption[keyPath: path].map { try pseudonyms.name(of: $0, as: kind) }
    }
    stream.encryption = encryption
  }

  /// `address-0123456789abcdef:2196`: the port stays.
  private func peer(_ text: String) throws -> String {
    let port =
      text.lastIndex(of: ":").flatMap { UInt16(text[$0...].dropFirst()) == nil ? nil : text[$0...] } ?? ""
    return try pseudonyms.name(of: String(text.dropLast(port.count)), as: "address") + port
  }

  // MARK: - Records, and their bytes

  private mutating func redact(_ example: inout FindingExample) {
    mask(&example.finding.source)
    mask(&example.command)
    // The message may quote bytes.
    example.finding.message = .verbatim("")
    example.fileText = nil
    example.bytes.change { $0.bytes.change { if !$0.isOfNoToken { $0.value = nil } } }
  }

  private mutating func redactRecords(_ page: inout ReportPage) throws {
    try page.flaggedRecords.change {
      mask(&$0.location.source)
      try name(&$0.token)
      // It may be bytes of a token.
      $0.time = nil
    }
    for path in [\Invalidations.repeated, \.doubtfulRows] {
      try page.invalidations[keyPath: path].change {
        for path in [\Invalidations.Row.location, \.firstLocation] {
          if let source = $0[keyPath: path]?.source { $0[keyPath: path]?.source = masked(source) }
        }
        $0.token = try pseudonyms.name(ofHex: $0.token)
      }
    }
    try page.tokens.change {
      $0.history.replaceTexts { masked($0) }
      $0.token = try pseudonyms.name(ofHex: $0.token)
    }
    if let name = page.differences?.name { page.differences?.name = masked(name) }
    try page.differences?.rows.change {
      $0.token = try pseudonyms.name(ofHex: $0.token)
      mask(&$0.location.source)
    }
    page.chains.change {
      mask(&$0.location.source)
      // They may be bytes of tokens.
      $0.times = nil
    }
    try page.gateway.responses.change {
      mask(&$0.location.source)
      try name(&$0.token)
      // A response that refers to no request may be other bytes, such as those of a token.
      if $0.requestOffset == nil { ($0.status, $0.identifier) = (nil, nil) }
    }
    page.readers.change {
      mask(&$0.source)
      // The records of a reader have tokens.
      $0.difference = $0.difference.map {
        FirstDifference(record: $0.record, expected: nil, emitted: nil, reason: .verbatim(""))
      }
    }
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
