import Testing

/// Histories of calls on a table that another program writes all the time. The number of a history gives its calls and the
/// writes; which of them comes first is different each time.
@Suite("Tables in use, against a plain model") struct BusyHistoryTests {
  @Test(
    "no write of another program is lost, and all else is as in a plain model",
    arguments: [(StoreKind.sqlite, 0..<15), (.postgreSQL, 15..<45), (.mySQL, 15..<45)])
  func histories(_ part: (kind: StoreKind, numbers: Range<Int>)) throws {
    let fixture = try MappedFixture(part.kind)
    var meanwhile = 0
    for number in part.numbers {
      var history = try BusyHistory(number, in: fixture)
      do { try history.run() } catch { Issue.record(error, "history \(number)") }
      meanwhile += history.meanwhile
    }
    #expect(meanwhile > part.numbers.count, "the other program wrote beside the calls")
  }
}
