import Reports
import Testing

@Suite("Entries of columns")
struct ColumnEntryTests {
  @Test("each column of each kind has an entry in columns.txt", arguments: ExportedKind.tables)
  func complete(_ kind: ExportedKind) {
    for column in kind.columns { #expect(!column.meaning.isEmpty, "\(column.name)") }
  }
}
