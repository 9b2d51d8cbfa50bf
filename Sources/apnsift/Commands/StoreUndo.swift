import ArgumentParser
import Platform
import Reports
import TokenStores
import WireBytes

/// `apnsift store undo`: takes a replay back.
struct StoreUndo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore the rows that a replay changed.",
    discussion: """
      Each row becomes what it was before the replay, unless somebody changed it since: such rows are left, and the \
      reasons told. Of several replays, undo the newest first. The undo is one transaction, and is recorded itself.

      EXAMPLES
        apnsift store history --store sqlite:tokens.sqlite
        apnsift store undo 3 --store sqlite:tokens.sqlite
        apnsift store undo 3 --store postgresql:///app --mapping devices.yml
      """)

  @Argument(help: "The number of the replay, as `store history` has it.")
  var replay: Int

  @OptionGroup var store: StoreOptions

  @OptionGroup var journal: JournalOptions

  func run() throws {
    let store = try store.location(journal: journal.url).openForWriting(creates: false)
    let answer = try store.undo(
      replay,
      entry: JournalEntry(
        at: Int64(time(nil)), version: Apnsift.version, inputs: [], options: "{}", tuples: 0, rejected: 0))
    for left in answer.sample {
      Messages.say("\(Hex.string(left.token)): left as it is: \(left.reason.rawValue)")
    }
    let reasons = LeftRow.allCases.compactMap { reason in
      answer.left[reason].map { "\(reason.rawValue) \($0)" }
    }
    let left = answer.left.values.reduce(0, +)
    let rest = left > 0 ? "; \(Count.of(left, "row")) left (\(reasons.joined(separator: ", ")))" : ""
    Messages.say(
      "undid replay \(replay) of \(store.name), as \(answer.id): \(Count.of(answer.restored, "row")) restored\(rest)"
    )
  }
}
