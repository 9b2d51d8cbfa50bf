import Basics
import Testing
import TokenStores
import Wording

/// What users read about each fault of a store.
@Suite struct FaultMessageTests {
  static let faults: [(fault: StoreFault, problem: StoreProblem)] = [
    (
      .notFound,
      .notFound
    ),
    (
      .noTable,
      .noTable
    ),
    (
      .cannotOpen(reason: .verbatim("R")),
      .cannotOpen(.verbatim("R"))
    ),
    (
      .notADatabase,
      .notADatabase
    ),
    (
      .damaged(detail: .verbatim("D")),
      .damaged(.verbatim("D"))
    ),
    (
      .wrongShape(subject: .verbatim("S"), expected: .verbatim("E"), found: .verbatim("F")),
      .wrongShape(.verbatim("S"), expected: .verbatim("E"), found: .verbatim("F"))
    ),
    (
      .misfit(table: "T", subject: .verbatim("S"), expected: .verbatim("E"), found: .verbatim("F")),
      .misfit("T", .verbatim("S"), expected: .verbatim("E"), found: .verbatim("F"))
    ),
    (
      .journalMisfit(table: "T", column: "C", expected: .verbatim("E"), found: .verbatim("F")),
      .journalMisfit("T", "C", expected: .verbatim("E"), found: .verbatim("F"))
    ),
    (
      .newerVersion(found: 3, supported: 1),
      .newerVersion(3, supported: 1)
    ),
    (
      .locked(waited: .seconds(5)),
      .locked(waited: .seconds(5))
    ),
    (
      .readOnly(detail: .verbatim("D")),
      .readOnly(.verbatim("D"))
    ),
    (
      .full(detail: .verbatim("D")),
      .full(.verbatim("D"))
    ),
    (
      .unreadableRows(count: 1, first: .verbatim("F")),
      .unreadableRows(1, first: .verbatim("F"))
    ),
    (
      .unreadableRows(count: 2, first: .verbatim("F")),
      .unreadableRows(2, first: .verbatim("F"))
    ),
    (
      .noReplay(7),
      .noReplay(7)
    ),
    (
      .notUndoable(7, reason: .verbatim("R")),
      .notUndoable(7, .verbatim("R"))
    ),
    (
      .stopped(LimitExceeded(invalidated: 3, live: 5, most: 2)),
      .stopped(.limitExceeded(3, ofLive: 5, most: 2))
    ),
    (
      .refused(detail: .verbatim("D")),
      .refused(.verbatim("D"))
    ),
    (
      .failed(detail: .verbatim("D")),
      .failed(.verbatim("D"))
    ),
    (
      .unsettled(detail: .verbatim("D")),
      .unsettled(.verbatim("D"))
    ),
    (
      .server(.noLibrary(file: "libpq.so.5", package: "libpq5", elsewhere: "libpq")),
      .noLibrary("libpq.so.5", package: "libpq5", elsewhere: "libpq")
    ),
    (
      .server(.cannotConnect(reason: .verbatim("R"))),
      .cannotConnect(.verbatim("R"))
    ),
    (
      .server(.connectionLost(detail: .verbatim("D"))),
      .connectionLost(.verbatim("D"))
    ),
    (
      .server(.uncertain(detail: .verbatim("D"))),
      .uncertain(.verbatim("D"))
    ),
    (
      .server(.notPermitted(detail: .verbatim("D"))),
      .notPermitted(.verbatim("D"))
    ),
    (
      .server(.readOnly(detail: .verbatim("D"))),
      .readOnlyServer(.verbatim("D"))
    ),
    (
      .server(.contended(detail: .verbatim("D"))),
      .contended(.verbatim("D"))
    ),
  ]

  /// A journal file quotes it after the changes are done: it must not say that nothing was changed.
  @Test(arguments: [
    StoreFault.damaged(detail: .verbatim("D")), .full(detail: .verbatim("D")),
    .failed(detail: .verbatim("D")), .refused(detail: .verbatim("D")), .readOnly(detail: .verbatim("D")),
  ])
  func cause(_ fault: StoreFault) { #expect(fault.cause == .verbatim("D")) }

  @Test(arguments: faults)
  func message(_ fault: StoreFault, _ problem: StoreProblem) {
    #expect(fault.problem == problem)
    let error = StoreError(store: "sqlite:x", fault: fault)
    #expect(error.message == .storeFailed("sqlite:x", problem))
    #expect(error.description == error.message.text)
  }
}
