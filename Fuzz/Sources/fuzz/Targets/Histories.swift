import Basics
import CLibFuzzer
import TokenStores

/// Calls on a store, which may end at any change of a file as if the process were killed. After each, the store and its
/// journal are those of a plain model.
extension Target {
  static let histories = Target("histories") { sample in
    var history = StoreHistory(sample)
    history.run()
  }
}

private struct StoreHistory {
  private static let base: Int64 = 1_400_000_000
  /// More calls find no more, and take long.
  private static let mostCalls = 8
  private static let paths = ["tokens", "journal"].map {
    "\(TemporaryDirectory.path)/fuzz-\(getpid())-\($0).sqlite"
  }

  private let store: TokenStore
  private var bytes: ArraySlice<UInt8>
  private var state: StoreState

  init(_ sample: Sample) {
    let options = sample.options[0]
    bytes = sample.bytes[...]
    for path in Self.paths {
      _ = unlink("\(path)-journal")
      _ = close(open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600))
    }
    var store = TokenStore(
      SQLiteDatabase(path: Self.paths[0]), creates: true, batchSize: 1 + Int(options >> 1 & 3))
    let hasFile = options & 1 != 0
    if hasFile { store.file = JournalFile(SQLiteDatabase(path: Self.paths[1])) }
    self.store = store
    state = StoreState(hasFile: hasFile)
    limit_changes(0)
  }

  mutating func run() {
    for _ in 0..<Self.mostCalls {
      guard let first = bytes.popFirst() else { return }
      let environment: Environment = first & 8 == 0 ? .production : .sandbox
      let limit = first & 16 == 0 ? 0 : 1 + Int(next() & 63)
      switch first & 7 {
      case 0: register(tokens(), environment, limit)
      case 1...4: replay(tokens(), environment, knownOnly: first & 0x20 != 0, limit)
      case 5: dryRun(tokens(), environment)
      default: undo(Int(next()) % (state.nextID + 1), isDry: first & 0x20 != 0, limit)
      }
    }
  }

  private mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Some of eight tokens, each with one of 32 times.
  private mutating func tokens() -> [(token: UInt8, time: Int64)] {
    (0..<next() & 7).map { _ in
      let byte = next()
      return (byte & 7, Self.base + Int64(byte >> 3))
    }
  }

  // MARK: - Calls

  private static func timed(_ tokens: [(token: UInt8, time: Int64)]) -> TimedTokens {
    { visit in
      for (token, time) in tokens { try visit([token].span.bytes, StoreTime(seconds: time)) }
    }
  }

  private static func owner(_ environment: Environment) -> AppEnvironment {
    AppEnvironment(environment: environment)
  }

  private static func entry() -> JournalEntry {
    JournalEntry(
      at: Self.base, version: "1", inputs: [ReplayedInput(source: "a", sha256: "00", bytes: 38)],
      options: "{}", tuples: 1, rejected: 0)
  }

  private mutating func register(
    _ tokens: [(token: UInt8, time: Int64)], _ environment: Environment, _ limit: Int
  ) {
    var after = state
    for (token, time) in tokens { after.register(StoreKey(environment: environment, token: token), time) }
    call(limit, [after]) { _ = try $0.register(Self.timed(tokens), for: Self.owner(environment)) }
  }

  private mutating func replay(
    _ tokens: [(token: UInt8, time: Int64)], _ environment: Environment, knownOnly: Bool, _ limit: Int
  ) {
    let tokens = latest(tokens)
    let settled = state.settled(environment)
    var after = settled
    let counts = after.replay(tokens, environment, knownOnly: knownOnly)
    var answer: ReplayAnswer?
    let isDone = call(limit, after.stages(after: settled)) {
      answer = try $0.replay(
        Self.timed(tokens), for: Self.owner(environment), options: ReplayOptions(knownOnly: knownOnly),
        entry: Self.entry)
    }
    guard isDone, let done = state.entries.last else { return }
    expect(answer?.counts == counts, "outcomes are those of the rule: \(answer as Any), not \(counts)")
    expect(answer?.replay == done.id && answer?.rows == done.rows, "an answer is that of the journal")
    let changes = done.changes.map {
      JournalChange(
        token: [$0.key.token], outcome: $0.outcome, before: $0.before, after: $0.after, origin: nil)
    }
    var recorded: [JournalChange] = []
    do { try store.changes(of: done.id) { recorded.append($0) } } catch { fail("changes are read: \(error)") }
    recorded.sort { $0.token[0] < $1.token[0] }
    expectSame(recorded, changes.sorted { $0.token[0] < $1.token[0] }, "the journal has all changes")
  }

  private func dryRun(_ tokens: [(token: UInt8, time: Int64)], _ environment: Environment) {
    let tokens = latest(tokens)
    var after = state
    let counts = after.replay(tokens, environment, knownOnly: false)
    do {
      let answer = try store.replay(
        Self.timed(tokens), for: Self.owner(environment), options: ReplayOptions(dryRun: true), entry: nil)
      expect(answer.counts == counts, "a dry run has the outcomes of the replay: \(answer), not \(counts)")
    } catch { fail("a dry run fails: \(error)") }
    check("a dry run changes nothing")
  }

  /// Each token once, in the order of the last times.
  private func latest(_ tokens: [(token: UInt8, time: Int64)]) -> [(token: UInt8, time: Int64)] {
    tokens.enumerated().filter { index, one in !tokens[(index + 1)...].contains { $0.token == one.token } }
      .map(\.element)
  }

  private mutating func undo(_ id: Int, isDry: Bool, _ limit: Int) {
    guard let environment = state.entry(id)?.environment else {
      return refused(limit, []) { _ = try $0.undo(id, entry: isDry ? nil : Self.entry()) }
    }
    if isDry {
      guard state.undone(id) != nil else { return refused(limit, []) { _ = try $0.undo(id, entry: nil) } }
      call(limit, [state]) { _ = try $0.undo(id, entry: nil) }
      return
    }
    let settled = state.settled(environment)
    guard let after = settled.undone(id) else {
      return refused(limit, [settled]) { _ = try $0.undo(id, entry: Self.entry()) }
    }
    call(limit, after.stages(after: settled)) {
      _ = try $0.undo(id, entry: Self.entry())
    }
  }

  // MARK: - Checks

  /// Makes a call. Without a fault, the last of the states follows it; else one of them, or the state before.
  /// - Returns: whether there was no fault.
  @discardableResult
  private mutating func call(_ limit: Int, _ states: [StoreState], _ body: (TokenStore) throws -> Void)
    -> Bool
  {
    guard let error = fault(limit, body) else {
      if are_changes_over() == 0 {
        state = states[states.count - 1]
        check("a call has done all")
        return true
      }
      return interrupted(states)
    }
    expect(are_changes_over() != 0, "a call fails without a cause: \(error)")
    return interrupted(states)
  }

  private mutating func interrupted(_ states: [StoreState]) -> Bool {
    limit_changes(0)
    let found = found()
    guard let state = ([state] + states).first(where: { $0.shown == found }) else {
      fail("a killed call has done all or nothing: \(found) after \(state.shown), not \(states.map(\.shown))")
    }
    self.state = state
    return false
  }

  /// Makes a call that is refused.
  private mutating func refused(_ limit: Int, _ states: [StoreState], _ body: (TokenStore) throws -> Void) {
    let error = fault(limit, body)
    if are_changes_over() != 0 {
      _ = interrupted(states)
      return
    }
    switch (error as? NamedStoreError)?.reason {
    case .noReplay, .notUndoable: break
    default: fail("an undo is refused: \(error as Any)")
    }
    state = states.last ?? state
    check("what is refused changes nothing")
  }

  private func fault(_ limit: Int, _ body: (TokenStore) throws -> Void) -> (any Error)? {
    limit_changes(CInt(limit))
    do { try body(store) } catch { return error }
    return nil
  }

  private func check(_ law: String) {
    limit_changes(0)
    let found = found()
    expect(found == state.shown, "\(law): \(found), not \(state.shown)")
  }

  /// The rows and the entries, as texts.
  private func found() -> [String] {
    do {
      var found: [String] = []
      try store.list(.all, in: .any) { owner, token, state in
        let key = StoreKey(environment: owner.environment, token: token.byte(at: 0))
        found.append(StoreState.text(key, state))
      }
      found += try store.history().map {
        StoreState.text(
          $0.id, $0.owner.environment, undoes: $0.undoes, undoneBy: $0.undoneBy, $0.rows, $0.isPending)
      }
      return found
    } catch { fail("a store is read after any call: \(error)") }
  }
}
