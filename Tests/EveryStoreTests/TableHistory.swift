import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// Calls on a table of others, in any order and form, and what must be true after each. If the table is busy, another
/// program writes it meanwhile: rows of tokens that it left alone are those of the plain model, and its own writes are
/// never lost.
struct TableHistory {
  private static let base: Int64 = 1_400_000_000

  private let isBusy: Bool
  private let tokens: [[UInt8]]

  private let fixture: StoreFixture
  private let seed: UInt64
  private let tested: MappedCase
  private var writer: OtherWriter
  private let inserts: Bool
  private var generator: SeededGenerator
  private var table = Snapshot()
  /// Replays that were not undone.
  private var standing: [Replay] = []
  /// The rows that the other program registered last, and that it deleted.
  private var registered: Set<Int> = []
  private var deleted: Set<Int> = []
  /// The last notes of all rows that there ever were, and the rows as they were then.
  private var notes: [Int: Int] = [:]
  private var known: [Int: ModelRow] = [:]
  /// How many rows the other program registered during calls.
  private(set) var meanwhile = 0

  private struct Snapshot {
    var rows: [ModelRow] = []
    /// By the numbers of rows.
    var notes: [Int: Int] = [:]

    func row(_ id: Int) -> ModelRow? { rows.first { $0.id == id } }
  }

  private struct Replay {
    var id: Int
    var owner: AppEnvironment
    var changes: [JournalChange]

    /// The row of a change; nil in tables without one.
    static func row(_ change: JournalChange) -> Int? { change.key.flatMap { Int($0) } }
  }

  init(_ number: Int, in fixture: StoreFixture, isBusy: Bool) throws {
    (self.fixture, seed, self.isBusy) = (fixture, UInt64(number), isBusy)
    // Few in a table that is not busy, so that most calls meet the same ones.
    tokens = (0..<(isBusy ? 48 : 7)).map { [UInt8](repeating: 0x80 + UInt8($0), count: 3) }
    generator = SeededGenerator(seed: UInt64(number))
    let actions: [InvalidationAction] = [
      .mark(TimeColumn(name: "", form: .seconds)), .flag(column: "active", dead: "false", alive: "true"),
      .delete,
    ]
    tested = MappedCase(
      token: TokenForm.allCases[number % TokenForm.allCases.count], time: generator.pick(MappedCase.times),
      action: actions[number % 7 % 3], hasApp: generator.chance(3), hasEnvironment: generator.chance(3),
      hasRegistered: isBusy ? true : !generator.chance(5))
    inserts = generator.chance(2)
    try fixture.begin(tested.definition(fixture.kind))
    if generator.chance(2) { try fixture.run("CREATE INDEX by_token ON \(MappedCase.quoted) (token)") }
    // Readers and the writer wait for each other, or not.
    if fixture.kind == .sqlite, generator.chance(2) { try fixture.run("PRAGMA journal_mode = WAL") }
    writer = OtherWriter(
      tested: tested, kind: fixture.kind, connect: fixture.connect, time: Self.base + 1_000_000)
    for _ in 0..<(isBusy ? 60 : generator.pick(0...6)) {
      try fixture.run(tested.insertion(newRow(), fixture.kind))
    }
    table = try snapshot()
    note(table)
  }

  private mutating func newRow() -> ModelRow {
    var row = ModelRow(
      id: generator.pick(0...5), token: generator.pick(tokens), app: generator.pick(["a", "b"]),
      environment: generator.pick(["prod", "dev"]), isDead: false)
    if tested.hasRegistered, !generator.chance(3) { row.registered = time() }
    switch tested.action {
    case .mark where generator.chance(3): (row.died, row.isDead) = (time(), true)
    case .flag: row.isDead = generator.chance(3)
    default: break
    }
    return row
  }

  private mutating func time() -> Int64 { Self.base + Int64(generator.pick(0...6) * 1000) }

  private func snapshot() throws -> Snapshot {
    try fixture.texts(MappedCase.query(fixture.kind, ", id, note")).reduce(into: Snapshot()) { found, texts in
      var row = tested.row(texts, fixture.kind)
      row.id = try #require(Int(texts[6] ?? ""))
      found.rows.append(row)
      found.notes[row.id] = Int(try #require(Double(texts[7] ?? "")))
    }
  }

  private mutating func note(_ table: Snapshot) {
    notes.merge(table.notes) { $1 }
    for row in table.rows { known[row.id] = row }
  }

  /// In messages.
  private var name: String { "history \(seed) of \(fixture.kind): \(tested)" }

  // MARK: - Calls

  mutating func run() throws {
    for _ in 0..<generator.pick(3...5) {
      let owner = AppEnvironment(
        app: generator.pick(["a", "b"]), environment: generator.pick([.production, .sandbox]))
      switch generator.pick(0...7) {
      case 0: try register(owner)
      case 1: try dryRun(owner)
      case 2...4 where !standing.isEmpty:
        // Mostly the last: an undo in another order is refused if tokens are the same.
        try undo(generator.chance(3) ? generator.pick(Array(standing.indices)) : standing.count - 1)
      default: try replay(owner)
      }
    }
    if !standing.isEmpty { try undo(standing.count - 1) }
    for index in standing.indices.reversed() { try undo(index, isAlone: true) }
  }

  private func store(_ owner: AppEnvironment) throws -> TokenStore {
    try fixture.store(tested.mapping(fixture.kind), inserts: inserts, owner: owner)
  }

  private mutating func some(_ tokens: [[UInt8]]) -> [[UInt8]] { tokens.filter { _ in generator.chance(2) } }

  /// Some tokens, each once.
  private mutating func dated() -> [Dated] {
    some(tokens).map { Dated(token: $0, time: UInt32(time())) }
  }

  private func model(_ owner: AppEnvironment) -> MappedModel {
    MappedModel(tested, inserts: inserts, owner, table.rows)
  }

  /// Runs `body` while the other program writes notes, and the rest of the rows of `tokens`, if the table is busy.
  private mutating func beside<Result>(
    _ tokens: [[UInt8]], _ body: () throws -> Result
  ) throws -> (Result, OtherWriter.Writes) {
    if !isBusy { return (try body(), OtherWriter.Writes()) }
    writer.calls += 1
    let (result, writes) = try writer.write(table.rows, tokens, generator.next(), beside: body)
    meanwhile += writes.registered.count
    return (result, writes)
  }

  private mutating func register(_ owner: AppEnvironment) throws {
    let (store, registrations) = (try store(owner), dated() + (generator.chance(2) ? dated() : []))
    let (_, writes) = try beside(some(tokens)) { try store.register(registrations, for: owner) }
    var model = model(owner)
    model.register(registrations)
    try check(model.rows, writes)
  }

  private var options: ReplayOptions {
    var options = ReplayOptions.unlimited()
    options.sampleLength = .max
    return options
  }

  private mutating func dryRun(_ owner: AppEnvironment) throws {
    let (store, deaths) = (try store(owner), dated())
    var options = options
    options.dryRun = true
    let (answer, writes) = try beside(some(tokens)) {
      try store.replay(deaths, for: owner, options: options)
    }
    checkOutcomes(answer, deaths, owner, writes)
    try check(table.rows, writes)
  }

  private mutating func replay(_ owner: AppEnvironment) throws {
    let (store, deaths) = (try store(owner), dated())
    var options = options
    if fixture.kind != .sqlite, generator.chance(2) { options.batch = generator.pick(1...8) }
    let (answer, writes) = try beside(some(deaths.map(\.token))) {
      try store.replay(deaths, for: owner, options: options, entry: .sample)
    }
    if options.batch == nil { checkOutcomes(answer, deaths, owner, writes) }
    var model = model(owner)
    _ = model.replay(deaths)
    let before = table
    try check(model.rows, writes)
    let id = try #require(answer.replay)
    let done = Replay(id: id, owner: owner, changes: try store.changes(of: id))
    let isUntouched = { (change: JournalChange) in !writes.tokens.contains(change.token) }
    let made = model.changes.compactMap { change -> String? in
      guard let row = change.before ?? change.after, !writes.tokens.contains(row.token) else { return nil }
      return "\(row.token) \(change.before.map { String($0.id) } ?? "new") \(change.before?.died ?? 0)"
    }
    let recorded = done.changes.filter(isUntouched).map {
      "\($0.token) \($0.before == nil ? "new" : $0.key ?? "") \($0.before?.invalidatedAt ?? 0)"
    }
    #expect(recorded.sorted() == made.sorted(), "the journal in \(name)")
    try checkCounts(answer, done, of: deaths.count, store)
    checkRows(done, before, writes)
    standing.append(done)
  }

  // MARK: - Checks

  /// After each call: the model's rows of tokens that were left alone, and the other program's writes.
  private mutating func check(_ model: [ModelRow], _ writes: OtherWriter.Writes) throws {
    let after = try snapshot()
    func untouched(_ rows: [ModelRow]) -> [String] {
      rows.filter { !writes.tokens.contains($0.token) }
        .map { "\(notes[$0.id] == nil ? "new" : String($0.id)) \($0.text)" }.sorted()
    }
    try #require(untouched(after.rows) == untouched(model), "rows left alone in \(name)")
    deleted.formUnion(writes.deleted)
    registered.formUnion(writes.registered)
    for (note, row) in writes.inserted {
      let id = try #require(after.notes.filter { $0.value == note }.map(\.key).first, "a new row in \(name)")
      #expect(after.row(id)?.text == row.text, "a new row in \(name)")
      (notes[id], known[id]) = (note, row)
      registered.insert(id)
    }
    registered.subtract(deleted)
    for id in registered {
      let row = after.row(id)
      #expect(
        row?.registered == writer.time && row?.isDead == false, "row \(id), registered again in \(name)")
    }
    #expect(deleted.isDisjoint(with: after.notes.keys), "deleted rows in \(name)")
    for (id, count) in writes.notes { notes[id, default: 0] += count }
    for (id, found) in after.notes { #expect(found == notes[id] ?? 0, "the note of row \(id) in \(name)") }
    table = after
    note(after)
  }

  /// Outcomes of tokens that were left alone, by the model.
  private func checkOutcomes(
    _ answer: ReplayAnswer, _ deaths: [Dated], _ owner: AppEnvironment, _ writes: OtherWriter.Writes
  ) {
    var model = model(owner)
    let untouched = deaths.filter { !writes.tokens.contains($0.token) }
    var counts = ReplayCounts()
    for one in answer.sample where !writes.tokens.contains(one.token) { counts.add(one.outcome) }
    let expected = model.replay(untouched)
    #expect(counts == expected && (isBusy || answer.counts == expected), "outcomes in \(name)")
  }

  /// The answer, the journal's entry and its changes say the same.
  private func checkCounts(_ answer: ReplayAnswer, _ done: Replay, of tokens: Int, _ store: TokenStore) throws
  {
    var counts = ReplayCounts()
    for (_, changes) in Dictionary(grouping: done.changes, by: \.token) {
      counts.add(changes[0].outcome)
      #expect(Set(changes.map(\.outcome)).count == 1, "\(name)")
    }
    for outcome in [ReplayOutcome.invalidated, .updated, .inserted] {
      #expect(counts[outcome] == answer.counts[outcome], "\(outcome) in \(name)")
    }
    let record = try #require(store.history().last, "\(name)")
    #expect(record.id == done.id && !record.isUnfinished, "\(name)")
    #expect([answer.rows, record.rows] == [done.changes.count, done.changes.count], "\(name)")
    #expect(answer.counts.tokens == tokens, "\(name)")
  }

  /// Rows that the journal has are as the replay wrote them, and all others as before, but for the other program's writes.
  private func checkRows(_ done: Replay, _ before: Snapshot, _ writes: OtherWriter.Writes) {
    let written = writes.registered.union(writes.deleted)
    var changed: Set<Int> = []
    for change in done.changes {
      guard let id = Replay.row(change) else { return }
      changed.insert(id)
      if written.contains(id) { continue }
      let row = table.row(id)
      #expect(row?.isDead == (tested.action == .delete ? nil : true), "row \(id) in \(name)")
      if case .mark = tested.action {
        #expect(row?.died == change.after.invalidatedAt, "row \(id) in \(name)")
      }
    }
    for row in before.rows where !changed.contains(row.id) && !written.contains(row.id) {
      #expect(table.row(row.id) == row, "row \(row.id), which the journal does not have, in \(name)")
    }
    let new = Set(table.notes.keys).subtracting(before.notes.keys).subtracting(changed)
    #expect(new.count == writes.inserted.count, "new rows \(new) in \(name)")
  }

  // MARK: - Undos

  /// Why an undo skips the row of a change; nil if it restores it.
  private func reason(_ change: JournalChange, of replay: Replay) -> SkippedRow? {
    if tested.action == .delete {
      let owned = model(replay.owner)
      return table.rows.contains { owned.isOwned($0) && $0.token == change.token } ? .back : nil
    }
    guard let row = Replay.row(change).flatMap(table.row) else { return .gone }
    if !row.isDead { return .revived }
    var isDead = true
    if case .mark = tested.action { isDead = row.died == change.after.invalidatedAt }
    if !isDead { return .invalidatedSince }
    return row.registered == change.before?.registeredAt ? nil : .registeredSince
  }

  /// The row of a change after its undo; nil if the replay inserted it.
  private func restored(_ change: JournalChange) -> ModelRow? {
    guard change.before != nil, var row = Replay.row(change).flatMap({ known[$0] }) else { return nil }
    row.died = change.before?.invalidatedAt
    row.isDead = row.died != nil
    return row
  }

  /// - Parameter isAlone: whether the other program writes nothing meanwhile.
  private mutating func undo(_ index: Int, isAlone: Bool = false) throws {
    let replay = standing[index]
    let store = try store(replay.owner)
    let tokens = replay.changes.map(\.token)
    if !isAlone, generator.chance(2) {
      let (_, writes) = try beside(some(tokens)) {
        try Self.unlessRefused { try store.undo(replay.id, entry: nil) }
      }
      try check(table.rows, writes)
    }
    let undo = { try Self.unlessRefused { try store.undo(replay.id, entry: .sample) } }
    let (answer, writes) =
      isAlone ? (try undo(), OtherWriter.Writes()) : try beside(some(tokens), undo)
    let all = Set(tokens)
    let mine = model(replay.owner)
    let later = standing[(index + 1)...].filter {
      let other = model($0.owner)
      return (mine.app, mine.environment) == (other.app, other.environment)
    }
    let standingLater = later.flatMap { later in
      later.changes.filter { all.contains($0.token) && reason($0, of: later) == nil }
    }
    let touchedLater = later.flatMap(\.changes).contains { writes.tokens.contains($0.token) }
    guard let answer else {
      #expect(!standingLater.isEmpty || touchedLater, "a refused undo in \(name)")
      return try check(table.rows, writes)
    }
    #expect(
      !standingLater.contains { !writes.tokens.contains($0.token) }, "an undo in the wrong order in \(name)")
    try checkUndo(answer, replay, writes)
    if answer.id > 0 { standing.remove(at: index) }
  }

  private static func unlessRefused(_ body: () throws -> UndoAnswer) throws -> UndoAnswer? {
    do {
      return try body()
    } catch let error as NamedStoreError {
      guard case .notUndoable = error.reason else { throw error }
      return nil
    }
  }

  /// Each row of a token that was left alone is restored, or skipped for its reason.
  private mutating func checkUndo(
    _ answer: UndoAnswer, _ replay: Replay, _ writes: OtherWriter.Writes
  ) throws {
    let touched = replay.changes.count { writes.tokens.contains($0.token) }
    var left: [SkippedRow: Int] = [:]
    var rows = table.rows
    var count = 0
    for change in replay.changes where !writes.tokens.contains(change.token) {
      if let reason = reason(change, of: replay) {
        left[reason, default: 0] += 1
        continue
      }
      count += 1
      let id = Replay.row(change)
      rows.removeAll { $0.id == id }
      if let row = restored(change) { rows.append(row) }
    }
    for reason in SkippedRow.allCases {
      let expected = left[reason] ?? 0
      #expect(
        (expected...expected + touched).contains(answer.left[reason] ?? 0),
        "\(reason) rows of an undo in \(name)")
    }
    #expect((count...count + touched).contains(answer.restored), "restored rows in \(name)")
    #expect(answer.restored + answer.left.values.reduce(0, +) == replay.changes.count, "\(name)")
    let before = table
    try check(rows, writes)
    let written = writes.registered.union(writes.deleted)
    // Of tokens that were not left alone, too, each other row is as before or restored.
    for row in before.rows where writes.tokens.contains(row.token) && !written.contains(row.id) {
      let change = replay.changes.first { Replay.row($0) == row.id }
      let now = table.row(row.id)
      #expect(now == row || change != nil && now == change.flatMap(restored), "row \(row.id) in \(name)")
    }
  }
}
