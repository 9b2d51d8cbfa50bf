import Messages
import Testing

@Test("Messages about databases", arguments: Golden.databases + Golden.privileges + Golden.databaseRows)
func databaseMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let databases: [Golden] = [
    Golden(.directoryFailed("/a", error: "Permission denied"), "directory /a: Permission denied"),
    Golden(.sqliteError(10, .verbatim("disk I/O error")), "disk I/O error, SQLite error 10"),
    Golden(.noMemory, "no memory is left"),
    Golden(.saysNothing, "no message"),
    Golden(.serverError(.verbatim("no"), state: "P0001"), "no, SQLSTATE P0001"),
    Golden(
      .serverError(.verbatim("no"), code: 1644, state: "45000"), "no, error 1644, SQLSTATE 45000"),
  ]

  static let privileges: [Golden] = [
    Golden(.isAStandby, "it is a standby"),
    Golden(.lacks("SELECT", on: "public.devices"), "it lacks SELECT on public.devices"),
  ]

  static let databaseRows: [Golden] = [
    Golden(.triggerIgnoredRow(of: "apnsift_replays"), "a trigger on apnsift_replays ignored the row"),
    Golden(
      .columnsDiffer(from: "devices"),
      "the columns of devices differ from those of the removed rows in apnsift_changes"),
    Golden(
      .nullKey(of: "devices"),
      "the primary key of a row of devices is null, so that an undo could not find it; --no-journal needs no key"
    ),
    Golden(
      .inRow(.rowKey("id", "3"), of: "apnsift_changes", .changeIsNotPacked),
      "apnsift_changes, id 3: packed has bytes that are not a packed change"),
    Golden(
      .inRow(nil, of: "device_tokens", "app is x'ff', expected text"),
      "device_tokens: app is x'ff', expected text"),
    Golden(
      .valueInsteadOf("an integer from 0 to 9", "kept", "-1"), "kept is -1, expected an integer from 0 to 9"),
    Golden(.valueInsteadOf(.journalText, "app", "x'ff'"), "app is x'ff', expected text in UTF-8"),
    Golden(.journalJSON, "JSON"),
    Golden(.journalEnvironment(["production", "sandbox"]), "production or sandbox"),
    Golden(
      .timeNotInForm(.integerUnixSeconds, "seen", "1.5"),
      "seen is 1.5, expected UNIX seconds as an integer, or null"),
    Golden(.timeNotInForm("UNIX seconds", "seen", "'x'"), "seen is 'x', expected UNIX seconds, or null"),
    Golden(
      .timeNotInForm(.unixMilliseconds, "seen", "'x'"), "seen is 'x', expected UNIX milliseconds, or null"),
    Golden(
      .timeNotInForm("a date and time as of ISO 8601", "seen", "'x'"),
      "seen is 'x', expected a date and time as of ISO 8601, or null"),
    Golden(.timeNotInForm("a time", "seen", "infinity"), "seen is infinity, expected a time, or null"),
    Golden(
      .timeNotInForm("a date and a time of day", "seen", "'x'"),
      "seen is 'x', expected a date and a time of day, or null"),
  ]
}
