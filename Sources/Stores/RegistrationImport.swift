import PacketCapture
import Platform
import TokenStores
import WireBytes

/// Registers the tokens of CSV files in a store, all of them in one transaction.
package struct RegistrationImport {
  /// How many rows that cannot be read are named.
  private static let named = 10

  package var file = RegistrationFile()
  /// When tokens were registered of which a row does not say; nil leaves them out.
  package var time: UInt32?
  /// Whether rows that cannot be read are left out; else one of them stops all.
  package var skipsInvalid = false

  /// Rows that were left out, as they cannot be read.
  package private(set) var skipped = 0
  /// Rows that were left out, as they say no time.
  private var untimed = 0

  package init() {}

  package mutating func run(
    _ paths: [String], into store: TokenStore, for owner: AppEnvironment
  ) throws -> RegistrationCounts {
    var progress = TokenProgress()
    defer { progress.clear() }
    let counts = try store.register(
      { visit in for path in paths { try read(path, progress: &progress, visit: visit) } }, for: owner)
    progress.clear()
    if skipped > Self.named { Messages.say("and \(Count.of(skipped - Self.named, "row")) more left out") }
    return counts
  }

  private mutating func read(
    _ path: String, progress: inout TokenProgress, visit: (RawSpan, UInt32) throws -> Void
  ) throws {
    do {
      let file = file
      try file.read(path) { token, time in
        guard let time = time ?? self.time else {
          untimed += 1
          return
        }
        try visit(token, time)
        progress.advance()
      } refuse: { fault in
        guard skipsInvalid else { throw fault }
        progress.clear()
        skipped += 1
        if skipped <= Self.named { Messages.say("\(path): \(fault.placed); left out") }
      }
    } catch let fault as InputFault {
      throw Failure("\(path): \(fault.placed); nothing was imported")
    }
  }

  /// What was left out, for the last message.
  package var leftOut: String {
    (skipped > 0 ? "; \(Count.of(skipped, "row")) left out that cannot be read" : "")
      + (untimed > 0 ? "; \(Count.of(untimed, "row")) left out without a time (--at says one)" : "")
  }
}

extension RegistrationCounts {
  /// What a registration of many tokens did, as messages say it.
  package func text(in store: String) -> String {
    "\(Count.of(registrations, "token")) in \(store): \(added) new, \(revived) alive again, "
      + "\(raised) with a later time, \(unchanged) unchanged"
      + (unknown > 0 ? ", \(unknown) not in the table (--insert-unknown gives them a row)" : "")
  }
}

/// How many tokens have gone into a store, on the terminal.
package struct TokenProgress {
  private var line = ProgressLine()
  var tokens = 0

  package init() {}

  /// One more token has gone into the store.
  package mutating func advance() {
    tokens += 1
    // A look at the clock for each token would cost as much as the token.
    guard tokens % 4096 == 0 else { return }
    let tokens = tokens
    line.update { "\(tokens) tokens into the store, \(Int(Double(tokens) / $0)) a second" }
  }

  package mutating func clear() { line.clear() }
}
