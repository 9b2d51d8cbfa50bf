import Testing

/// Histories of calls on a table that another program writes all the time.
@Suite("Tables in use, against a plain model") struct BusyHistoryTests {
  @Test(
    "no write of another program is lost, and all else is as in a plain model",
    arguments: [(StoreKind.sqlite, 0..<30), (.postgreSQL, 30..<90), (.mySQL, 30..<90)])
  func histories(_ part: (kind: StoreKind, numbers: Range<Int>)) throws {
    let fixture = try MappedFixture(part.kind)
    var meanwhile = 0
    for number in part.numbers {
      var history = try BusyHistory(number, in: fixture)
      try history.run()
      meanwhile += history.meanwhile
    }
    #expect(meanwhile > part.numbers.count, "the other program wrote beside the calls")
  }
}
