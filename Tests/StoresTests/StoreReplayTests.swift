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

  init() throws {
    files = TemporaryFiles()
    store = try StoreLocation(
      "sqlite:\(files.path)/tokens.sqlite", mapping: nil, lockTimeout: .seconds(1)
    ).openForWriting(creates: true)
  }

  @Test("of a damaged input changes nothing, unless a part is enough")
  func partial() throws {
    let inputs = [try files.write(Tuples.one(fill: 1), to: "a"), "\(files.path)/none"]
    func replay(isPartial: Bool) throws -> ReplayAnswer {
      var replay = StoreReplay(into: store, for: AppEnvironment(app: "com.example.mail"))
      replay.isPartial = isPartial
      var examination = Examination(InputWalk(inputs), Examination.Options())
      return try Console.$log.withValue(MessageLog()) { try replay.run(&examination).answer }
    }
    let failure = #expect(throws: CommandError.self) { try replay(isPartial: false) }
    #expect(failure?.message == .storeUnchanged(store.name, unreadable: 1))
    #expect(try store.owners().isEmpty)
    #expect(try replay(isPartial: true).counts.inserted == 1)
  }

  /// The pushes of these topics, as a replay of one app takes them.
  private func collector(
    _ topics: [String?], app: String = "com.example.mail", takesOtherApps: Bool = false
  ) throws -> PushCollector {
    let collector = PushCollector(
      TokenTable(memory: 1 << 20, temporaryDirectory: files.path), flaggedCount: false, takesErrors: false,
      app: app, takesOtherApps: takesOtherApps, now: .max)
    let pushes: [SamplePush] = topics.enumerated().map { number, topic in
      .invalidated([UInt8(number)], at: 1_600_000_000_000, topic: topic)
    }
    try collector.add(pushes, source: "a", stream: 2)
    return collector
  }

  private func check(
    _ collector: PushCollector, _ app: String = "com.example.mail", acceptsOther: Bool = false,
    log: MessageLog
  ) throws {
    try Console.$log.withValue(log) {
      try collector.topics.check(against: app, store: "sqlite:s", acceptsOther: acceptsOther)
    }
  }

  /// The topics of pushes, the app, and the message: a stop, or a warning if others are accepted.
  @Test(
    "pushes of another app stop it, unless they are accepted",
    arguments: Fixtures.rows("topics of an app", in: "push-topics") as [([String?], String, String?)])
  func topics(_ topics: [String?], _ app: String, _ message: String?) throws {
    for acceptsOther in [false, true] {
      let collector = try collector(topics, app: app, takesOtherApps: acceptsOther)
      let log = MessageLog()
      func check() throws { try self.check(collector, app, acceptsOther: acceptsOther, log: log) }
      if let message, !acceptsOther {
        let failure = #expect(throws: CommandError.self) { try check() }
        let remedy = "--app names the app of the tokens, and --other-app replays them anyway"
        #expect(failure?.message.text == "sqlite:s is unchanged: \(message); \(remedy)")
        #expect(log.lines.isEmpty)
      } else {
        try check()
        #expect(log.lines == [message].compactMap { $0.map { "warning: \($0)" } })
      }
    }
  }

  /// Topics, how many pushes count and are left out, and a note.
  static let leftOut: [(topics: [String?], added: Int, others: Int, note: Message?)] = [
    (["com.example.chat.voip"], 0, 1, .noPushOfApp("com.example.mail", but: ["com.example.chat"])),
    (["com.example.chat", "com.example.mail"], 1, 1, nil),
  ]

  @Test("pushes of other apps that name it do not stop it: they are left out", arguments: leftOut)
  func otherTopics(_ topics: [String?], _ added: Int, _ others: Int, _ note: Message?) throws {
    let (collector, log) = (try collector(topics), MessageLog())
    try check(collector, log: log)
    #expect(log.lines == [note].compactMap { $0?.text })
    #expect(collector.added.invalidated == added && collector.leftOut.ofOtherApps == others)
  }
}
