import Basics
import Testing

@Test(
  "Messages about stores",
  arguments: Golden.store + Golden.storeHistory + Golden.storeURL + Golden.uriProblems)
func storeMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let store: [Golden] = [
    Golden(
      .bothEnvironments(in: "sqlite:a"),
      "sqlite:a has tokens of production and of sandbox: choose one with --environment")
  ]

  static let storeHistory: [Golden] = [
    Golden(
      .timeBeyondForm("iso", token: "dd", column: "registered_at", seconds: 1 << 60),
      "token dd: its registered_at is 1152921504606846976, which the form iso cannot represent: correct the row, or choose --time-form seconds"
    ),
    Golden(
      .listedChanges(1, ofReplay: 4, in: "sqlite:a"), "listed 1 row that replay 4 changed in sqlite:a"),
    Golden(
      .listedChanges(2, ofReplaysOf: "sqlite:a"), "listed 2 rows that the replays of sqlite:a changed"),
    Golden(
      .wouldUndo(1, of: "sqlite:a", restored: 1, skipped: 0, reasons: []),
      "dry run of an undo of replay 1 of sqlite:a: 1 row would be restored"),
    Golden(
      .wouldUndo(1, of: "sqlite:a", restored: 2, skipped: 1, reasons: ["gone 1"]),
      "dry run of an undo of replay 1 of sqlite:a: 2 rows would be restored; 1 row skipped (gone 1)"),
    Golden(
      .undid(1, of: "sqlite:a", as: 2, restored: 3, skipped: 0, reasons: []),
      "undid replay 1 of sqlite:a, as 2: 3 rows restored"),
    Golden(
      .undid(1, of: "sqlite:a", as: 2, restored: 1, skipped: 3, reasons: ["gone 1", "alive again 2"]),
      "undid replay 1 of sqlite:a, as 2: 1 row restored; 3 rows skipped (gone 1, alive again 2)"),
  ]

  static let storeURL: [Golden] = [
    Golden(.notAStoreURL(""), "token store '': expected sqlite:PATH, as in sqlite:tokens.sqlite"),
    Golden(
      .notAStoreURL("a.db"), "token store 'a.db': expected sqlite:PATH; for that file write sqlite:a.db"),
    Golden(
      .storeWithTwoSlashes("a.db"),
      "token store 'sqlite://a.db': expected sqlite:PATH without slashes of a URL; write sqlite:a.db for a relative path, sqlite:/a.db for an absolute one"
    ),
  ]

  static let uriProblems: [Golden] = [
    Golden(.notUTF8(in: .socket), "the socket's path is not in UTF-8")
  ]
}
