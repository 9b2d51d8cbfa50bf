import APNsWire
import Analysis
import PacketCapture
import PushTestSupport
import TestSupport
import Testing
import WireBytes

@Suite("Tokens that answers to pushes call invalid")
struct PushCollectorTests {
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

  private func collected(
    _ pushes: [SamplePush], flagged: Bool = false, errors: Bool = false
  ) throws -> (collector: PushCollector, found: [Found]) {
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: "/nonexistent")
    let collector = PushCollector(table, flaggedCount: flagged, takesErrors: errors, now: Self.now)
    try collector.add(pushes)
    var found: [Found] = []
    try table.visit { _, verdict in
      found.append(
        Found(time: verdict.time, milliseconds: verdict.milliseconds, flags: verdict.flags))
    }
    return (collector, found)
  }

  private static func push(
    _ status: UInt16?, _ reason: String? = nil, _ change: (inout SamplePush) -> Void = { _ in }
  ) -> SamplePush {
    SamplePush(token, status) { push in
      (push.reason, push.timestamp, push.capturedAt) = (reason, status == 410 ? time : nil, captured)
      change(&push)
    }
  }

  /// A push, and what it adds: without options, and with `--from-errors`.
  struct Example: CustomTestStringConvertible, Sendable {
    var name: String
    var push: SamplePush
    var strict: Found?
    var withErrors: Found?
    var leftOut = PushesLeftOut()
    var leftOutWithErrors = PushesLeftOut()

    var testDescription: String { name }
  }

  private static let atTime = Found(time: 1_600_000_000, milliseconds: 700)
  private static let atCapture = Found(time: 1_650_000_000)

  private static func leftOut(_ change: (inout PushesLeftOut) -> Void) -> PushesLeftOut {
    var leftOut = PushesLeftOut()
    change(&leftOut)
    return leftOut
  }

  static let examples: [Example] = [
    Example(name: "410", push: push(410, "Unregistered"), strict: atTime, withErrors: atTime),
    Example(
      name: "410 of an expired token", push: push(410, "ExpiredToken"), strict: atTime, withErrors: atTime),
    Example(name: "410 without a reason", push: push(410), strict: atTime, withErrors: atTime),
    Example(
      name: "410 without a time", push: push(410) { $0.timestamp = nil }, strict: nil, withErrors: atCapture,
      leftOut: leftOut { $0.untimed = 1 }),
    Example(
      name: "410 without any time", push: push(410) { ($0.timestamp, $0.capturedAt) = (nil, nil) },
      strict: nil,
      withErrors: nil, leftOut: leftOut { $0.untimed = 1 }, leftOutWithErrors: leftOut { $0.uncaptured = 1 }),
    Example(
      name: "410 of an impossible time", push: push(410) { $0.timestamp = -1 }, strict: nil,
      withErrors: atCapture,
      leftOut: leftOut { $0.untimed = 1 }),
    Example(
      name: "410 of a time beyond 32 bits", push: push(410) { $0.timestamp = .max },
      strict: Found(flags: .implausibleTimestamp), withErrors: Found(flags: .implausibleTimestamp)),
    Example(
      name: "410 of an unknown token", push: push(410) { $0.token = nil }, strict: nil, withErrors: nil,
      leftOut: leftOut { $0.withoutToken = 1 }, leftOutWithErrors: leftOut { $0.withoutToken = 1 }),
    Example(
      name: "bad token", push: push(400, "BadDeviceToken"), strict: nil, withErrors: atCapture,
      leftOut: leftOut { $0.refused = 1 }),
    Example(
      name: "token of another topic", push: push(400, "DeviceTokenNotForTopic"), strict: nil,
      withErrors: atCapture,
      leftOut: leftOut { $0.refused = 1 }),
    Example(
      name: "bad token in a log", push: push(400, "BadDeviceToken") { $0.capturedAt = nil }, strict: nil,
      withErrors: nil, leftOut: leftOut { $0.refused = 1 }, leftOutWithErrors: leftOut { $0.uncaptured = 1 }),
    Example(
      name: "bad token before the service began",
      push: push(400, "BadDeviceToken") { $0.capturedAt = CaptureTime(seconds: 1_245_196_799) }, strict: nil,
      withErrors: nil, leftOut: leftOut { $0.refused = 1 }, leftOutWithErrors: leftOut { $0.uncaptured = 1 }),
    Example(
      name: "bad token in the future",
      push: push(400, "BadDeviceToken") { $0.capturedAt = CaptureTime(seconds: 1_700_000_001) }, strict: nil,
      withErrors: nil, leftOut: leftOut { $0.refused = 1 }, leftOutWithErrors: leftOut { $0.uncaptured = 1 }),
    Example(name: "another error", push: push(400, "BadTopic")),
    Example(name: "the beginning of a reason", push: push(400, "BadDeviceToke")),
    Example(name: "an error without a reason", push: push(400)),
    Example(name: "the reason with another status", push: push(403, "BadDeviceToken")),
    Example(name: "accepted", push: push(200)),
    Example(name: "unknown", push: push(nil, "Unregistered")),
  ]

  @Test("count as of their time, or on request as of their capture", arguments: examples)
  func times(_ example: Example) throws {
    let strict = try collected([example.push])
    #expect(strict.found == [example.strict].compactMap { $0 })
    #expect(strict.collector.leftOut == example.leftOut)
    let lenient = try collected([example.push], errors: true)
    #expect(lenient.found == [example.withErrors].compactMap { $0 })
    #expect(lenient.collector.leftOut == example.leftOutWithErrors)
    let added = lenient.collector.invalidated + lenient.collector.refused
    #expect(added == (example.withErrors == nil ? 0 : 1))
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
    #expect(strict.collector.doubts == doubts)
    let lenient = try collected([push], flagged: true)
    #expect(lenient.found.map(\.time) == [UInt32((push.timestamp ?? 0) / 1000)])
  }

  @Test("count in spite of flags about other fields")
  func otherFlags() throws {
    let push = Self.push(410) { $0.flags = [.unknownHeaders, .streamReset] }
    #expect(try collected([push]).found == [Self.atTime])
  }

  @Test("count once, at the latest time, in any order, also among tuples")
  func latest() throws {
    let times: [Int64] = [1_600_000_000_700, 1_600_000_000_000, 1_599_999_999_999, 1_600_000_000_650]
    for shift in times.indices {
      let table = TokenTable(memory: 1 << 20, temporaryDirectory: "/nonexistent")
      let collector = PushCollector(table, flaggedCount: false, takesErrors: false, now: Self.now)
      let order = times[shift...] + times[..<shift]
      try collector.add(order.map { .invalidated(Self.token, at: $0) })
      let tuple = Tuples.of(Self.token, time: 1_600_000_000)
      try table.add(
        RecordRun.sample(tokenLength: 32, flags: []), in: tuple.span.bytes, counts: true)
      var found: [Found] = []
      try table.visit { _, verdict in
        found.append(Found(time: verdict.time, milliseconds: verdict.milliseconds))
        #expect(verdict.records == 5)
      }
      #expect(found == [Self.atTime])
    }
  }

  @Test("have the origin of the latest time")
  func origin() throws {
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: "/nonexistent")
    let collector = PushCollector(
      table, flaggedCount: false, takesErrors: false, now: Self.now, origins: TokenOrigins())
    let times: [Int64] = [1_600_000_000_100, 1_600_000_000_300, 1_600_000_000_200]
    try collector.add(times.map { .invalidated(Self.token, at: $0) }, source: "a.pcap", stream: 4)
    var found: [TokenOrigin?] = []
    try table.visit { _, verdict in found.append(verdict.origin) }
    #expect(found == [TokenOrigin(input: 0, stream: 4, offset: 100)])
  }

  @Test(
    "the app of a topic",
    arguments: [
      ("com.example.app", "com.example.app"), ("com.example.app.voip", "com.example.app"),
      ("com.example.app.voip-ptt", "com.example.app"), ("com.example.app.complication", "com.example.app"),
      ("com.example.app.pushkit.fileprovider", "com.example.app"),
      ("com.example.app.location-query", "com.example.app"),
      ("com.example.app.push-type.liveactivity", "com.example.app"),
      ("com.example.app.push-type.controls", "com.example.app"),
      ("com.example.app.push-type.widgets", "com.example.app"),
      ("com.example.app.voip.extra", "com.example.app.voip.extra"),
      ("com.example.voipapp", "com.example.voipapp"),
      (".voip", ".voip"), ("", ""),
    ])
  func app(_ topic: String, _ app: String) {
    #expect(PushTopics.app(of: topic) == app)
  }

  private func push(_ topic: String?, _ change: (inout SamplePush) -> Void = { _ in }) -> SamplePush {
    Self.push(410, nil) { push in
      push.topic = topic
      change(&push)
    }
  }

  @Test("the first topic of each app is kept")
  func topics() throws {
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
    arguments: [("a", 3), ("b", 2), ("b.voip", 2), ("c", 1), ("", 4)])
  func otherApps(_ app: String, _ added: Int) throws {
    // One has no topic.
    let topics: [String?] = ["a", "a.voip", nil, "b.voip"]
    let pushes = topics.enumerated().map { number, topic in
      push(topic) { $0.token = [UInt8](repeating: UInt8(number), count: 32) }
    }
    for takesOthers in [false, true] {
      let table = TokenTable(memory: 1 << 20, temporaryDirectory: "/nonexistent")
      let collector = PushCollector(
        table, flaggedCount: false, takesErrors: false, app: app, takesOtherApps: takesOthers, now: Self.now)
      try collector.add(pushes)
      let expected = takesOthers ? 4 : added
      #expect(try table.distinctCount() == expected)
      #expect(collector.invalidated == expected)
      #expect(collector.leftOut.ofOtherApps == 4 - expected)
      let isOwn = collector.topics.apps.contains(where: \.isOwn)
      #expect(isOwn == (app != "c"))
    }
  }
}
