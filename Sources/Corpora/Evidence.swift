/// What an export says of a case, in canonical order: what is expected of it, or what was found.
///
/// Memory: the text, and some 100 bytes for each record (`EvidenceBuilder.indexCost`).
package struct Evidence: Sendable {
  /// The format that is compared, and its version.
  package static let schema = "apnsift/1"

  /// A record: its line, and what it is sorted by.
  struct Entry: Sendable {
    var line: EvidenceText.Line
    /// Names by their numbers; what is absent is an empty name, or -1.
    var source: Int32
    var direction: Int32
    var type: Int32
    var stream: Int
    var offset: Int
  }

  private let text: EvidenceText
  private let names: EvidenceNames
  /// Sorted; the summary is not among them.
  private let entries: [Entry]
  package let summary: EvidenceRecord?

  /// - Parameter entries: in any order.
  init(_ text: EvidenceText, _ names: EvidenceNames, entries: [Entry], summary: EvidenceRecord?) {
    (self.text, self.names, self.summary) = (text, names, summary)
    var entries = entries
    entries.sort { Self.precedes($0, $1, names) }
    Self.sortPlaces(of: &entries, text, names)
    self.entries = entries
  }

  /// NDJSON with its lines and keys in any order. The header may be absent, and so may the summary.
  package init(ndjson bytes: [UInt8]) throws(EvidenceFault) {
    var builder = EvidenceBuilder(limit: .max)
    try builder.add(bytes)
    self = try builder.finish()
  }

  /// How many records there are.
  package var count: Int { entries.count }

  package func record(at index: Int) -> EvidenceRecord { EvidenceRecord(written: written(at: index)) }

  /// A record as it is written.
  func written(at index: Int) -> ArraySlice<UInt8> { text[entries[index].line] }

  func place(at index: Int) -> EvidenceRecord.Place {
    let entry = entries[index]
    return EvidenceRecord.Place(
      source: names[entry.source], stream: entry.stream, direction: names[entry.direction],
      offset: entry.offset, type: names[entry.type])
  }

  /// The index behind the records that have the same place as one.
  func endOfPlace(at index: Int) -> Int { Self.endOfPlace(at: index, of: entries) }

  /// As an expectation is written: a header that names the schema alone, the records in order, the summary.
  package func write(_ take: (ArraySlice<UInt8>) throws -> Void) rethrows {
    try take(Array("{\"type\":\"header\",\"schema\":\"\(Self.schema)\"}\n".utf8)[...])
    for index in 0..<count { try take(written(at: index) + [UInt8(ascii: "\n")]) }
    if let summary { try take(summary.written[...] + [UInt8(ascii: "\n")]) }
  }

  /// The same, in one piece.
  package var ndjson: [UInt8] {
    var bytes: [UInt8] = []
    write { bytes += $0 }
    return bytes
  }
}

// MARK: - Order

extension Evidence {
  /// The order of `EvidenceRecord.Place`.
  private static func precedes(_ left: Entry, _ right: Entry, _ names: EvidenceNames) -> Bool {
    if let isBefore = names.precedes(left.source, right.source) { return isBefore }
    if left.stream != right.stream { return left.stream < right.stream }
    if let isBefore = names.precedes(left.direction, right.direction) { return isBefore }
    if left.offset != right.offset { return left.offset < right.offset }
    return names.precedes(left.type, right.type) ?? false
  }

  private static func endOfPlace(at index: Int, of entries: [Entry]) -> Int {
    let first = entries[index]
    var end = index + 1
    while end < entries.count, entries[end].isAtPlace(of: first) { end += 1 }
    return end
  }

  /// Sorts the records of each place by what they say. Most places have one.
  private static func sortPlaces(
    of entries: inout [Entry], _ text: EvidenceText, _ names: EvidenceNames
  ) {
    var start = 0
    while start < entries.count {
      let end = endOfPlace(at: start, of: entries)
      if end - start > 1 {
        let here = entries[start..<end].map { ($0, EvidenceRecord(written: text[$0.line]).canonical) }
        let sorted = here.sorted { $0.1.lexicographicallyPrecedes($1.1) }
        entries.replaceSubrange(start..<end, with: sorted.map(\.0))
      }
      start = end
    }
  }
}

extension Evidence.Entry {
  fileprivate func isAtPlace(of other: Self) -> Bool {
    offset == other.offset && stream == other.stream && source == other.source
      && direction == other.direction && type == other.type
  }
}

/// Lines, one behind another. They lie in blocks, so that a text that grows is never copied and takes little more than
/// its length.
struct EvidenceText: Sendable {
  /// Where a line lies.
  struct Line: Sendable {
    fileprivate var block: Int32
    /// In bytes from the beginning of the block.
    fileprivate var start: Int32
    fileprivate var length: Int32
  }

  /// Bytes of a block; a longer line has one of its own.
  private static let blockSize = 1 << 20

  private var blocks: [[UInt8]] = []

  /// - Parameter line: of at most `EvidenceBuilder.maxLine` bytes.
  mutating func append(_ line: [UInt8]) -> Line {
    if blocks.last.map({ $0.capacity - $0.count < line.count }) ?? true {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(max(Self.blockSize, line.count))
    }
    let last = blocks.count - 1
    let start = blocks[last].count
    blocks[last].append(contentsOf: line)
    return Line(
      block: Int32(clamping: last), start: Int32(clamping: start), length: Int32(clamping: line.count))
  }

  subscript(line: Line) -> ArraySlice<UInt8> {
    let start = Int(line.start)
    return blocks[Int(line.block)][start..<(start + Int(line.length))]
  }
}

/// Texts that many records share, such as their sources, each kept once.
struct EvidenceNames: Sendable {
  private var names: [[UInt8]] = []
  private var numbers: [[UInt8]: Int32] = [:]

  /// The number of a name, and whether it is new.
  mutating func number(of name: [UInt8]) -> (number: Int32, isNew: Bool) {
    if let known = numbers[name] { return (known, false) }
    let number = Int32(clamping: names.count)
    names.append(name)
    numbers[name] = number
    return (number, true)
  }

  subscript(number: Int32) -> [UInt8] { names[Int(number)] }

  /// Whether one comes before the other in the order of their bytes; nil where they are the same.
  func precedes(_ left: Int32, _ right: Int32) -> Bool? {
    left == right ? nil : self[left].lexicographicallyPrecedes(self[right])
  }
}
