import Messages
import Testing

@Test("Messages about databases", arguments: Golden.databases + Golden.privileges + Golden.databaseRows)
func databaseMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let databases: [Golden] = [
    Golden(.isADirectory, "it is a directory, not a database file"),
    Golden(.isNoRegularFile, "it is not a regular file"),
    Golden(.opensForReadingOnly, "it opens for reading only"),
    Golden(.directoryFailed("/a", error: "Permission denied"), "directory /a: Permission denied"),
    Golden(.sqliteError(10, .verbatim("disk I/O error")), "disk I/O error, SQLite error 10"),
    Golden(.noMemory, "no memory is left"),
    Golden(.saysNothing, "no message"),
    Golden(.oldPostgreSQL(11), "the server is PostgreSQL 11, expected 12 or later"),
    Golden(.oldMySQL("5.7.1"), "the server is 5.7.1, expected MariaDB 10.5 or later, or MySQL 8.0 or later"),
    Golden(
      .noSnapshotIsolation("10.5.0-MariaDB"),
      "the server is 10.5.0-MariaDB, expected innodb_snapshot_isolation, which MariaDB has since 10.6.18, 10.11.8 and 11.4"
    ),
    Golden(.serverError(.verbatim("no"), state: "P0001"), "no, SQLSTATE P0001"),
    Golden(
      .serverError(.verbatim("no"), code: 1644, state: "45000"), "no, error 1644, SQLSTATE 45000"),
    Golden(.malformedCopy, "the server sent a malformed row of a COPY"),
    Golden(.transactionEnded(with: "ROLLBACK"), "the transaction ended with ROLLBACK"),
    Golden(.connectionBusy, "the connection is busy with the rows of a query"),
    Golden(.localFileRefused, "the server requested a local file, which is refused"),
    Golden(.rowsDoNotFit(1, of: 2), "1 of 2 rows do not fit"),
    Golden(
      .rowTooLong(1_048_575, limit: 1_048_574),
      "a row takes 1048575 bytes, more than the server's limit of 1048574 (max_allowed_packet)"),
    Golden(.appWithZeroByte, "the app's name has a zero byte, which PostgreSQL does not support"),
  ]

  static let privileges: [Golden] = [
    Golden(.isAStandby, "it is a standby"),
    Golden(.readOnlyByDefault, "default_transaction_read_only is on"),
    Golden(.noUsableSchema, "no schema of its search path is usable"),
    Golden(.lacksCreate(onSchema: "public"), "it lacks CREATE on schema public"),
    Golden(.lacks("SELECT", on: "public.devices"), "it lacks SELECT on public.devices"),
    Golden(
      .lacksUpdate(onColumn: "\"gone\"", of: "public.devices"),
      "it lacks UPDATE on column \"gone\" of public.devices"),
    Golden(
      .journalLacks("INSERT on public.apnsift_replays"),
      "it lacks INSERT on public.apnsift_replays, which the journal needs; --journal sqlite:PATH keeps the journal in a file, --no-journal records nothing"
    ),
  ]

  static let databaseRows: [Golden] = [
    Golden(.triggerIgnoredRow(of: "apnsift_replays"), "a trigger on apnsift_replays ignored the row"),
    Golden(.triggerIgnoredRows(of: "apnsift_changes"), "a trigger on apnsift_changes ignored rows"),
    Golden(
      .rowsIgnored(written: 1, of: 2, table: "devices"),
      "1 of 2 rows of devices were written: a trigger or a policy ignored the others"),
    Golden(.triggerIgnoredRestoredRow(of: "devices"), "a trigger on devices ignored a restored row"),
    Golden(
      .triggerOrPolicyIgnoredRestoredRow(of: "devices"),
      "a trigger or policy of devices ignored a restored row"),
    Golden(
      .columnsDiffer(from: "devices"),
      "the columns of devices differ from those of the removed rows in apnsift_changes"),
    Golden(
      .removedColumn("note", of: "devices"),
      "removed rows had a column note, which devices does not have"),
    Golden(
      .nullKey(of: "devices"),
      "the primary key of a row of devices is null, so that an undo could not find it; --no-journal needs no key"
    ),
    Golden(
      .timeBeyondColumn("gone", seconds: 1 << 60, form: "iso"),
      "gone cannot store the time 1152921504606846976 as iso"),
    Golden(
      .inRow(.rowKey("id", "3"), of: "apnsift_changes", .changeIsNotPacked),
      "apnsift_changes, id 3: packed has bytes that are not a packed change"),
    Golden(
      .inRow(nil, of: "device_tokens", .appIsNoText("app", "x'ff'")),
      "device_tokens: app is x'ff', expected text"),
    Golden(
      .changesMissing(1, of: 38), "1 change, expected 38, the changed_rows of the replay in apnsift_replays"),
    Golden(
      .valueInsteadOf(.journalCount(upTo: 9), "kept", "-1"), "kept is -1, expected an integer from 0 to 9"),
    Golden(.valueInsteadOf(.journalText, "app", "x'ff'"), "app is x'ff', expected text in UTF-8"),
    Golden(.journalDigest, "a SHA-256 in lowercase hex"),
    Golden(.journalJSON, "JSON"),
    Golden(.journalTime, "a time in the years 1 to 9999"),
    Golden(.journalChanges, "packed changes as bytes"),
    Golden(.journalEnvironment(["production", "sandbox"]), "production or sandbox"),
    Golden(.journalType(.integers), "a type of integers"),
    Golden(.appIsNoText("app", "x'ff'"), "app is x'ff', expected text"),
    Golden(
      .appIsNotUTF8("app", "CAST(x'ff' AS TEXT)"), "app is CAST(x'ff' AS TEXT), expected text in UTF-8"),
    Golden(
      .unknownEnvironment("env", "'x'", production: "prod", sandbox: "dev"),
      "env is 'x', expected prod or dev"),
    Golden(.tokenIsNoBlob("token", "'0a'"), "token is '0a', expected a blob of the token's bytes"),
    Golden(.tokenNotInForm("hex", "token", "'zz'"), "token is 'zz', expected a token as hex"),
    Golden(
      .timeNotInForm(.integerUnixSeconds, "seen", "1.5"),
      "seen is 1.5, expected UNIX seconds as an integer, or null"),
    Golden(.timeNotInForm(.unixSeconds, "seen", "'x'"), "seen is 'x', expected UNIX seconds, or null"),
    Golden(
      .timeNotInForm(.unixMilliseconds, "seen", "'x'"), "seen is 'x', expected UNIX milliseconds, or null"),
    Golden(
      .timeNotInForm(.isoTime, "seen", "'x'"),
      "seen is 'x', expected a date and time as of ISO 8601, or null"),
    Golden(.timeNotInForm(.pointInTime, "seen", "infinity"), "seen is infinity, expected a time, or null"),
    Golden(
      .timeNotInForm(.clockTime, "seen", "'x'"), "seen is 'x', expected a date and a time of day, or null"),
  ]
}
