import Analysis
import Platform
import Stores
import StreamInputs
import TestSupport
import Testing
import TokenStores

/// From inputs to the rows of a store, without a command.
@Suite("A replay of inputs")
struct StoreReplayTests {
  private let files: TemporaryFiles
  private let store: TokenStore
  private let owner = AppEnvironment(app: "com.example.mail")

  init() throws {
    files = try TemporaryFiles()
    store = try StoreLocation(
      "sqlite:\(files.path)/tokens.sqlite", mapping: nil,
      settings: StoreSettings(lockTimeout: .seconds(1))
    ).openForWriting(creates: true)
  }

  private func replay(
    _ inputs: [String], change: (inout StoreReplay) -> Void = { _ in }
  ) throws -> (answer: ReplayAnswer, messages: [String]) {
    var replay = StoreReplay(into: store, for: owner)
    replay.record = ("1.2.3", "{}")
    change(&replay)
    var examination = Examination(InputWalk(inputs), Examination.Options())
    let log = MessageLog()
    let outcome = try Messages.$log.withValue(log) { try replay.run(&examination) }
    return (outcome.answer, log.lines.map { $0.replacing("\(files.path)/", with: "") })
  }

  @Test("is recorded, and found the second time")
  func recorded() throws {
    let input = try files.write(Tuples.one(fill: 1) + Tuples.one(fill: 2), to: "a")
    let first = try replay([input])
    #expect(first.answer.counts.inserted == 2)
    #expect(first.answer.replay == 1)
    #expect(first.messages.isEmpty)
    let second = try replay([input])
    #expect(second.answer.counts.unchanged == 2)
    #expect(second.messages == ["a: already replayed by replay 1"])
    let third = try replay([input]) { $0.skipsReplayed = true }
    #expect(third.answer.counts.tokens == 0)
    #expect(third.answer.replay == nil)
    #expect(third.messages == ["a: skipped: already replayed by replay 2"])
    #expect(try store.history().map(\.entry.inputs.count) == [1, 1])
  }

  @Test("of a damaged input changes nothing, unless a part is enough")
  func partial() throws {
    let inputs = [try files.write(Tuples.one(fill: 1), to: "a"), "\(files.path)/none"]
    let failure = #expect(throws: Failure.self) { try replay(inputs) }
    #expect(
      failure?.message.hasSuffix("--partial replays the readable part, --skip-unreadable the other inputs")
        == true)
    #expect(try store.owners().isEmpty)
    #expect(try replay(inputs) { $0.isPartial = true }.answer.counts.inserted == 1)
  }

  @Test("rejects tokens whose records all have flags")
  func flagged() throws {
    let input = try files.write(Tuples.one(16, fill: 1) + Tuples.one(fill: 2) + Tuples.one(fill: 3), to: "a")
    let strict = try replay([input]) { $0.options.dryRun = true }
    #expect(strict.answer.counts.rejected == 1)
    #expect(strict.answer.counts.inserted == 2)
    #expect(
      strict.messages == [
        "1 token rejected: every record has flags (unexpected-token-length); --token-length accepts a length, "
          + "--include-flagged accepts flagged records"
      ])
    let lenient = try replay([input]) { $0.includesFlagged = true }
    #expect(lenient.answer.counts.inserted == 3)
  }

  @Test("registrations are imported except invalid rows and rows without a time")
  func imported() throws {
    let token = String(repeating: "ab", count: 32)
    let path = try files.write(
      Array("token,registered_at\n\(token),100\nzz,100\n\(token),\n".utf8), to: "a.csv")
    var strict = RegistrationImport()
    let failure = #expect(throws: Failure.self) { try strict.run([path], into: store, for: owner) }
    #expect(
      failure?.message
        == "\(path): line 3, column 1: expected a token in hex, found 'zz'; nothing was imported")
    var lenient = RegistrationImport()
    lenient.skipsInvalid = true
    let log = MessageLog()
    let counts = try Messages.$log.withValue(log) { try lenient.run([path], into: store, for: owner) }
    #expect(log.lines.count == 1)
    #expect(counts.text(in: "s") == "1 token in s: 1 new, 0 alive again, 0 with a later time, 0 unchanged")
    #expect(
      lenient.leftOut
        == "; 1 invalid row skipped; 1 row without a time skipped (--at sets one)")
  }

  @Test(
    "rows as CSV in any form",
    arguments: [
      ([StoreColumn.token, .registeredAt], TimeForm.seconds, UInt8(ascii: ","), "abab,100\n"),
      ([.invalidatedAt, .environment, .app], .iso, UInt8(ascii: ";"), ";production;com.example.mail\n"),
    ])
  func csv(_ columns: [StoreColumn], _ form: TimeForm, _ delimiter: UInt8, _ line: String) throws {
    let csv = StoreCSV(columns, tokenForm: .hex, timeForm: form, delimiter: delimiter)
    let token: [UInt8] = [0xab, 0xab]
    #expect(try csv.line(owner, token.span.bytes, TokenState(registeredAt: 100)) == line)
  }

  @Test(
    "a contradictory store is wrong usage",
    arguments: [
      (nil, true, false, "no store is named: name the database that has the table devices with --store"),
      (
        "sqlite:a", true, true,
        "--create creates apnsift's own table, but the mapping names devices: remove --create or the mapping"
      ),
      (
        "sqlite:a", false, false,
        "--insert-unknown requires --mapping: add a mapping, or remove the option"
      ),
    ])
  func location(_ named: String?, _ isMapped: Bool, _ creates: Bool, _ message: String) {
    let mapping = TableMapping(
      table: "devices", token: TokenColumn(name: "token", form: .hex), action: .delete)
    let location = StoreLocation(
      named, mapping: isMapped ? mapping : nil,
      settings: StoreSettings(insertsUnknown: !isMapped, lockTimeout: .seconds(1)))
    let error = #expect(throws: UsageError.self) { try location.openForWriting(creates: creates) }
    #expect(error?.message == message)
  }
}
