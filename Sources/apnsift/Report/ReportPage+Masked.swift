import Analysis
import Reports

/// What a redacted report leaves out of names and words; tokens and bytes were left out when they were gathered.
extension ReportPage {
  func masked() -> ReportPage {
    var page = self
    var mask = TextMask(isActive: true)
    page.head.title = mask.text(head.title)
    page.head.note = head.note.map { mask.text($0) }
    page.head.madeBy = head.madeBy.map { mask.text($0) }
    page.head.options = head.options.map { option in
      ReportHead.Option(option.name, mask.text(option.value), isDefault: option.isDefault)
    }
    for index in inputs.indices {
      page.inputs[index].source = mask.text(inputs[index].source)
      page.inputs[index].sameBytesAs = inputs[index].sameBytesAs.map { mask.text($0) }
    }
    for index in streams.indices { page.streams[index].mask(&mask) }
    for index in findings.indices {
      page.findings[index].places = findings[index].places.map { $0.masked(&mask) }
    }
    for index in gateway.responses.indices {
      page.gateway.responses[index].source = mask.text(gateway.responses[index].source)
    }
    for index in readers.indices {
      if let source = readers[index].difference?.source {
        page.readers[index].difference?.source = mask.text(source)
      }
    }
    page.commands.mask(&mask)
    page.head.hasMaskedText = mask.hasMasked
    return page
  }
}

extension StreamSummary {
  fileprivate mutating func mask(_ mask: inout TextMask) {
    source = mask.text(source)
    client = client.map { Self.isAddress($0) ? $0 : mask.text($0) }
    server = server.map { Self.isAddress($0) ? $0 : mask.text($0) }
  }

  /// An address is no token, however many digits it has.
  private static func isAddress(_ peer: String) -> Bool { isIPv4(peer) || isIPv6(peer) }

  /// `192.0.2.1:2196`.
  private static func isIPv4(_ peer: String) -> Bool {
    let parts = peer.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
      && UInt16(parts[1]) != nil
  }

  /// `[2001:db8::1]:2196`.
  private static func isIPv6(_ peer: String) -> Bool {
    guard peer.hasPrefix("["), let end = peer.firstIndex(of: "]") else { return false }
    let groups = peer[..<end].dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    return (3...8).contains(groups.count) && groups.allSatisfy { $0.count <= 4 }
  }
}

extension FoundPlace {
  fileprivate func masked(_ mask: inout TextMask) -> FoundPlace {
    var finding = finding
    finding.source = mask.text(finding.source)
    // It may quote bytes, in hex, in decimal or as text.
    finding.message = ""
    return FoundPlace(finding, window: window, command: command.map { mask.text($0) })
  }
}

extension ReportCommands {
  fileprivate mutating func mask(_ mask: inout TextMask) {
    for path in [
      \ReportCommands.streams, \.findings, \.records, \.responses, \.requests, \.resend, \.audit,
    ] {
      self[keyPath: path] = mask.text(self[keyPath: path])
    }
    deadTokens = deadTokens.map { mask.text($0) }
  }
}
