import PacketCapture

/// What a finding or a flag means, from catalogue.txt.
package struct CatalogueEntry: Equatable, Sendable {
  /// At most some eight words, without a full stop.
  package var title = ""
  /// What happened to the bytes.
  package var cause = ""
  /// What follows for the records and the figures.
  package var meaning = ""
  /// What the reader can do.
  package var remedy = ""
  /// A transcript: lines `$ command`, each with its output.
  package var example = ""
}

/// The entries of catalogue.txt. A test finds a code without an entry.
enum Catalogue {
  static let findings = entries(of: "finding ")
  static let flags = entries(of: "flag ")

  // As bytes: the search of strings compares characters, which took more than all else of a short report.
  private static let paragraphs = PackageResources.catalogue_txt
    .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    .map { Substring(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isEmpty)

  /// The entries of a kind, by the rest of their first line.
  private static func entries(of kind: String) -> [(head: Substring, entry: CatalogueEntry)] {
    paragraphs.compactMap { lines in
      guard let head = lines.first, head.hasPrefix(kind) else { return nil }
      return (head.dropFirst(kind.count), entry(lines.dropFirst()))
    }
  }

  private static func entry(_ lines: ArraySlice<Substring>) -> CatalogueEntry {
    let texts: [String: WritableKeyPath<CatalogueEntry, String>] = [
      "title": \.title, "cause": \.cause, "meaning": \.meaning, "remedy": \.remedy, "example": \.example,
    ]
    var entry = CatalogueEntry()
    var text: WritableKeyPath<CatalogueEntry, String> = \.title
    for line in lines {
      if line.hasPrefix("  ") {
        let separator = text == \.example ? "\n" : " "
        entry[keyPath: text] += (entry[keyPath: text].isEmpty ? "" : separator) + line.dropFirst(2)
      } else if let colon = line.firstIndex(of: ":"), let named = texts[String(line[..<colon])] {
        text = named
        entry[keyPath: text] = String(line[colon...].dropFirst(2))
      }
    }
    return entry
  }
}

/// What a flag on a record means.
package struct FlagEntry: Sendable {
  package var code: String
  /// The kinds of records that can have it.
  package var records: [FlaggedRecord]
  package var entry: CatalogueEntry

  package enum FlaggedRecord: String, CaseIterable, Sendable {
    case feedback, request, response, push, broadcast, channel
  }

  /// All flags, in the order of their codes.
  package static let all = Catalogue.flags.map { head, entry in
    let words = head.split { $0 == ":" || $0 == " " }.map(String.init)
    return FlagEntry(
      code: words.first ?? "", records: words.dropFirst().compactMap(FlaggedRecord.init), entry: entry)
  }.sorted { $0.code < $1.code }

  package static func of(_ code: String) -> FlagEntry? { all.first { $0.code == code } }
}

extension FindingCode {
  /// What the code means, for readers.
  package var entry: CatalogueEntry {
    Catalogue.findings.first { $0.head == rawValue }?.entry ?? CatalogueEntry(title: rawValue)
  }
}
