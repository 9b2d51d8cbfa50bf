import Basics
import PacketCapture
import StreamInputs

/// Reads CSV (RFC 4180) record by record from a file or standard input, in bounded memory.
///
/// Empty lines are skipped. A quote within an unquoted field has no special meaning, as some programs write it.
struct CSVReader: ~Copyable {
  /// The most bytes of a quoted field that continues in another line, and of a line.
  private static let maxLength = LineReader.maxLineLength

  private var lines: LineReader
  private let delimiter: UInt8
  private var line: [UInt8] = []
  /// The fields of the record, joined; where each begins in `text` and in the file.
  private var text: [UInt8] = []
  private var fields: [(start: Int, line: Int, column: Int)] = []
  /// Why the record is invalid, if it is.
  private(set) var error: InputError?

  /// - Parameter argument: a path, or `-` for standard input.
  init(_ argument: String, delimiter: UInt8) throws {
    lines = try LineReader(Input(argument))
    self.delimiter = delimiter
  }

  var count: Int { fields.count }
  /// Those of a header line: some programs write a blank after each delimiter.
  var names: [String] { (0..<count).map { trimmed($0) } }

  /// A field of the record, from 0.
  func field(_ index: Int) -> String {
    let end = index + 1 < count ? fields[index + 1].start : text.count
    return String(decoding: text[fields[index].start..<end], as: UTF8.self)
  }

  /// A field without blanks around it.
  func trimmed(_ index: Int) -> String { String(field(index).trimming { $0 == " " }.drop { $0 == " " }) }

  /// A message of a field, with its line and column (in bytes), from 1.
  func error(_ message: Message, at index: Int) -> InputError {
    InputError(message, line: fields[index].line, column: fields[index].column)
  }

  /// Reads the next record; false at the end of the file.
  /// - Throws: `InputError` if the start of the next record is unknown, or the file cannot be read.
  mutating func next() throws -> Bool {
    text.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    error = nil
    repeat { guard try lines.next(into: &line) else { return false } } while line.isEmpty
    var end = try readField(at: 0)
    while end < line.count {
      guard line[end] == delimiter else {
        error = InputError(
          "expected a delimiter or the line's end after a closing quote: quotes in a field are doubled",
          line: lines.lineNumber, column: end + 1)
        break
      }
      end = try readField(at: end + 1)
    }
    return true
  }

  /// Returns the index after the field.
  private mutating func readField(at start: Int) throws -> Int {
    fields.append((text.count, lines.lineNumber, start + 1))
    if start < line.count, line[start] == Self.quote { return try readQuoted(from: start + 1) }
    let end = line[start...].firstIndex(of: delimiter) ?? line.count
    text += line[start..<end]
    return end
  }

  private static let quote = UInt8(ascii: "\"")

  /// Returns the index after the closing quote, which may be in a later line.
  private mutating func readQuoted(from start: Int) throws -> Int {
    var start = start
    while true {
      let end = line[start...].firstIndex(of: Self.quote) ?? line.count
      text += line[start..<end]
      start = end + 2
      if end == line.count {
        try readLine()
        start = 0
      } else if end + 1 < line.count, line[end + 1] == Self.quote {
        text.append(Self.quote)
      } else {
        return end + 1
      }
    }
  }

  private mutating func readLine() throws {
    guard text.count < Self.maxLength else {
      throw error(
        "the record is longer than \(ByteSize.text(Self.maxLength)): expected one record in each "
          + "line, and a closing quote", at: count - 1)
    }
    guard try lines.next(into: &line) else { throw error("the quote is not closed", at: count - 1) }
    text.append(UInt8(ascii: "\n"))
  }
}
