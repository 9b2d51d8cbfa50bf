import Analysis
import PacketCapture

/// A column of CSV and Arrow, and a member of JSON records. columns.txt has its type and meaning.
protocol RecordColumn: CaseIterable, Equatable, Sendable {}

extension RecordColumn {
  /// `file_offset` of the case `fileOffset`.
  var name: String {
    var name = ""
    for character in "\(self)" {
      if character.isUppercase, name.last?.isUppercase == false { name += "_" }
      name.append(character)
    }
    return name.lowercased()
  }

  /// The columns of these names.
  static func columns(_ names: [String]) -> [Self] {
    names.compactMap { name in allCases.first { $0.name == name } }
  }
}

/// What a row of a kind of record is made of.
protocol TableRow {
  /// All columns of the kind, in their order.
  associatedtype Column: RecordColumn
  /// Upper bound of a row's texts, in bytes, if each column occurs once.
  var textBound: Int { get }
  /// Writes the value of a column.
  func put(_ column: Column, to row: inout RowCursor)
}

/// A row of a record of a stream.
protocol LocatedRow: TableRow {
  var labels: StreamLabels { get }
  var direction: Direction { get }
  var offset: Int { get }
  var fileOffset: Int { get }
  var packet: PacketReference? { get }
}
