import ArgumentParser
import Basics
import CommandOptions
import TokenStores

struct StoreUndo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore the rows that a replay changed.",
    usage: "apnsift store undo [<options>] <number>",
    discussion: """
      Each row gets its previous values back, unless it was changed after the replay: such rows are skipped and \
      counted by reason. If a later replay changed rows of the same tokens, undo that one first. The undo is one \
      transaction, and is recorded if it restores a row. A dry run is rolled back: it needs the same privileges.

      EXAMPLES
        apnsift store history --store sqlite:tokens.sqlite
        apnsift store undo 3 --store sqlite:tokens.sqlite
        apnsift store undo last --dry-run             count only
        apnsift store undo 3 --store postgresql:///app --mapping devices.yml
      """)

  @Argument(
    help: .init(
      "Number from `store history`, or `last` for the newest that changed rows and is not undone.",
      valueName: "number"))
  var replay: UndoArgument

  @Flag(help: "Change nothing; count the rows.")
  var dryRun = false

  @OptionGroup var journal: JournalOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let store = try store.location(journal: journal.url).openForWriting(creates: false, dryRun: dryRun)
    let number = try replay.number(in: store)
    let entry = JournalEntry(
      at: Int64(time(nil)), version: Program.version, inputs: [], options: "{}", tuples: 0, rejected: 0)
    let answer = try store.undo(number, entry: dryRun ? nil : entry)
    for left in answer.sample { Console.say("\(Hex.string(left.token)): skipped: \(left.reason.rawValue)") }
    let reasons = SkippedRow.allCases.compactMap { reason in
      answer.left[reason].map { "\(reason.rawValue) \($0)" }
    }
    let skipped = answer.left.values.reduce(0, +)
    let rest = skipped > 0 ? "; \(Count.of(skipped, "row")) skipped (\(reasons.joined(separator: ", ")))" : ""
    if answer.isVain {
      throw CommandError("replay \(number) of \(store.name) is not undone: no row can be restored\(rest)")
    }
    for column in answer.dropped.sorted() {
      Console.note("column \(column) was dropped since the replay: restored rows are without it")
    }
    let restored = Count.of(answer.restored, "row")
    Console.say(
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
    let newest = try store.history().last {
      $0.isStanding && $0.entry.mapping == store.mappingText
    }
    guard let newest else { throw CommandError("\(store.name) has no replay to undo") }
    return newest.id
  }
}
