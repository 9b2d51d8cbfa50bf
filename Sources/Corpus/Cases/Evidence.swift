/// What an export says of a case, in canonical order: what is expected of it, or what was found.
package struct Evidence: Sendable {
  /// The format that is compared, and its version.
  package static let schema = "apnsift/1"

  /// Sorted; the summary is not among them.
  package private(set) var records: [EvidenceRecord] = []
  package private(set) var summary: EvidenceRecord?

  /// NDJSON with its lines and keys in any order. The header may be absent, and so may the summary.
  package init(ndjson bytes: [UInt8]) throws(EvidenceFault) {
    var line = 0
    // Empty lines count: messages give line numbers.
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
      try take(text, line: line)
    }
    records.sort()
  }

  private mutating func take(_ text: ArraySlice<UInt8>, line: Int) throws(EvidenceFault) {
    let object: JSONItem
    do {
      object = try JSONReader.item(of: text)
    } catch {
      throw EvidenceFault(line: line, column: error.offset + 1, message: error.message)
    }
    guard let type = object["type"]?.string else {
      throw EvidenceFault(
        line: line, column: 1, message: "expected an object with a type, found \(object.kind) without one")
    }
    switch type {
    case "header": try check(header: object, line: line)
    case "summary":
      guard summary == nil else {
        throw EvidenceFault(line: line, column: 1, message: "expected one summary, found another")
      }
      summary = EvidenceRecord(object)
    default: records.append(EvidenceRecord(object))
    }
  }

  private func check(header: JSONItem, line: Int) throws(EvidenceFault) {
    guard header["schema"]?.string != Self.schema else { return }
    let found =
      header["schema"].map { String(decoding: $0.bytes(isCanonical: true), as: UTF8.self) } ?? "none"
    throw EvidenceFault(
      line: line, column: 1, message: "expected the schema \"\(Self.schema)\", found \(found)",
      isOtherVersion: true)
  }

  /// As an expectation is written: a header that names the schema alone, the records in order, the summary.
  package var ndjson: [UInt8] {
    var bytes = Array("{\"type\":\"header\",\"schema\":\"\(Self.schema)\"}\n".utf8)
    for record in records + (summary.map { [$0] } ?? []) {
      bytes += record.written
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}

/// Why a text is no evidence.
package struct EvidenceFault: Error, Equatable, Sendable {
  /// Both from 1, the column in bytes.
  package var line: Int
  package var column: Int
  /// What was expected, and what was found.
  package var message: String
  /// The evidence is of another version of the format.
  package var isOtherVersion = false
}
