import Basics
import PacketCapture
import StreamInputs

/// Reads CSV (RFC 4180) record by record from a file or standard input, in bounded memory.
///
/// Lines end with LF, CRLF or CR; empty ones are skipped. A quote within an unquoted field has no special meaning, as
/// some programs write it.
struct CSVReader: ~Copyable {
  /// The most bytes of a record: its fields and delimiters.
  static let maxRecordLength = 1 << 20

  /// Line and column (in bytes) from 1.
  struct Position: Equatable {
    var line: Int
    var column: Int
  }

  private enum State {
    case fieldStart
    case plain
    case quoted
    /// After a quote in a quoted field: it ends the field, or is the first of two.
    case quote
    /// In an invalid record, up to the end of its line.
    case skipping
  }

  private var file: InputFile
  private let delimiter: UInt8
  private var block = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0
  private var filled = 0
  /// Of the next byte.
  private var position = Position(line: 1, column: 1)
  private var isBegun = false
  private var isAfterCR = false

  /// The fields of the record, joined; the end of each in `text`, and its position in the file.
  private var text: [UInt8] = []
  private var ends: [Int] = []
  private var positions: [Position] = []
  /// Why the record is invalid.
  private var defect: InputFault?

  /// - Parameter argument: a path, or `-` for standard input.
  init(_ argument: String, delimiter: UInt8 = UInt8(ascii: ",")) throws {
    file = try InputFile(Input(argument))
    self.delimiter = delimiter
  }

  /// The number of fields of the record.
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

  /// The position of a field; after the last one, that of the record.
  func position(of index: Int) -> Position {
    positions.indices.contains(index) ? positions[index] : positions.first ?? position
  }

  /// Reads the next record; false at the end of the file.
  /// - Parameter defect: why the record is invalid, if it is; the next one may be valid.
  /// - Throws: `InputFault` if the start of the next record is unknown, or the file cannot be read.
  mutating func next(defect found: inout InputFault?) throws -> Bool {
    text.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    defect = nil
    defer { found = defect }
    var state = State.fieldStart
    while let byte = try takeByte() {
      if isAfterCR {
        isAfterCR = false
        if byte == UInt8(ascii: "\n") { continue }
      }
      let at = position
      position.column += 1
      if state == .quoted, byte == UInt8(ascii: "\n") { position = Position(line: at.line + 1, column: 1) }
      let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      guard isLineEnd, state != .quoted else {
        state = try take(byte, at: at, in: state)
        continue
      }
      position = Position(line: at.line + 1, column: 1)
      isAfterCR = byte == UInt8(ascii: "\r")
      if state == .fieldStart, ends.isEmpty { continue }
      endField(at: at, in: state)
      return true
    }
    return try finish(in: state)
  }

  /// Processes a byte within a line.
  private mutating func take(_ byte: UInt8, at: Position, in state: State) throws(InputFault) -> State {
    if byte == delimiter, state != .quoted, state != .skipping {
      try checkLength()
      endField(at: at, in: state)
      return .fieldStart
    }
    let isQuote = byte == UInt8(ascii: "\"")
    switch state {
    case .fieldStart, .plain:
      if state == .fieldStart {
        positions.append(at)
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
          "expected a delimiter or the line's end after a closing quote: quotes in a field are doubled",
          line: at.line, column: at.column)
        return .skipping
      }
      try append(byte)
      return .quoted
    case .skipping:
      return .skipping
    }
  }

  private mutating func append(_ byte: UInt8) throws(InputFault) {
    try checkLength()
    text.append(byte)
  }

  /// Delimiters count, too: a line may have nothing else.
  private func checkLength() throws(InputFault) {
    guard text.count + ends.count >= Self.maxRecordLength else { return }
    let field = position(of: positions.count - 1)
    throw InputFault(
      "the record is longer than \(ByteSize.text(Self.maxRecordLength)): expected one record in each "
        + "line, and a closing quote", line: field.line, column: field.column)
  }

  private mutating func endField(at end: Position, in state: State) {
    if state == .fieldStart { positions.append(end) }
    ends.append(text.count)
  }

  /// The last line may lack its line end.
  private mutating func finish(in state: State) throws(InputFault) -> Bool {
    switch state {
    case .fieldStart where ends.isEmpty:
      return false
    case .quoted:
      let quote = position(of: positions.count - 1)
      throw InputFault("the quote is not closed", line: quote.line, column: quote.column)
    default:
      endField(at: position, in: state)
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
