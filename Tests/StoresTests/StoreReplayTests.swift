import Analysis
import Basics
import PushTestSupport
import StreamInputs
import TestSupport
import Testing
import TokenStores
import Wording

/// From inputs to the rows of a store, without a command.
@Suite("A replay of inputs")
struct StoreReplayTests {
  private let files: TemporaryFiles
  private let store: TokenStore
  private let owner = AppEnvironment(app: "com.example.mail")

  init() throws {
    files = TemporaryFiles()
    store = try StoreLocation(
      "sqlite:\(files.path)/tokens.sqlite", mapping: nil, lockTimeout: .seconds(1)
    ).openForWriting(creates: true)
  }

  private func replay(
    _ inputs: [String], change: (inout StoreReplay) -> Void = { _ in }
  ) throws -> (answer: ReplayAnswer, messages: [String]) {
    var replay = StoreReplay(into: store, for: owner)
    replay.record = ("1.2.3", [])
    change(&replay)
    var examination = Examination(InputWalk(inputs), Examination.Options())
    let log = MessageLog()
    let outcome = try Console.$log.withValue(log) { try replay.run(&examination) }
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
    #expect(second.messages == [Message.about("a", .alreadyReplayed(by: 1)).text])
    let third = try replay([input]) { $0.skipsReplayed = true }
    #expect(third.answer.counts.tokens == 0)
    #expect(third.answer.replay == nil)
    #expect(third.messages == [Message.inputSkipped("a", replayedBy: 2).text])
    #expect(try store.history().map(\.entry.inputs.count) == [1, 1])
  }

  @Test("of a damaged input changes nothing, unless a part is enough")
  func partial() throws {
    let inputs = [try files.write(Tuples.one(fill: 1), to: "a"), "\(files.path)/none"]
    let failure = #expect(throws: CommandError.self) { try replay(inputs) }
    #expect(failure?.message == .storeUnchanged(store.name, unreadable: 1))
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
        Message.tokensRejected(1, flags: ["unexpected-token-length"], hasLength: true).text
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
    let failure = #expect(throws: CommandError.self) { try strict.run([path], into: store, for: owner) }
    let problem = Message.located(.notAToken("zz"), line: 3, column: 1)
    #expect(failure?.message == .nothingImported(path, problem))
    var lenient = RegistrationImport()
    lenient.skipsInvalid = true
    let log = MessageLog()
    let counts = try Console.$log.withValue(log) { try lenient.run([path], into: store, for: owner) }
    #expect(log.lines == ["\(path): \(problem); row skipped"])
    let registrations = Message.registrations(
      in: "s", added: 1, revived: 0, raised: 0, unchanged: 0, unknown: 0)
    #expect(counts.message(in: "s") == registrations)
    #expect(lenient.message(counts, in: "s") == .imported(registrations, skipped: 1, untimed: 1))
  }

  /// The topics of pushes, the app, and the message: a stop, or a warning if others are accepted.
  static let topicExamples: [(topics: [String?], app: String, message: Message?)] = [
    (["com.example.mail", "com.example.mail.voip", nil], "com.example.mail", nil),
    ([nil], "com.example.mail", nil),
    (["com.example.mail.voip"], "com.example.mail.voip", nil),
    (["com.example.mail", "com.example.mail.complication"], "", nil),
    (
      ["com.example.mail", "com.example.chat"], "",
      "the topics of pushes name 2 apps (com.example.mail, com.example.chat), which --each-app replays "
        + "one by one"
    ),
    (
      [nil, "com.example.chat.voip"], "com.example.mail",
      "a stream 2: the push's topic is com.example.chat.voip, not a topic of the app com.example.mail"
    ),
    (
      [nil, "com.example.mailer"], "com.example.mail",
      "a stream 2: the push's topic is com.example.mailer, not a topic of the app com.example.mail"
    ),
  ]

  @Test("pushes of another app stop it, unless they are accepted", arguments: topicExamples.indices)
  func topics(_ index: Int) throws {
    let (topics, app, message) = Self.topicExamples[index]
    for acceptsOther in [false, true] {
      let collector = PushCollector(
        TokenTable(memory: 1 << 20, temporaryDirectory: files.path), flaggedCount: false, takesErrors: false,
        app: app, takesOtherApps: acceptsOther, now: .max)
      let pushes: [SamplePush] = topics.map { .invalidated([1], at: 1_600_000_000_000, topic: $0) }
      try collector.add(pushes, source: "a", stream: 2)
      let log = MessageLog()
      func check() throws {
        try Console.$log.withValue(log) {
          try collector.topics.check(against: app, store: "sqlite:s", acceptsOther: acceptsOther)
        }
      }
      if let message, !acceptsOther {
        let failure = #expect(throws: CommandError.self) { try check() }
        let remedy = "--app names the app of the tokens, and --other-app replays them anyway"
        #expect(failure?.message.text == "sqlite:s is unchanged: \(message); \(remedy)")
        #expect(log.lines.isEmpty)
      } else {
        try check()
        #expect(log.lines == [message].compactMap { $0.map { Message.warning($0).text } })
      }
    }
  }

  @Test("pushes of other apps alone do not stop it: all are left out, which a note says")
  func otherTopicsOnly() throws {
    let collector = PushCollector(
      TokenTable(memory: 1 << 20, temporaryDirectory: files.path), flaggedCount: false, takesErrors: false,
      app: "com.example.mail", now: .max)
    try collector.add([.invalidated([1], at: 1_600_000_000_000, topic: "com.example.chat.voip")])
    let log = MessageLog()
    try Console.$log.withValue(log) {
      try collector.topics.check(against: "com.example.mail", store: "sqlite:s", acceptsOther: false)
    }
    #expect(log.lines == [Message.noPushOfApp("com.example.mail", but: ["com.example.chat"]).text])
    #expect(collector.added.invalidated == 0 && collector.leftOut.ofOtherApps == 1)
  }

  @Test("among pushes of the app, those of others do not stop it")
  func otherTopics() throws {
    let collector = PushCollector(
      TokenTable(memory: 1 << 20, temporaryDirectory: files.path), flaggedCount: false, takesErrors: false,
      app: "com.example.mail", now: .max)
    try collector.add([
      .invalidated([1], at: 1_600_000_000_000, topic: "com.example.chat"),
      .invalidated([2], at: 1_600_000_000_000, topic: "com.example.mail"),
    ])
    try collector.topics.check(against: "com.example.mail", store: "sqlite:s", acceptsOther: false)
    #expect(collector.added.invalidated == 1)
    #expect(collector.leftOut.ofOtherApps == 1)
  }
}
