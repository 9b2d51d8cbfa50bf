/// A value on its way into a database or out of it.
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  /// SQLite alone has values of this kind in columns that are taken as they are.
  case real(Double)
  case text(String)
  case bytes([UInt8])

  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  package var bytes: [UInt8]? {
    if case .bytes(let value) = self { value } else { nil }
  }
}

/// What one database calls otherwise than the other, in statements that mean the same.
package struct SQLWords: Sendable {
  /// Types of columns.
  package var bytes: String
  package var integer: String
  package var text: String
  /// A value of a mapped column as it stands.
  package var value: String
  /// What stands before a temporary table's name in all statements but that which makes it.
  package var temporary: String
  /// What stands behind the definition of a temporary table.
  package var temporaryEnd: String
  /// Equality for which null is a value.
  package var isSame: String
  /// What stands before the number of a parameter.
  package var parameter: String

  package init(
    bytes: String, integer: String, text: String, value: String, temporary: String, temporaryEnd: String,
    isSame: String, parameter: String
  ) {
    self.bytes = bytes
    self.integer = integer
    self.text = text
    self.value = value
    self.temporary = temporary
    self.temporaryEnd = temporaryEnd
    self.isSame = isSame
    self.parameter = parameter
  }

  /// `name` as an identifier that is taken literally.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// `text` as a literal. Not for what comes from inputs: that goes by parameters.
  package static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
