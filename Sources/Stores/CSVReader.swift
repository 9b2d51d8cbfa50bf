import PacketCapture
import Platform
import StreamInputs
import WireBytes

/// Reads CSV (RFC 4180) record by record from a file or standard input, in bounded memory.
///
/// Lines end with LF, CRLF or CR; empty ones are passed over. A quote within a field that does not begin with one stands
/// for itself, as some programs write it.
struct CSVReader: ~Copyable {
  /// The most bytes of a record: its fields and delimiters.
  static let maxRecordLength = 1 << 20

  /// Where a byte stands: line and column (in bytes) from 1.
  struct Place: Equatable {
    var line: Int
    var column: Int
  }

  private enum State {
    case fieldStart
    case plain
    case quoted
    /// Behind a quote in a quoted field: it ends the field, or is the first one of two.
    case quote
    /// In a record that cannot be read, up to the end of its line.
    case passingOver
  }

  private var file: InputFile
  private let delimiter: UInt8
  private var block = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0
  private var filled = 0
  /// Of the next byte.
  private var place = Place(line: 1, column: 1)
  private var isBegun = false
  private var isBehindCR = false

  /// The fields of the record, joined; where each ends in it, and where in the file it begins.
  private var text: [UInt8] = []
  private var ends: [Int] = []
  private var places: [Place] = []
  /// Why the record cannot be read.
  private var defect: InputFault?

  /// - Parameter argument: a path, or `-` for standard input.
  init(_ argument: String, delimiter: UInt8 = UInt8(ascii: ",")) throws {
    file = try InputFile(Input(argument))
    self.delimiter = delimiter
  }

  /// How many fields the record has.
  var count: Int { ends.count }

  /// A field of the record, from 0.
  func field(_ index: Int) -> String {
    String(decoding: text[(index == 0 ? 0 : ends[index - 1])..<ends[index]], as: UTF8.self)
  }

  var fields: [String] {
    var fields: [String] = []
    for index in 0..<count { fields.append(field(index)) }
    return fields
  }

  /// Where a field begins; behind the last one, where the record does.
  func place(of index: Int) -> Place {
    places.indices.contains(index) ? places[index] : places.first ?? place
  }

  /// Goes on to the next record; false at the end of the file.
  /// - Parameter defect: what makes the record unreadable, if anything; the one behind it may be sound.
  /// - Throws: `InputFault` where it is not known where the next record begins, or the file cannot be read.
  mutating func next(defect found: inout InputFault?) throws -> Bool {
    text.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    defect = nil
    defer { found = defect }
    var state = State.fieldStart
    while let byte = try takeByte() {
      if isBehindCR {
        isBehindCR = false
        if byte == UInt8(ascii: "\n") { continue }
      }
      let at = place
      place.column += 1
      if state == .quoted, byte == UInt8(ascii: "\n") { place = Place(line: at.line + 1, column: 1) }
      let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      guard isLineEnd, state != .quoted else {
        state = try take(byte, at: at, in: state)
        continue
      }
      place = Place(line: at.line + 1, column: 1)
      isBehindCR = byte == UInt8(ascii: "\r")
      if state == .fieldStart, ends.isEmpty { continue }
      endField(at: at, in: state)
      return true
    }
    return try finish(in: state)
  }

  /// Takes a byte that ends no line.
  private mutating func take(_ byte: UInt8, at: Place, in state: State) throws(InputFault) -> State {
    if byte == delimiter, state != .quoted, state != .passingOver {
      try checkLength()
      endField(at: at, in: state)
      return .fieldStart
    }
    let isQuote = byte == UInt8(ascii: "\"")
    switch state {
    case .fieldStart, .plain:
      if state == .fieldStart {
        places.append(at)
        if isQuote { return .quoted }
      }
      try append(byte)
      return .plain
    case .quoted:
      if isQuote { return .quote }
      try append(byte)
      return .quoted
    case .quote:
      guard isQuote else {
        defect = InputFault(
          "expected a delimiter or the line's end behind a closing quote: quotes in a field are doubled",
          line: at.line, column: at.column)
        return .passingOver
      }
      try append(byte)
      return .quoted
    case .passingOver:
      return .passingOver
    }
  }

  private mutating func append(_ byte: UInt8) throws(InputFault) {
    try checkLength()
    text.append(byte)
  }

  /// Delimiters count, too: a line may hold nothing else.
  private func checkLength() throws(InputFault) {
    guard text.count + ends.count >= Self.maxRecordLength else { return }
    let field = place(of: places.count - 1)
    throw InputFault(
      "the record is longer than \(ByteSize.text(Self.maxRecordLength)): a line is expected to hold one, and a quote "
        + "to have its end", line: field.line, column: field.column)
  }

  private mutating func endField(at end: Place, in state: State) {
    if state == .fieldStart { places.append(end) }
    ends.append(text.count)
  }

  /// The file's last record may be without an end of its line.
  private mutating func finish(in state: State) throws(InputFault) -> Bool {
    switch state {
    case .fieldStart where ends.isEmpty:
      return false
    case .quoted:
      let quote = place(of: places.count - 1)
      throw InputFault("the quote has no end", line: quote.line, column: quote.column)
    default:
      endField(at: place, in: state)
      return true
    }
  }

  private mutating func takeByte() throws(InputFault) -> UInt8? {
    if start == filled {
      start = 0
      filled = try file.fill(&block, from: 0)
      if !isBegun, block[..<filled].starts(with: [0xef, 0xbb, 0xbf]) { start = 3 }
      isBegun = true
      if start == filled { return nil }
    }
    start += 1
    return block[start - 1]
  }
}
