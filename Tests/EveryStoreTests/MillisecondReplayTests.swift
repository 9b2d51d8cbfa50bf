import Basics
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// Times with milliseconds, as answers with status 410 have them (docs/spec/interface.md#replay-rule).
@Suite("Times with milliseconds") struct MillisecondReplayTests {
  /// 2014-05-13T16:53:20Z.
  private static let second: UInt32 = 1_400_000_000
  private static let token = MappedDevices.token

  /// A kind of column for both times of a table.
  struct Column: CustomTestStringConvertible, Sendable {
    var kind: StoreKind
    var type: String
    var form: TimeForm
    /// Texts of the second above with `fraction`, such as `.5`, in the form.
    var literal: @Sendable (_ fraction: String) -> String
    /// Whether fractions of registrations can be stored, and those of invalidations are.
    var hasFractions: Bool
    var keeps: Bool

    init(
      _ kind: StoreKind, _ type: String, _ form: TimeForm, _ literal: @escaping @Sendable (String) -> String,
      hasFractions: Bool = true, keeps: Bool = true
    ) {
      (self.kind, self.type, self.form, self.literal) = (kind, type, form, literal)
      (self.hasFractions, self.keeps) = (hasFractions, keeps)
    }

    var testDescription: String { "\(kind) \(type) as \(form.name)" }
  }

  private static func clock(_ fraction: String) -> String { "'2014-05-13 16:53:20\(fraction)'" }
  private static func berlin(_ fraction: String) -> String { "'2014-05-13 18:53:20\(fraction)'" }
  private static func west(_ fraction: String) -> String { "'2014-05-13 11:53:20\(fraction)'" }
  private static func moment(_ fraction: String) -> String { "'2014-05-13 16:53:20\(fraction)+00'" }
  private static func iso(_ fraction: String) -> String { "'2014-05-13T16:53:20\(fraction)Z'" }

  private static func milliseconds(_ fraction: String) -> String {
    "1400000000\((fraction.dropFirst() + "000").prefix(3))"
  }

  private static let seconds: @Sendable (String) -> String = { _ in "1400000000" }

  static let columns: [Column] =
    StoreKind.allCases.flatMap { kind in
      [
        Column(kind, "bigint", .milliseconds, milliseconds),
        Column(kind, "bigint", .seconds, seconds, hasFractions: false, keeps: false),
        Column(kind, "text", .iso, iso, keeps: false),
      ]
    } + [
      Column(.sqlite, "datetime", .timestamp(zone: "UTC"), clock, keeps: false),
      Column(.sqlite, "real", .milliseconds, milliseconds),
      Column(.postgreSQL, "timestamptz", .timestamptz, moment),
      Column(.postgreSQL, "timestamptz(3)", .timestamptz, moment),
      Column(.postgreSQL, "timestamptz(0)", .timestamptz, moment, hasFractions: false, keeps: false),
      Column(.postgreSQL, "timestamp", .timestamp(zone: "Europe/Berlin"), berlin),
      Column(.postgreSQL, "timestamp", .timestamp(zone: "-05:00"), west),
      Column(.postgreSQL, "timestamp(1)", .timestamp(zone: "UTC"), clock, keeps: false),
      Column(.mySQL, "datetime(6)", .timestamp(zone: "UTC"), clock),
      Column(.mySQL, "datetime(3)", .timestamp(zone: "Europe/Berlin"), berlin),
      Column(.mySQL, "datetime(3)", .timestamp(zone: "-05:00"), west),
      Column(.mySQL, "datetime", .timestamp(zone: "UTC"), clock, hasFractions: false, keeps: false),
      Column(.mySQL, "timestamp(3) NULL", .timestamptz, clock),
      Column(.mySQL, "timestamp NULL", .timestamptz, clock, hasFractions: false, keeps: false),
    ]

  private enum Action: CaseIterable {
    case mark, flag, delete
  }

  private static func mapping(_ column: Column, _ action: Action) -> TableMapping {
    MappedDevices.mapping { mapping in
      mapping.registered = TimeColumn(name: "seen", form: column.form)
      switch action {
      case .mark: mapping.action = .mark(TimeColumn(name: "gone", form: column.form))
      case .flag: mapping.action = .flag(column: "flag", dead: "dead", alive: "alive")
      case .delete: mapping.action = .delete
      }
    }
  }

  /// A table of devices, with their registrations.
  private static func devices(
    _ column: Column, _ rows: [([UInt8], registered: String?)], in fixture: StoreFixture
  ) throws {
    try fixture.begin(
      MappedDevices.table("token varchar(200), seen \(column.type), gone \(column.type), flag text"))
    let values = rows.enumerated().map { id, row in
      "(\(id), '\(Hex.string(row.0))', \(row.registered.map(column.literal) ?? "NULL"), 'alive')"
    }
    try fixture.run("INSERT INTO devices (id, token, seen, flag) VALUES \(values.joined(separator: ", "))")
  }

  private static func device(_ column: Column, registered: String?, in fixture: StoreFixture) throws {
    try devices(column, [(token, registered)], in: fixture)
  }

  private static func death(_ milliseconds: UInt16, after seconds: Int = 0) -> Dated {
    Dated(token: token, time: UInt32(Int(second) + seconds), milliseconds: milliseconds)
  }

  /// A registration's fraction of a second, the time of a 410, and the outcome if the column has fractions, and if not.
  static let examples:
    [(registered: String?, death: Dated, outcome: ReplayOutcome, inSeconds: ReplayOutcome)] = [
      (".5", death(700), .invalidated, .kept),
      (".7", death(500), .kept, .kept),
      (".7", death(700), .kept, .kept),
      (".7", death(701), .invalidated, .kept),
      (".001", death(2), .invalidated, .kept),
      (".999", death(999), .kept, .kept),
      // Without a fraction it may be of any moment of its second.
      ("", death(700), .kept, .kept),
      ("", death(999), .kept, .kept),
      ("", death(0, after: 1), .invalidated, .invalidated),
      ("", death(999, after: -1), .kept, .kept),
      // As a tuple.
      (".5", death(0), .kept, .kept),
      (".5", death(0, after: 1), .invalidated, .invalidated),
      (nil, death(700), .invalidated, .invalidated),
    ]

  /// Each example has a row of its own.
  @Test("decide in every form and type that has them", arguments: columns)
  func decide(_ column: Column) throws {
    let fixture = try StoreFixture(column.kind)
    // One digit is kept of the fractions above; more would be rounded.
    let examples = Self.examples.filter { example in
      !column.type.hasSuffix("(1)") || (example.registered ?? "").count <= 2
    }
    let deaths = examples.enumerated().map { index, example in
      Dated(
        token: [UInt8](repeating: UInt8(index), count: 32), time: example.death.time,
        milliseconds: example.death.milliseconds)
    }
    let outcomes = examples.map { column.hasFractions ? $0.outcome : $0.inSeconds }
    for action in Action.allCases {
      // A database rounds what a column cannot keep.
      let registered = examples.map { column.hasFractions ? $0.registered : $0.registered.map { _ in "" } }
      try Self.devices(column, Array(zip(deaths.map(\.token), registered)), in: fixture)
      let store = try fixture.store(Self.mapping(column, action))
      var options = ReplayOptions.unlimited(ReplayOptions(dryRun: true))
      options.sampleLength = .max
      let preview = try store.replay(deaths, options: options)
      options.dryRun = false
      let answer = try store.replay(deaths, options: options)
      let found = Dictionary(uniqueKeysWithValues: answer.sample.map { ($0.token, $0.outcome) })
      #expect(deaths.map { found[$0.token] } == outcomes, "\(action)")
      #expect(answer.counts == preview.counts, "\(action)")
      #expect(try store.replay(deaths).changes == 0, "again: \(action)")
    }
  }

  @Test("are written where the column keeps them, and undone", arguments: columns)
  func write(_ column: Column) throws {
    let fixture = try StoreFixture(column.kind)
    try Self.device(column, registered: nil, in: fixture)
    let store = try fixture.store(Self.mapping(column, .mark))
    /// Whether the column has a time of that fraction.
    func has(_ fraction: String) throws -> Bool {
      try fixture.texts("SELECT id FROM devices WHERE gone = \(column.literal(fraction))").count == 1
    }
    #expect(try store.replay([Self.death(500)], as: .sample).counts.invalidated == 1)
    #expect(try has(column.keeps ? ".5" : ""))
    #expect(try store.rows().map(\.state) == [TokenState(invalidatedAt: Int64(Self.second))])
    // Earlier ones, and the same, change nothing; a later one does if there is room for it.
    #expect(try store.replay([Self.death(0)]).unchanged == 1)
    #expect(try store.replay([Self.death(500)]).unchanged == 1)
    let later = try store.replay([Self.death(750)], as: .sample).counts
    #expect(later.updated == (column.keeps ? 1 : 0), "\(later)")
    #expect(try has(column.keeps ? ".75" : ""))
    if column.keeps {
      #expect(try store.undo(2, entry: .sample).restored == 1)
      #expect(try has(".5"))
    }
    #expect(try store.undo(1, entry: .sample).restored == 1)
    #expect(try fixture.texts("SELECT gone FROM devices") == [[nil]])
  }

  @Test("a registration in the same second revives, an older one does not", arguments: columns)
  func register(_ column: Column) throws {
    let fixture = try StoreFixture(column.kind)
    for (registration, isAlive) in [(Self.second, true), (Self.second - 1, false)] {
      for registered in [nil, column.hasFractions ? ".5" : nil] as [String?] {
        try Self.device(column, registered: registered, in: fixture)
        let store = try fixture.store(Self.mapping(column, .mark))
        #expect(try store.replay([Self.death(700)]).invalidated == 1)
        try store.register([Dated(token: Self.token, time: registration)])
        // The registration that the table has is the later one, or as late, and is from before the invalidation.
        let revives = isAlive && registered == nil
        #expect(try store.rows()[0].state.isDead == !revives, "\(registered ?? "none"), \(registration)")
      }
    }
  }

  // MARK: - Histories

  @Test("end in the same table in any order, and twice is once", arguments: columns)
  func order(_ column: Column) throws {
    let fixture = try StoreFixture(column.kind)
    var generator = SeededGenerator(seed: 410)
    for number in 0..<6 {
      let registered = generator.pick([nil, "", ".25", ".5", ".75"])
      let fraction = column.hasFractions ? registered : registered.map { _ in "" }
      let action = generator.pick([Action.mark, .flag])
      // Without the time of an invalidation, no later registration can be distinguished from an earlier one.
      let calls = (0..<generator.pick(2...5)).map { _ -> (isReplay: Bool, time: Dated) in
        let isReplay = action == .flag || generator.chance(2)
        let milliseconds = isReplay ? generator.pick([0, 250, 500, 501, 750, 999]) : 0
        return (isReplay, time: Self.death(UInt16(milliseconds), after: generator.pick(-1...1)))
      }
      var ends: Set<[String?]> = []
      for _ in 0..<4 {
        try Self.device(column, registered: fraction, in: fixture)
        let store = try fixture.store(Self.mapping(column, action))
        let repeated = calls.filter { _ in generator.chance(2) }
        for call in (calls + repeated).shuffled(using: &generator) {
          if call.isReplay { try store.replay([call.time]) } else { try store.register([call.time]) }
        }
        ends.insert(try fixture.texts("SELECT seen, gone, flag FROM devices")[0])
      }
      #expect(ends.count == 1, "history \(number) of \(calls) after \(fraction ?? "none"): \(ends)")
    }
  }
}
