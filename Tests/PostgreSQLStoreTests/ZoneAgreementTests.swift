import PrivateServers
import TestSupport
import Testing
import TokenStores

/// Local times as PostgreSQL takes them, by `AT TIME ZONE`.
@Suite("Zones as PostgreSQL has them")
struct ZoneAgreementTests {
  /// North and south of the equator, half hours, changes of the zone itself, negative summer time (Dublin), a change by
  /// half an hour (Lord Howe), at midnight (Beirut), by a whole day (Apia), and a rule that ends (Casablanca).
  static let zones = [
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Moscow", "America/New_York",
    "America/Sao_Paulo", "America/Caracas", "America/Nuuk", "America/St_Johns", "Asia/Kolkata", "Asia/Tehran",
    "Asia/Beirut", "Asia/Gaza", "Asia/Pyongyang", "Africa/Casablanca", "Africa/Monrovia",
    "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia", "Pacific/Kwajalein", "Pacific/Chatham",
    "EST5EDT", "Etc/GMT+5",
  ]

  /// The days from 1970 to 2037 on which the clocks were changed, in days since 1970-01-01.
  private func changes(in zone: String, _ session: PostgreSQLSession) throws -> [Int] {
    try session.run(
      """
      SELECT d FROM (SELECT d, to_timestamp(d * 86400) AT TIME ZONE '\(zone)' AS here,
          to_timestamp((d + 1) * 86400) AT TIME ZONE '\(zone)' AS there FROM generate_series(0, 24836) AS d) AS days
      WHERE there - here <> interval '86400 seconds'
      """
    ).compactMap { $0[0].flatMap { Int($0) } }
  }

  /// What the server makes of each number `s`, of seconds: of clocks that show that many after 1970-01-01 00:00:00, and
  /// the text of that moment.
  private func answers(
    to seconds: [Int64], in zone: String, _ session: PostgreSQLSession
  ) throws -> [(moment: Int64?, text: String?)] {
    let list = seconds.map { String($0) }.joined(separator: ",")
    return try session.run(
      """
      SELECT extract(epoch FROM (timestamp 'epoch' + s * interval '1 second') AT TIME ZONE '\(zone)')::bigint,
        to_char(to_timestamp(s) AT TIME ZONE '\(zone)', 'YYYY-MM-DD HH24:MI:SS')
      FROM unnest('{\(list)}'::bigint[]) WITH ORDINALITY AS t(s, n) ORDER BY n
      """
    ).map { ($0[0].flatMap { Int64($0) }, $0[1]) }
  }

  private func check(_ seconds: [Int64], in zone: String, _ session: PostgreSQLSession) throws {
    let form = try #require(TimeForm("timestamp:\(zone)"))
    let utc = try #require(TimeForm("timestamp"))
    let locals = try seconds.map { try #require(utc.text(of: $0)) }
    let answers = try answers(to: seconds, in: zone, session)
    let wrong = zip(locals, answers.map(\.moment)).filter { form.seconds(of: $0) != $1 }
    #expect(
      wrong.isEmpty,
      "\(wrong.count), first \(wrong.prefix(3)), ours \(wrong.prefix(3).map { form.seconds(of: $0.0) })")
    let wrongTexts = zip(seconds, answers.map(\.text)).filter { form.text(of: $0) != $1 }
    #expect(wrongTexts.isEmpty, "\(wrongTexts.count), first \(wrongTexts.prefix(3))")
  }

  @Test("around every change from 1970 to 2037", arguments: zones)
  func aroundChanges(_ zone: String) throws {
    let session = try PostgreSQLSession(PrivatePostgreSQL.shared.get(), database: "postgres")
    let days = try changes(in: zone, session)
    let locals = days.flatMap { day in
      stride(from: Int64(day - 1) * 86_400, to: Int64(day + 2) * 86_400, by: 900).flatMap { [$0 - 1, $0] }
    }
    try check(locals, in: zone, session)
  }

  @Test("random times, also before 1970 and long after", arguments: zones)
  func randomTimes(_ zone: String) throws {
    let session = try PostgreSQLSession(PrivatePostgreSQL.shared.get(), database: "postgres")
    var generator = SeededGenerator(seed: 11)
    let locals = (0..<6000).map { index in
      Int64(generator.pick(index % 3 == 0 ? -8_000_000_000...40_000_000_000 : 0...2_145_916_800))
    }
    try check(locals, in: zone, session)
  }
}
