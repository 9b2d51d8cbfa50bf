import Analysis
import Messages
import PacketCapture
import Reports
import WireBytes

/// Masks text that may be a token in names, titles and remarks, in any common notation of bytes. It masks too much
/// rather than leave part of a token (decision 33).
struct Redaction {
  static let mask = "[masked]"
  /// Hex digits from which on a run may be a token. A date and a time have 14.
  private static let minDigits = 16
  /// Letters and digits from which on a word may be a token in base32 (32 bytes take 52) or in base64.
  private static let minWord = 40
  /// Letters and digits in a window of the base64 test, not counting other characters between them.
  private static let windowLength = 32
  /// Changes of kind (lower case, upper case, digit) between adjacent characters of a window that indicate base64.
  /// Base64 has 19 on average, and less than eight in fewer than one of 100,000 tokens; words, names and dates have up
  /// to seven.
  private static let minChanges = 8

  /// Whether to mask.
  let isActive: Bool
  /// Whether something was masked.
  private(set) var hasMasked = false

  init(isActive: Bool) { self.isActive = isActive }

  mutating func text(_ text: String) -> String {
    guard isActive else { return text }
    let bytes = Array(text.utf8)
    let ranges = Self.merged(Self.hexRuns(bytes) + Self.words(bytes) + Self.mixedWindows(bytes))
    guard !ranges.isEmpty else { return text }
    hasMasked = true
    var masked: [UInt8] = []
    var end = 0
    for range in ranges {
      masked += bytes[end..<range.lowerBound] + Array(Self.mask.utf8)
      end = range.upperBound
    }
    return String(decoding: masked + bytes[end...], as: UTF8.self)
  }

  // MARK: - Hex

  /// Runs of words that consist of hex digits, with any separators, as in `09-fc`, `0x09, 0xfc`, `\x09`, `%09`, or over
  /// several lines; and hex digits within another word.
  private static func hexRuns(_ bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var run = HexRun()
    for word in bytes.indices.split(whereSeparator: { Kind(bytes[$0]) == nil }) {
      if run.append(word, of: bytes) { continue }
      if let range = run.tokenRange { runs.append(range) }
      run = HexRun()
      runs += word.split { Hex.value(ofDigit: bytes[$0]) == nil }.filter { $0.count >= minDigits }
    }
    return runs + [run.tokenRange].compactMap { $0 }
  }

  private struct HexRun {
    private var range: Range<Int>?
    private var digits = 0
    private var hasLetter = false
    /// Whether the words are separated by single punctuation marks or spaces.
    private var isPlain = true

    /// False if the word, without a leading `0x` or `x`, has characters other than hex digits.
    mutating func append(_ word: Range<Int>, of bytes: [UInt8]) -> Bool {
      let isX = { (index: Int) in index < word.upperBound && bytes[index] | 0x20 == UInt8(ascii: "x") }
      let prefix = isX(word.lowerBound) ? 1 : isX(word.lowerBound + 1) ? 2 : 0
      let number = word.dropFirst(prefix)
      guard !number.isEmpty, number.allSatisfy({ Hex.value(ofDigit: bytes[$0]) != nil }) else { return false }
      if let range {
        let gap = bytes[range.upperBound..<word.lowerBound]
        isPlain = isPlain && prefix == 0 && gap.count == 1 && gap.allSatisfy { " -_.:,".utf8.contains($0) }
      }
      range = (range ?? word).lowerBound..<word.upperBound
      digits += number.count
      hasLetter = hasLetter || number.contains { Kind(bytes[$0]) != .digit }
      return true
    }

    /// Its range, if it may be a token. Decimal numbers with longer separators are not.
    var tokenRange: Range<Int>? { digits >= minDigits && (hasLetter || isPlain) ? range : nil }
  }

  // MARK: - Base32 and base64

  private enum Kind: Equatable {
    case small, capital, digit

    /// Nil unless the byte is an ASCII letter or digit.
    init?(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: return nil
      }
    }
  }

  /// Long words with both letters and digits.
  private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
    bytes.indices.split { Kind(bytes[$0]) == nil }.compactMap { word in
      let kinds = bytes[word].compactMap(Kind.init)
      guard word.count >= minWord, kinds.contains(.digit), kinds.contains(where: { $0 != .digit }) else {
        return nil
      }
      return word
    }
  }

  /// Ranges in which lower case, upper case and digits alternate as in base64, in one word or over several. A range is
  /// extended to whole words, except for plain words at its ends.
  private static func mixedWindows(_ bytes: [UInt8]) -> [Range<Int>] {
    let letters = bytes.indices.filter { Kind(bytes[$0]) != nil }
    guard letters.count >= windowLength else { return [] }
    // Running count of letters that directly follow one of another kind.
    var changes = [0]
    for (before, letter) in zip(letters, letters.dropFirst()) {
      let isChange = letter == before + 1 && Kind(bytes[before]) != Kind(bytes[letter])
      changes.append((changes.last ?? 0) + (isChange ? 1 : 0))
    }
    let windows = (0...(letters.count - windowLength)).compactMap { first -> Range<Int>? in
      let last = first + windowLength - 1
      return changes[last] - changes[first] >= minChanges ? letters[first]..<(letters[last] + 1) : nil
    }
    return merged(windows).map { window in
      let start = bytes[..<window.lowerBound].lastIndex { !isOfWord($0) }.map { $0 + 1 } ?? 0
      return trimmed(
        start..<(bytes[window.upperBound...].firstIndex { !isOfWord($0) } ?? bytes.count), of: bytes)
    }
  }

  /// The range without plain words at its ends.
  private static func trimmed(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    let words = range.split { !isOfWord(bytes[$0]) }
    let isMixed = { (word: Range<Int>) in
      let kinds = word.map { Kind(bytes[$0]) }
      return kinds.contains(.digit) || zip(kinds, kinds.dropFirst()).count(where: { $0 != $1 }) > 1
    }
    guard let first = words.first(where: isMixed), let last = words.last(where: isMixed) else { return range }
    return first.lowerBound..<last.upperBound
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { Kind(byte) != nil || "+/=-_".utf8.contains(byte) }

  /// Sorted ranges; adjacent and overlapping ones are merged.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}

/// Masks names and texts; tokens and bytes were already redacted when they were collected.
extension ReportPage {
  package func masked() -> ReportPage {
    var page = self
    var mask = Redaction(isActive: true)
    page.head.title = mask.text(head.title)
    page.head.note = head.note.map { mask.text($0) }
    page.head.caseName = head.caseName.map { mask.text($0) }
    page.head.examiner = head.examiner.map { mask.text($0) }
    for index in head.options.indices {
      page.head.options[index].value = mask.text(head.options[index].text)
    }
    for index in inputs.indices {
      page.inputs[index].source = mask.text(inputs[index].source)
      page.inputs[index].sameBytesAs = inputs[index].sameBytesAs.map { mask.text($0) }
    }
    for index in files.indices {
      page.files[index].source = mask.text(files[index].source)
      // The message about a fault may quote bytes.
      if [.partial, .unreadable].contains(files[index].verdict) { page.files[index].reason = nil }
    }
    for index in streams.indices { page.streams[index].mask(&mask) }
    for index in findings.indices {
      page.findings[index].examples = findings[index].examples.map { $0.masked(&mask) }
    }
    for index in gateway.responses.indices {
      page.gateway.responses[index].source = mask.text(gateway.responses[index].source)
    }
    for index in readers.indices {
      if let source = readers[index].difference?.source {
        page.readers[index].difference?.source = mask.text(source)
      }
    }
    for index in doubtfulRecords.indices { page.doubtfulRecords[index].location.mask(&mask) }
    page.invalidations.mask(&mask)
    page.commands.mask(&mask)
    page.head.hasMaskedText = mask.hasMasked
    return page
  }
}

extension RecordLocation {
  fileprivate mutating func mask(_ mask: inout Redaction) { source = mask.text(source) }
}

extension Invalidations {
  fileprivate mutating func mask(_ mask: inout Redaction) {
    for path in [\Invalidations.rows, \.repeated, \.doubtfulRows] {
      for index in self[keyPath: path].indices { self[keyPath: path][index].location?.mask(&mask) }
    }
  }
}

extension StreamSummary {
  fileprivate mutating func mask(_ mask: inout Redaction) {
    source = mask.text(source)
    client = client.map { Self.isAddress($0) ? $0 : mask.text($0) }
    server = server.map { Self.isAddress($0) ? $0 : mask.text($0) }
    for path in [
      \StreamEncryption.serverName, \.serverSubject, \.clientSubject, \.clientUserID, \.keyFile,
    ] {
      if let text = encryption?[keyPath: path] { encryption?[keyPath: path] = mask.text(text) }
    }
  }

  /// An address is not masked, even if it has many digits.
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

extension FindingExample {
  fileprivate func masked(_ mask: inout Redaction) -> FindingExample {
    var finding = finding
    finding.source = mask.text(finding.source)
    // The message may quote bytes.
    finding.message = .verbatim("")
    return FindingExample(finding, window: window, command: command.map { mask.text($0) })
  }
}

extension ReportCommands {
  fileprivate mutating func mask(_ mask: inout Redaction) {
    for path in [
      \ReportCommands.streams, \.findings, \.records, \.responses, \.requests, \.resend, \.pushes,
      \.resendPushes, \.audit, \.report, \.everything, \.files,
    ] {
      self[keyPath: path] = mask.text(self[keyPath: path])
    }
    deadTokens = deadTokens.map { mask.text($0) }
    doubtful = doubtful.map { mask.text($0) }
  }
}
