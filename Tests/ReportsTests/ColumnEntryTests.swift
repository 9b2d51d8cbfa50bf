import Reports
import Testing

@Suite("Entries of columns")
struct ColumnEntryTests {
  private func expectEntries<Column: RecordColumn>(_ column: Column.Type) {
    for column in Column.allCases {
      #expect(!column.entry.meaning.isEmpty, "\(Column.kind.records) \(column.rawValue)")
    }
  }

  @Test("each column of each kind has an entry in columns.txt")
  func complete() {
    expectEntries(FeedbackColumn.self)
    expectEntries(RequestColumn.self)
    expectEntries(ResponseColumn.self)
    expectEntries(PushColumn.self)
    expectEntries(StreamColumn.self)
    expectEntries(FindingColumn.self)
    expectEntries(InputColumn.self)
  }
}
