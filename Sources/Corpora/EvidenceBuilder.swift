import JSON

/// Makes evidence of NDJSON that comes in pieces. The text itself is not kept, only what is compared of it.
package struct EvidenceBuilder {
  /// Bytes that a record takes beside its text: what it is sorted by, twice while an array grows, and its share in
  /// sorting.
  package static let indexCost = 100
  /// A longer line is a fault. The longest that exports write are summaries of thousands of inputs.
  package static let maxLine = 8 << 20

  /// Bytes that may be taken.
  private let limit: Int
  private var cost = 0
  private var text = EvidenceText()
  private var names = EvidenceNames()
  private var entries: [Evidence.Entry] = []
  private var summary: EvidenceRecord?
  /// Lines so far. Empty ones count: messages give line numbers.
  private var line = 0
  /// The beginning of a line whose end has not come yet.
  private var rest: [UInt8] = []

  /// - Parameter limit: bytes of memory that the evidence may take.
  package init(limit: Int) { self.limit = limit }

  /// Takes the next bytes of the text.
  package mutating func add(_ bytes: [UInt8]) throws(EvidenceFault) {
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      try addToLine(bytes[start..<end])
      try endLine()
      start = end + 1
    }
    try addToLine(bytes[start...])
  }

  /// What came, in order. Nothing may be added behind it.
  package consuming func finish() throws(EvidenceFault) -> Evidence {
    if !rest.isEmpty { try endLine() }
    return Evidence(text, names, entries: entries, summary: summary)
  }

  // MARK: - Lines

  private mutating func addToLine(_ bytes: ArraySlice<UInt8>) throws(EvidenceFault) {
    guard rest.count + bytes.count <= Self.maxLine else {
      throw EvidenceFault(
        line: line + 1, column: 1,
        message: "expected a line of at most \(Self.maxLine >> 20) MiB, found a longer one"
      )
    }
    rest += bytes
  }

  private mutating func endLine() throws(EvidenceFault) {
    line += 1
    if !rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { try takeLine() }
    rest.removeAll(keepingCapacity: true)
  }

  private mutating func takeLine() throws(EvidenceFault) {
    let object: JSONValue
    do {
      object = try JSONReader.value(of: rest[...])
    } catch {
      throw EvidenceFault(line: line, column: error.offset + 1, message: error.message)
    }
    guard let type = object["type"]?.stringValue else {
      throw EvidenceFault(
        line: line, column: 1, message: "expected an object with a type, found \(object.kind) without one")
    }
    switch type {
    case "header": try check(header: object)
    case "summary":
      guard summary == nil else {
        throw EvidenceFault(line: line, column: 1, message: "expected one summary, found another")
      }
      let record = EvidenceRecord(object)
      try pay(record.written.count + record.canonical.count)
      summary = record
    default: try add(object)
    }
  }

  private func check(header: JSONValue) throws(EvidenceFault) {
    guard header["schema"]?.stringValue != Evidence.schema else { return }
    let found = header["schema"]?.canonical.text ?? "none"
    throw EvidenceFault(
      line: line, column: 1, message: "expected the schema \"\(Evidence.schema)\", found \(found)",
      isOtherVersion: true)
  }

  // MARK: - Records

  private mutating func add(_ object: JSONValue) throws(EvidenceFault) {
    let written = EvidenceRecord.written(object)
    try pay(written.count + Self.indexCost)
    let place = EvidenceRecord.Place(object)
    entries.append(
      Evidence.Entry(
        line: text.append(written), source: try number(of: place.source),
        direction: try number(of: place.direction), type: try number(of: place.type), stream: place.stream,
        offset: place.offset))
  }

  private mutating func number(of name: [UInt8]) throws(EvidenceFault) -> Int32 {
    let (number, isNew) = names.number(of: name)
    if isNew { try pay(name.count + Self.indexCost) }
    return number
  }

  private mutating func pay(_ bytes: Int) throws(EvidenceFault) {
    cost += bytes
    guard cost <= limit else {
      throw EvidenceFault(
        line: line, column: 1,
        message: "expected records that take at most \(limit >> 20) MiB of memory, found more",
        isTooMuch: true)
    }
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
  /// It takes more memory than it may.
  package var isTooMuch = false
}
