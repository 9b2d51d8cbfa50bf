import Basics
import PacketCapture
import StreamInputs

/// Reads the list of a dry run (`replay --dry-run -o`), also as a spreadsheet saves it: with other separators, and
/// columns in any order.
enum ReviewedList {
  private static let columns = ["token", "key", "outcome", "invalidated_at"]

  /// The rows of lists; nil if no input is one.
  /// - Throws: a `CommandError` if some inputs are lists and others are not, or a list has a line that is no row.
  static func rows(of inputs: [Input]) throws -> ListedRows? {
    let lists = inputs.map { (input: $0, delimiter: delimiter(of: $0.name)) }
    guard let list = lists.first(where: { $0.delimiter != nil }) else { return nil }
    if let other = lists.first(where: { $0.delimiter == nil }) {
      throw CommandError(
        "\(list.input.name) is the list of a dry run, \(other.input.name) is not: replay the list alone, because it "
          + "says which rows may change")
    }
    let rows = ListedRows()
    for case (let input, let delimiter?) in lists { try read(input.name, delimiter, into: rows) }
    return rows
  }

  /// The separator of a list; nil for a file of another kind.
  private static func delimiter(of path: String) -> UInt8? {
    guard path.lowercased().hasSuffix(".csv") else { return nil }
    return separators.first { separator in
      guard var reader = try? CSVReader(path, delimiter: separator), (try? reader.next()) ?? false,
        reader.error == nil
      else { return false }
      return columns.allSatisfy(reader.names.contains)
    }
  }

  private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  private static func read(_ path: String, _ delimiter: UInt8, into rows: ListedRows) throws {
    do {
      var reader = try CSVReader(path, delimiter: delimiter)
      _ = try reader.next()
      let names = reader.names
      guard let token = names.firstIndex(of: "token"), let key = names.firstIndex(of: "key"),
        let invalidated = names.firstIndex(of: "invalidated_at")
      else { return }
      var isEmpty = true
      while try reader.next() {
        isEmpty = false
        if let error = reader.error { throw error }
        guard max(token, key) < reader.count, let bytes = TokenText.bytes(reader.field(token)) else {
          throw reader.error("expected a row of a dry run's list, with a token in hex", at: 0)
        }
        let time = invalidated < reader.count ? DateAndTime(reader.field(invalidated))?.time(in: nil) : nil
        rows.add(bytes, key: reader.field(key), at: time.flatMap { $0.milliseconds > 0 ? $0 : nil })
      }
      if isEmpty { throw CommandError("\(path): the list has no rows; nothing was replayed") }
    } catch let error as InputError { throw CommandError("\(path): \(error.located); nothing was replayed") }
  }
}

extension ListedRows {
  /// How many rows are named.
  private static let named = 5

  /// Says what was not changed, and why.
  func sayDifferences() {
    let left = left
    if !left.isEmpty {
      let rows = left.prefix(Self.named).map { row in
        let key = row.key.isEmpty ? "" : ", row \(VisibleText.of(row.key))"
        return "\(Hex.string(row.token))\(key) (\(row.reason))"
      }
      Console.note(
        "\(Count.of(left.count, "row")) of the list \(left.count == 1 ? "is" : "are") not changed, because the rule "
          + "says otherwise now: \(rows.joined(separator: ", "))\(left.count > Self.named ? ", …" : "")")
    }
    if others > 0 {
      Console.note(
        "\(Count.of(others, "row")) of the same tokens \(others == 1 ? "is" : "are") not in the list and not changed"
      )
    }
  }
}
