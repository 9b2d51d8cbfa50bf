import Basics
import Testing
import Wording

@Test("Messages about databases", arguments: Golden.databases + Golden.privileges + Golden.databaseRows)
func databaseMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let databases: [Golden] = [
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
    Golden(.journalEnvironment(["production", "sandbox"]), "production or sandbox"),
  ]
}
