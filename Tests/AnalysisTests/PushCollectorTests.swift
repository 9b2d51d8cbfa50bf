import APNsWire
import Analysis
import Basics
import PushTestSupport
import TestSupport
import Testing

@Suite("Tokens that answers to pushes call invalid") struct PushCollectorTests {
  private static let now: UInt32 = 1_700_000_000
  private static let token = [UInt8](repeating: 7, count: 32)
  private static let time: Int64 = 1_600_000_000_700
  private static let captured = CaptureTime(seconds: 1_650_000_000, fraction: 900, digits: 3)

  /// What the table has of a token.
  struct Found: Equatable {
    var time: UInt32?
    var milliseconds: UInt16 = 0
    var flags: RecordFlags = []
  }

  private func collected(_ pushes: [SamplePush], flagged: Bool = false, errors: Bool = false) throws -> (
    collector: PushCollector, found: [Found]
  ) {
    let table = Self.table()
    let collector = PushCollector(table, flaggedCount: flagged, takesErrors: errors, now: Self.now)
    try collector.add(pushes)
    var found: [Found] = []
    try table.visit { _, verdict in
      found.append(Found(time: verdict.time, milliseconds: verdict.milliseconds, flags: verdict.flags))
    }
    return (collector, found)
  }

  private static func table() -> TokenTable {
    TokenTable(memory: 1 << 20, temporaryDirectory: "/nonexistent")
  }

  private static func push(
    _ status: UInt16?, _ reason: String? = nil, _ change: (inout SamplePush) -> Void = { _ in }
  ) -> SamplePush {
    SamplePush(token, status) { push in
      (push.reason, push.timestamp, push.capturedAt) = (reason, status == 410 ? time : nil, captured)
      change(&push)
    }
  }

  private static let atTime = Found(time: 1_600_000_000, milliseconds: 700)
  private static let atCapture = Found(time: 1_650_000_000)
  private static let beyond = Found(flags: .implausibleTimestamp)

  /// A push, what it adds without options and with `--from-errors`, and how it is left out in either case.
  typealias Example = (
    name: String, push: SamplePush, strict: Found?, withErrors: Found?,
    leftOut: WritableKeyPath<PushesLeftOut, Int>?, leftOutWithErrors: WritableKeyPath<PushesLeftOut, Int>?
  )

  private static let early = CaptureTime(seconds: 1_245_196_799)
  private static let late = CaptureTime(seconds: 1_700_000_001)

  private static func examples() -> [Example] {
    [
      ("410", push(410, "Unregistered"), atTime, atTime, nil, nil),
      ("410 of an expired token", push(410, "ExpiredToken"), atTime, atTime, nil, nil),
      ("410 without a reason", push(410), atTime, atTime, nil, nil),
      ("410 without a time", push(410) { $0.timestamp = nil }, nil, atCapture, \.untimed, nil),
      (
        "410 without any time", push(410) { ($0.timestamp, $0.capturedAt) = (nil, nil) }, nil, nil, \.undated,
        \.undated
      ), ("410 of an impossible time", push(410) { $0.timestamp = -1 }, nil, atCapture, \.untimed, nil),
      ("410 of a time beyond 32 bits", push(410) { $0.timestamp = .max }, beyond, beyond, nil, nil),
      ("410 of an unknown token", push(410) { $0.token = nil }, nil, nil, \.withoutToken, \.withoutToken),
      ("bad token", push(400, "BadDeviceToken"), nil, atCapture, \.refused, nil),
      ("token of another topic", push(400, "DeviceTokenNotForTopic"), nil, atCapture, \.refused, nil),
      (
        "bad token in a log", push(400, "BadDeviceToken") { $0.capturedAt = nil }, nil, nil, \.uncaptured,
        \.uncaptured
      ),
      (
        "bad token before the service began", push(400, "BadDeviceToken") { $0.capturedAt = early }, nil, nil,
        \.refused, \.uncaptured
      ),
      (
        "bad token in the future", push(400, "BadDeviceToken") { $0.capturedAt = late }, nil, nil, \.refused,
        \.uncaptured
      ), ("another error", push(400, "BadTopic"), nil, nil, nil, nil),
      ("the beginning of a reason", push(400, "BadDeviceToke"), nil, nil, nil, nil),
      ("an error without a reason", push(400), nil, nil, nil, nil),
      ("the reason with another status", push(403, "BadDeviceToken"), nil, nil, nil, nil),
      ("accepted", push(200), nil, nil, nil, nil), ("unknown", push(nil, "Unregistered"), nil, nil, nil, nil),
    ]
  }

  @Test("count as of their time, or on request as of their capture") func times() throws {
    func one(_ field: WritableKeyPath<PushesLeftOut, Int>?) -> PushesLeftOut {
      var leftOut = PushesLeftOut()
      if let field { leftOut[keyPath: field] = 1 }
      return leftOut
    }
    for example in Self.examples() {
      let strict = try collected([example.push])
      #expect(strict.found == [example.strict].compactMap { $0 }, "\(example.name)")
      #expect(strict.collector.leftOut == one(example.leftOut), "\(example.name)")
      let lenient = try collected([example.push], errors: true)
      #expect(lenient.found == [example.withErrors].compactMap { $0 }, "\(example.name)")
      #expect(lenient.collector.leftOut == one(example.leftOutWithErrors), "\(example.name)")
      let added = lenient.collector.added.invalidated + lenient.collector.added.refused
      #expect(added == (example.withErrors == nil ? 0 : 1), "\(example.name)")
    }
  }

  static let doubts: [(change: @Sendable (inout SamplePush) -> Void, flags: RecordFlags, doubts: PushFlags)] =
    [
      ({ $0.flags = .statusInferred }, [], .statusInferred),
      ({ $0.flags = .malformedJSON }, [], .malformedJSON),
      ({ $0.flags = .unexpectedTokenLength }, .unexpectedTokenLength, .unexpectedTokenLength),
      ({ $0.timestamp = 1_600_000_000 }, .implausibleTimestamp, []),
      ({ $0.timestamp = 1_700_000_001_000 }, .implausibleTimestamp, []),
    ]

  @Test("are rejected with a doubtful token or time, unless flagged ones count", arguments: doubts.indices)
  func doubtful(_ index: Int) throws {
    let (change, flags, doubts) = Self.doubts[index]
    let push = Self.push(410, "Unregistered", change)
    let strict = try collected([push])
    #expect(strict.found.map(\.time) == [nil])
    #expect(strict.found.map(\.flags) == [flags])
    #expect(strict.collector.added.tokenFlags == doubts)
    let lenient = try collected([push], flagged: true)
    #expect(lenient.found.map(\.time) == [UInt32((push.timestamp ?? 0) / 1000)])
  }

  @Test("count in spite of flags about other fields") func otherFlags() throws {
    let push = Self.push(410) { $0.flags = [.unknownHeaders, .streamReset] }
    #expect(try collected([push]).found == [Self.atTime])
  }

  @Test("count once, at the latest time, in any order, also among tuples") func latest() throws {
    let times: [Int64] = [1_600_000_000_700, 1_600_000_000_000, 1_599_999_999_999, 1_600_000_000_650]
    for shift in times.indices {
      let table = Self.table()
      let collector = PushCollector(table, flaggedCount: false, takesErrors: false, now: Self.now)
      let order = times[shift...] + times[..<shift]
      try collector.add(order.map { .invalidated(Self.token, at: $0) })
      let tuple = Tuples.of(Self.token, time: 1_600_000_000)
      try table.add(RecordRun.sample(tokenLength: 32, flags: []), in: tuple.span.bytes, counts: true)
      var found: [Found] = []
      try table.visit { _, verdict in
        found.append(Found(time: verdict.time, milliseconds: verdict.milliseconds))
        #expect(verdict.records == 5)
      }
      #expect(found == [Self.atTime])
    }
  }

  @Test("have the origins of the latest and of the earliest time") func origin() throws {
    let table = Self.table()
    let collector = PushCollector(
      table, flaggedCount: false, takesErrors: false, now: Self.now, origins: TokenOrigins())
    let times: [Int64] = [1_600_000_001_100, 1_600_000_001_300, 1_600_000_000_200]
    try collector.add(times.map { .invalidated(Self.token, at: $0) }, source: "a.pcap", stream: 4)
    var found: [TokenOrigin?] = []
    try table.visit { _, verdict in found += [verdict.origin, verdict.firstOrigin] }
    #expect(found.map { $0?.offset } == [100, 200])
    #expect(found.map { $0?.time } == [1_600_000_001, 1_600_000_000])
    #expect(found.allSatisfy { $0?.input == 0 && $0?.stream == 4 && $0?.fileOffset != .max })
  }

  @Test(
    "the app and the kind of a topic",
    arguments: Fixtures.rows("topics", in: "push-topics") as [(String, String, String?)])
  func topicKind(_ topic: String, _ app: String, _ kind: String?) {
    let bytes = Array(topic.utf8)
    let found = TokenKind.split(bytes.indices, in: bytes.span.bytes)
    #expect(String(decoding: bytes[found.app], as: UTF8.self) == app)
    #expect(found.kind?.rawValue == kind)
  }

  @Test(
    "a topic without a kind leaves it to the push type, as libraries write it",
    arguments: [
      ("com.example.app", nil, .device), (nil, nil, nil), ("", "", nil), ("com.example.app", "", .device),
      ("com.example.app", "alert", .device), (nil, "background", .device),
      (nil, "liveactivity", .liveActivity), ("com.example.app", "LIVE_ACTIVITY", .liveActivity),
      ("com.example.app", "push-to-talk", .pushToTalk), (nil, "mdm", .mdm), (nil, "later", .other),
      (nil, "alerts", .other), ("com.example.app.voip", "alert", .voip),
      ("pass.com.example.card", "background", .pass),
    ] as [(String?, String?, TokenKind?)]) func pushTypes(
      _ topic: String?, _ type: String?, _ kind: TokenKind?
    )
  {
    var fields = PushFields()
    let bytes = Array(((topic ?? "") + (type ?? "")).utf8)
    let start = topic?.utf8.count ?? 0
    fields[.topic] = topic.map { _ in 0..<start }
    fields[.pushType] = type.map { _ in start..<bytes.count }
    #expect(fields.tokenKind(in: bytes.span.bytes) == kind)
  }

  @Test(
    "of other kinds are left out and counted, unless the app is such a topic itself",
    arguments: [
      (.device, "", [0, 3], [.voip: 1, .pass: 1]), (.device, "a", [0, 3], [.voip: 1, .pass: 1]),
      (.device, "a.voip", [1, 3], [.pass: 1]), (.device, "pass.a", [2, 3], [.voip: 1]),
      (.voip, "a", [1], [.device: 2, .pass: 1]), (nil, "", [0, 1, 2, 3], [:]),
    ] as [(TokenKind?, String, [UInt8], [TokenKind: Int])]) func kinds(
      _ kind: TokenKind?, _ app: String, _ added: [UInt8], _ leftOut: [TokenKind: Int]
    ) throws
  {
    let pushes = (["a", "a.voip", "pass.a", nil] as [String?]).enumerated().map { number, topic in
      push(topic) { $0.token = [UInt8](repeating: UInt8(number), count: 32) }
    }
    let table = Self.table()
    let collector = PushCollector(table, flaggedCount: false, takesErrors: false, app: app, now: Self.now)
    collector.tokenKind = kind
    try collector.add(pushes)
    var found: [UInt8] = []
    try table.visit { token, _ in found.append(token.byte(at: 0)) }
    #expect(found.sorted() == added)
    #expect(collector.leftOut.ofOtherKinds == leftOut)
  }

  private func push(_ topic: String?, _ change: (inout SamplePush) -> Void = { _ in }) -> SamplePush {
    Self.push(410, nil) { push in
      push.topic = topic
      change(&push)
    }
  }

  @Test("the first topic of each app is kept") func topics() throws {
    let pushes = [
      push("b.voip") { $0.line = 3 }, push("a"), push("b"), push(nil), push("a"), push("b.voip"),
      push("c") { $0.timestamp = nil }, Self.push(200, nil) { $0.topic = "d" },
    ]
    let topics = try collected(pushes).collector.topics.apps
    #expect(topics.map(\.app) == ["b", "a"])
    #expect(topics.map(\.topic) == ["b.voip", "a"])
    #expect(topics.map(\.line) == [3, nil])
    #expect(topics.map(\.isOwn) == [true, true])
  }

  @Test(
    "of other apps are left out, unless they are accepted",
    arguments: [("a", 3), ("b", 2), ("b.voip", 2), ("c", 1), ("", 4)]) func otherApps(
      _ app: String, _ added: Int
    ) throws
  {
    // One has no topic.
    let topics: [String?] = ["a", "a.voip", nil, "b.voip"]
    let pushes = topics.enumerated().map { number, topic in
      push(topic) { $0.token = [UInt8](repeating: UInt8(number), count: 32) }
    }
    for takesOthers in [false, true] {
      let table = Self.table()
      let collector = PushCollector(
        table, flaggedCount: false, takesErrors: false, app: app, takesOtherApps: takesOthers, now: Self.now)
      try collector.add(pushes)
      let expected = takesOthers ? 4 : added
      #expect(try table.distinctCount() == expected)
      #expect(collector.added.invalidated == expected)
      #expect(collector.leftOut.ofOtherApps == 4 - expected)
      let isOwn = collector.topics.apps.contains(where: \.isOwn)
      #expect(isOwn == (app != "c"))
    }
  }

  private func collectedByApp(_ topics: [String?]) throws -> PushCollector {
    let collector = PushCollector(Self.table(), flaggedCount: false, takesErrors: false, now: Self.now)
    collector.makeTable = Self.table
    collector.tokenKind = .device
    try collector.add(topics.map { push($0) })
    return collector
  }

  @Test("of each app have a table of their own, and those without one are counted") func eachApp() throws {
    let topics = [
      "a.b", "a.c", nil, "a.b.voip", "a.b", "pass.a", "", "-", "null", "...", "a.b\u{e4}", "a b.c",
    ]
    let collector = try collectedByApp(topics)
    #expect(collector.apps.mapValues(\.invalidated) == ["a.b": 2, "a.c": 1])
    for (_, added) in collector.apps { #expect(try added.table.distinctCount() == 1) }
    #expect(try collector.added.table.distinctCount() == 0 && collector.added.invalidated == 0)
    #expect(collector.leftOut.withoutApp == 7 && collector.leftOut.ofOtherKinds == [.voip: 1, .pass: 1])
  }

  @Test("of more apps than have tables are counted") func manyApps() throws {
    let collector = try collectedByApp((0..<300).map { "com.example.a\($0)" })
    #expect(collector.apps.count == PushCollector.mostApps + 1 && collector.leftOut.withoutApp == 199)
  }
}
