import APNsWire
import Analysis
import Basics

/// A column of CSV and Arrow, and a member of JSON records. columns.txt has its type and meaning.
protocol RecordColumn: RawRepresentable<String>, CaseIterable, Sendable {}

extension RecordColumn {
  /// `file_offset` of the case `fileOffset`.
  var name: String {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    var (name, before): ([UInt8], UInt8) = ([], capitals.lowerBound)
    for byte in rawValue.utf8 {
      if capitals.contains(byte), !capitals.contains(before) { name.append(UInt8(ascii: "_")) }
      name.append(capitals.contains(byte) ? byte | 0x20 : byte)
      before = byte
    }
    return String(decoding: name, as: UTF8.self)
  }

  static func columns(_ names: [String]) -> [Self] {
    names.compactMap { name in allCases.first { $0.name == name } }
  }
}

/// Words that determine the values of columns. The first is the address of an object, or 0.
typealias RowShape = SIMD8<UInt64>

/// What a row of a kind of record is made of.
protocol TableRow {
  /// All columns of the kind, in their order.
  associatedtype Column: RecordColumn
  /// Upper bound of a row's texts, in bytes, if each column occurs once.
  var textBound: Int { get }
  /// The part of it that may differ in a row like this one.
  var ownBound: Int { get }
  func put(_ column: Column, to row: inout RowCursor)
  /// The index of the word of `shape` that alone determines the value of the column; nil if none does.
  func word(of column: Column) -> Int?
  var shape: RowShape { get }
  /// The object whose address is in `shape`.
  var owner: AnyObject? { get }
}

extension TableRow {
  var ownBound: Int { textBound }
  func word(of _: Column) -> Int? { nil }
  var shape: RowShape { RowShape() }
  var owner: AnyObject? { nil }
}

/// A row of a record of a stream.
protocol LocatedRow: TableRow {
  var labels: StreamLabels { get }
  var direction: Direction { get }
  var offset: Int { get }
  var fileOffset: Int { get }
  var packet: PacketReference? { get }
}
