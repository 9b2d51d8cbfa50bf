import Messages
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
      "sqlite:a has tokens of production and of sandbox: choose one with --environment"),
    Golden(
      .trialNeedsDryRun,
      "--table and --token-column require --dry-run; to write, describe the table in a file for --mapping (docs/stores.md, Your own table)"
    ),
    Golden(
      .createWithMapping(of: "devices"),
      "--create creates apnsift's own table, but the mapping names devices: remove --create or the mapping"),
    Golden(
      .noStoreNamed(forTable: "devices"),
      "no store is named: name the database that has the table devices with --store"),
  ]

  static let storeHistory: [Golden] = [
    Golden(.listedTokens(1, .all, of: "sqlite:a"), "listed 1 token of sqlite:a"),
    Golden(.listedTokens(2, .dead, of: "sqlite:a"), "listed 2 invalidated tokens of sqlite:a"),
    Golden(
      .timeBeyondForm("iso", token: "dd", column: "registered_at", seconds: 1 << 60),
      "token dd: its registered_at is 1152921504606846976, which the form iso cannot represent: correct the row, or choose --time-form seconds"
    ),
    Golden(
      .listedChanges(1, ofReplay: 4, in: "sqlite:a"), "listed 1 row that replay 4 changed in sqlite:a"),
    Golden(
      .listedChanges(2, ofReplaysOf: "sqlite:a"), "listed 2 rows that the replays of sqlite:a changed"),
    Golden(.undoSkips("ee", reason: "gone"), "ee: skipped: gone"),
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
    Golden(
      .unreadableURI("mysql", "it has two sockets"),
      "token store: a mysql:// URI cannot be read: it has two sockets; expected mysql://USER@HOST:PORT/DATABASE, each part optional, with %XX for special characters, as %40 for @"
    ),
  ]

  static let uriProblems: [Golden] = [
    Golden(.uriWithoutSlashes, "expected // after the colon"),
    Golden(.databaseWithAt, "the database's name contains an @"),
    Golden(.parameterWithoutValue, "a parameter after the ? is not NAME=VALUE"),
    Golden(.portIsNoNumber, "a port is not a number"),
    Golden(.percentWithoutDigits(in: .user), "the user contains a % without two hexadecimal digits"),
    Golden(.percentWithoutDigits(in: .password), "the password contains a % without two hexadecimal digits"),
    Golden(.zeroByte(in: .host), "the host contains a zero byte"),
    Golden(.zeroByte(in: .database), "the database's name contains a zero byte"),
    Golden(.notUTF8(in: .socket), "the socket's path is not in UTF-8"),
  ]
}
