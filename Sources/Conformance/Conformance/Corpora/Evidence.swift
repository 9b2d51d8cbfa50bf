import Basics
import Reports

/// The output of an export in canonical order: the expectation of a case, or its result.
package struct Evidence: Sendable {
  /// Sorted, without the summary.
  package let records: [EvidenceRecord]
  package let summary: EvidenceRecord?

  /// Parses NDJSON with lines and keys in any order. The header and the summary are optional.
  package init(ndjson bytes: [UInt8]) throws(EvidenceError) {
    var records: [EvidenceRecord] = []
    var summary: EvidenceRecord?
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (line, text) in zip(1..., lines) where !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
      let object = try Self.object(text, line)
      switch object["type"]?.stringValue {
      case nil: throw EvidenceError(line, "expected an object with a type, found \(object.kind) without one")
      case "header": try Self.check(header: object, line)
      case "summary":
        guard summary == nil else { throw EvidenceError(line, "expected one summary, found another") }
        summary = EvidenceRecord(object)
      default: records.append(EvidenceRecord(object))
      }
    }
    self.records = records.sorted()
    self.summary = summary
  }

  private static func object(_ text: ArraySlice<UInt8>, _ line: Int) throws(EvidenceError) -> JSONValue {
    do {
      return try JSONReader.value(of: text)
    } catch {
      throw EvidenceError(line, column: error.offset + 1, error.message)
    }
  }

  private static func check(header: JSONValue, _ line: Int) throws(EvidenceError) {
    let schema = EvidenceObjects.schema
    guard header["schema"]?.stringValue != schema else { return }
    let found = header["schema"]?.canonical.text ?? "none"
    throw EvidenceError(line, "expected the schema \"\(schema)\", found \(found)", isOtherVersion: true)
  }

  /// The form for an expectation: a header with only the schema, the records in order, the summary.
  package var ndjson: [UInt8] {
    let header = Array("{\"type\":\"header\",\"schema\":\"\(EvidenceObjects.schema)\"}".utf8)
    let lines = [header] + (records + [summary].compactMap { $0 }).map(\.written)
    return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
  }
}

/// An error in the NDJSON of an expectation or a result.
package struct EvidenceError: Error, Equatable, Sendable {
  /// Both from 1, the column in bytes.
  package let line: Int
  package let column: Int
  package let message: Message
  /// The text is in another version of the format.
  package let isOtherVersion: Bool

  init(_ line: Int, column: Int = 1, _ message: Message, isOtherVersion: Bool = false) {
    (self.line, self.column, self.message, self.isOtherVersion) = (line, column, message, isOtherVersion)
  }
}
