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
        apnsift store undo last --dry-run             what would be restored
        apnsift store undo 3 --store postgresql:///app --mapping devices.yml
      """)

  @Argument(
    help: "The number of the replay, as `store history` has it, or `last`: the newest one that stands.")
  var replay: UndoArgument

  @OptionGroup var store: StoreOptions

  @OptionGroup var journal: JournalOptions

  @Flag(help: "Say what would be restored and what left, and change nothing.")
  var dryRun = false

  func run() throws {
    let store = try store.location(journal: journal.url).openForWriting(creates: false, dryRun: dryRun)
    let number = try replay.number(in: store)
    let entry = JournalEntry(
      at: Int64(time(nil)), version: Apnsift.version, inputs: [], options: "{}", tuples: 0, rejected: 0)
    let answer = try store.undo(number, entry: dryRun ? nil : entry)
    for left in answer.sample {
      Messages.say("\(Hex.string(left.token)): left as it is: \(left.reason.rawValue)")
    }
    let reasons = LeftRow.allCases.compactMap { reason in
      answer.left[reason].map { "\(reason.rawValue) \($0)" }
    }
    let left = answer.left.values.reduce(0, +)
    let rest = left > 0 ? "; \(Count.of(left, "row")) left (\(reasons.joined(separator: ", ")))" : ""
    let restored = Count.of(answer.restored, "row")
    Messages.say(
      dryRun
        ? "dry run of an undo of replay \(number) of \(store.name): \(restored) would be restored\(rest)"
        : "undid replay \(number) of \(store.name), as \(answer.id): \(restored) restored\(rest)")
  }
}

/// The number of a replay, or `last`.
struct UndoArgument: ExpressibleByArgument {
  private let named: Int?

  init?(argument: String) {
    guard argument == "last" || Int(argument) != nil else { return nil }
    named = Int(argument)
  }

  func number(in store: TokenStore) throws -> Int {
    if let named { return named }
    let standing = try store.history().last {
      $0.undoes == nil && $0.undoneBy == nil && $0.entry.mapping == store.mappingText
    }
    guard let standing else {
      throw Failure("\(store.name) has no replay that stands: there is nothing to undo")
    }
    return standing.id
  }
}
