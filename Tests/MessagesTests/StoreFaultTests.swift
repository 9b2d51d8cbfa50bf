import Basics
import Testing
import Wording

/// A problem with its wording.
struct GoldenProblem: CustomTestStringConvertible, Sendable {
  let words: StoreFault
  let problem: String
  let remedy: String

  init(_ words: StoreFault, _ problem: String, _ remedy: String) {
    (self.words, self.problem, self.remedy) = (words, problem, remedy)
  }

  var testDescription: String { problem }
}

@Test("Problems of stores", arguments: GoldenProblem.stores + GoldenProblem.servers)
func storeProblem(_ golden: GoldenProblem) {
  #expect(golden.words.problem.text == golden.problem)
  #expect(golden.words.remedy.text == golden.remedy)
  #expect(
    Message.storeFailed("sqlite:a", golden.words).text
      == "token store sqlite:a: \(golden.problem); \(golden.remedy)")
}

extension GoldenProblem {
  static let stores: [GoldenProblem] = [
    GoldenProblem(
      .notFound,
      "it does not exist",
      "correct the path, or create it with --create of replay, store register or store import"),
    GoldenProblem(
      .noTable,
      "it has no table device_tokens",
      "name another store, or add the table with --create of replay, store register or store import"),
    GoldenProblem(
      .cannotOpen(.verbatim("R")),
      "it cannot be opened: R",
      "correct the path or its permissions"),
    GoldenProblem(
      .notADatabase,
      "the file is not a SQLite database (or it is an encrypted one)",
      "name another file"),
    GoldenProblem(
      .damaged(.verbatim("D")),
      "the database is damaged, or the disk cannot be read (D)",
      "check the disk, then restore the database from a backup, or recover it with the sqlite3 command .recover"
    ),
    GoldenProblem(
      .wrongShape(.verbatim("S"), expected: .verbatim("E"), found: .verbatim("F")),
      "its table device_tokens has another definition: for S, expected E, found F",
      "name another store, or rename that table (docs/stores.md has the table's definition)"),
    GoldenProblem(
      .misfit("T", .verbatim("S"), expected: .verbatim("E"), found: .verbatim("F")),
      "the mapping does not fit table T: for S, expected E, found F",
      "correct the mapping, or name another table (docs/stores.md, Your own table)"),
    GoldenProblem(
      .newerVersion(3, supported: 1),
      "it has version 3; this apnsift supports versions up to 1",
      "use that newer apnsift, or another store"),
    GoldenProblem(
      .locked(waited: .seconds(5)),
      "another program has locked it; waited 5.0 seconds",
      "wait until that program is done, or stop it, then run the command again"),
    GoldenProblem(
      .readOnly(.verbatim("D")),
      "it cannot be written (D)",
      "make the file and its directory writable, or name another store"),
    GoldenProblem(
      .full(.verbatim("D")),
      "no space left (D); nothing was changed",
      "free some space (a replay needs room for the new rows and a journal), then run the command again"),
    GoldenProblem(
      .journalMisfit("apnsift_replays", "at", expected: .verbatim("E"), found: .verbatim("F")),
      "its journal has another definition: for column at of apnsift_replays, expected E, found F",
      "give the column such a type, or drop the journal's tables, which forgets all replays (docs/stores.md, The journal)"
    ),
    GoldenProblem(
      .unreadableRows(1, first: .verbatim("F")),
      "unreadable row: F",
      "correct such rows (docs/stores.md, Unreadable rows)"),
    GoldenProblem(
      .unreadableRows(2, first: .verbatim("F")),
      "2 unreadable rows; the first: F",
      "correct such rows (docs/stores.md, Unreadable rows)"),
    GoldenProblem(
      .noReplay(7),
      "its journal has no replay 7",
      "`apnsift store history` lists the replays"),
    GoldenProblem(
      .notUndoable(7, .verbatim("R")),
      "replay 7 cannot be undone: R",
      "`apnsift store history` lists the replays"),
    GoldenProblem(
      .stopped(.limitExceeded(3, ofLive: 5, most: 2)),
      "the replay was stopped before any change: 3 of 5 live tokens would be invalidated, and 2 are allowed (--max-invalidate)",
      "check app, environment and store, review a --dry-run, then raise the limit"),
    GoldenProblem(
      .refused(.verbatim("D")),
      "it refused a row (D); nothing was changed",
      "check the table's constraints and triggers"),
    GoldenProblem(
      .failed(.verbatim("D")),
      "it failed (D); nothing was changed",
      "check the disk and the database, then run the command again"),
    GoldenProblem(
      .unsettled(.verbatim("D")),
      "the changes are done, but this journal could not be updated (D)",
      "the next replay or undo with it completes it"),
  ]

  static let servers: [GoldenProblem] = [
    GoldenProblem(
      .noLibrary("libpq.so.5", package: "libpq5", elsewhere: "libpq"),
      "the client library libpq.so.5 is missing or cannot be loaded",
      "install the package libpq5 (elsewhere: libpq)"),
    GoldenProblem(
      .cannotConnect(.verbatim("R")),
      "no connection: R",
      "check that the server runs, and the URI's host, database, role and password (apnsift does not create databases)"
    ),
    GoldenProblem(
      .connectionLost(.verbatim("D")),
      "the connection was lost (D); nothing was changed",
      "check the server's log, then run the command again"),
    GoldenProblem(
      .uncertain(.verbatim("D")),
      "the connection was lost during the commit (D); whether the changes are done is unknown",
      "run the command again: changes that are already done count as unchanged"),
    GoldenProblem(
      .notPermitted(.verbatim("D")),
      "permission denied (D); nothing was changed",
      "grant the privilege (docs/stores.md, Permissions), or connect as another role"),
    GoldenProblem(
      .readOnlyServer(.verbatim("D")),
      "the server is read-only (D); nothing was changed",
      "name the primary server, or a role and database that may write"),
    GoldenProblem(
      .contended(.verbatim("D")),
      "other programs changed the same rows at every attempt (D); nothing was changed",
      "run the command again when they are done"),
  ]
}
