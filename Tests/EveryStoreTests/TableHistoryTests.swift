import StoreTestSupport
import Testing

/// Histories of calls on tables of others, in every form. The number of a history gives its calls.
@Suite("Tables of others, against a plain model") struct TableHistoryTests {
  @Test(
    "replays, registrations and undos in any order do what the model does",
    arguments: [(StoreKind.sqlite, 0..<300), (.postgreSQL, 0..<150), (.mySQL, 0..<150)])
  func histories(_ part: (kind: StoreKind, numbers: Range<Int>)) throws { _ = try run(part, isBusy: false) }

  @Test("the same in many histories", arguments: StoreKind.allCases, [150..<500, 500..<1000])
  func manyHistories(_ kind: StoreKind, numbers: Range<Int>) throws {
    _ = try run((kind, numbers), isBusy: false)
  }

  /// Which of the other program's writes come before a call's is different each time.
  @Test(
    "no write of another program is lost, and all else is as in the model",
    arguments: [(StoreKind.sqlite, 0..<15), (.postgreSQL, 15..<45), (.mySQL, 15..<45)])
  func busy(_ part: (kind: StoreKind, numbers: Range<Int>)) throws {
    #expect(try run(part, isBusy: true) > part.numbers.count, "the other program wrote beside the calls")
  }

  /// How many rows another program registered meanwhile.
  private func run(_ part: (kind: StoreKind, numbers: Range<Int>), isBusy: Bool) throws -> Int {
    let fixture = try StoreFixture(part.kind)
    var meanwhile = 0
    for number in part.numbers {
      var history = try TableHistory(number, in: fixture, isBusy: isBusy)
      do { try history.run() } catch { Issue.record(error, "history \(number)") }
      meanwhile += history.meanwhile
    }
    return meanwhile
  }
}
