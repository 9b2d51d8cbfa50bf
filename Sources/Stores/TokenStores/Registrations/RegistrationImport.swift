import Basics
import PacketCapture
import ProviderLogs

/// Registers the tokens of CSV files in a store, in one transaction.
package struct RegistrationImport {
  /// How many invalid rows are reported one by one.
  private static let named = 10

  package var file = RegistrationFile()
  /// The time of rows without one; nil skips them.
  package var time: UInt32?
  /// Whether invalid rows are skipped; otherwise one of them cancels the import.
  package var skipsInvalid = false

  package private(set) var skipped = 0
  /// Rows without a time that were skipped.
  private var untimed = 0

  package init() {}

  package mutating func run(
    _ paths: [String], into store: TokenStore, for owner: AppEnvironment
  ) throws -> RegistrationCounts {
    var progress = TokenProgress()
    defer { progress.clear() }
    let counts = try store.register(
      { visit in for path in paths { try read(path, owner, progress: &progress, visit: visit) } }, for: owner)
    progress.clear()
    if skipped > Self.named { Console.say("skipped \(Count.of(skipped - Self.named, "row")) more") }
    return counts
  }

  private mutating func read(
    _ path: String, _ owner: AppEnvironment, progress: inout TokenProgress,
    visit: (RawSpan, StoreTime) throws -> Void
  ) throws {
    do {
      var reader = try CSVReader(path, delimiter: file.delimiter)
      _ = try reader.next()
      if let error = reader.error { throw error }
      let names = reader.names
      let columns = try file.columns(names)
      let ignored = names.indices.filter { $0 != columns.token && $0 != columns.registered }.map { names[$0] }
      if columns.registered == nil, columns.count > 1, time == nil {
        let times = ["timestamp", "time"]  // of `export`
        if let found = ignored.first(where: { LogReport.isInvalidation($0) || times.contains($0) }) {
          throw InputError(
            "expected the column \(file.registeredColumn), found \(found), perhaps since when tokens are invalid: replay "
              + "reads such lists; --registered-column or --at says when they were registered", line: 1)
        }
        Console.note(
          "\(path): no column \(file.registeredColumn): all rows count as registered now; --registered-column names "
            + "another column, --at another time")
      }
      let meant = ignored.filter { ["app", "environment"].contains($0) || LogReport.isInvalidation($0) }
      if !meant.isEmpty {
        Console.note(
          "\(path): ignored columns: \(meant.joined(separator: ", ")); each row registers a token of \(owner.text)"
        )
      }
      while try reader.next() {
        let token: [UInt8]
        let written: UInt32?
        do throws(InputError) { (token, written) = try file.row(reader, columns) } catch {
          guard skipsInvalid else { throw error }
          progress.clear()
          skipped += 1
          if skipped <= Self.named { Console.say("\(path): \(error.located); row skipped") }
          continue
        }
        guard let time = written ?? time else {
          untimed += 1
          continue
        }
        try visit(token.span.bytes, StoreTime(time))
        progress.advance()
      }
    } catch let error as InputError {
      throw CommandError("\(path): \(error.located); nothing was registered")
    }
  }

  /// The last message.
  package func message(_ counts: RegistrationCounts, in store: String) -> Message {
    "imported \(counts.message(in: store))"
      + (skipped > 0 ? "; \(Count.of(skipped, "invalid row")) skipped" : "")
      + (untimed > 0 ? "; \(Count.of(untimed, "row")) without a time skipped (--at sets one)" : "")
  }
}

extension RegistrationCounts {
  /// How many registrations had each outcome. Those in `unknown` are not in the table.
  package func message(in store: String) -> Message {
    "\(Count.of(registrations, "token")) in \(store): \(added) new, "
      + "\(revived) alive again, \(raised) with a later time, \(unchanged) unchanged"
      + (unknown > 0 ? ", \(unknown) not in the table (--insert-unknown inserts them)" : "")
  }
}

/// Shows on the terminal how many tokens were written to a store.
package struct TokenProgress {
  private var line = ProgressLine()
  var tokens = 0

  package mutating func advance() {
    tokens += 1
    // Reading the clock for each token would take as long as the token.
    guard tokens % 4096 == 0 else { return }
    let tokens = tokens
    line.update { "\(tokens) tokens into the store, \(Int(Double(tokens) / $0)) a second" }
  }

  package mutating func clear() { line.clear() }
}
