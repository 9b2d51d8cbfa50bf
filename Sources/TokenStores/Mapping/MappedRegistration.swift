/// Registrations into a mapped table, inside a transaction; each counts for all rows of its token.
struct MappedRegistration {
  let rows: MappedRows
  let inserts: Bool

  private var table: MappedTable { rows.table }
  private var words: SQLWords { rows.words }
  private var met: String { rows.temporary("apnsift_met") }
  private var raised: String { rows.temporary("apnsift_raised") }

  func run(_ registrations: TimedTokens) throws -> RegistrationCounts {
    let count = try rows.session.stage(registrations, areDistinct: false)
    try rows.meet()
    try judge()
    try write()
    var counts = RegistrationCounts()
    counts.revived = try rows.number("SELECT count(DISTINCT token) FROM \(raised) WHERE revives = 1")
    counts.raised = try rows.number("SELECT count(DISTINCT token) FROM \(raised)") - counts.revived
    let unknown = try rows.number("SELECT count(*) FROM \(unknown)")
    if inserts, unknown > 0 {
      try insert(unknown)
      counts.added = unknown
    } else {
      counts.unknown = unknown
    }
    counts.unchanged = max(count - counts.added - counts.revived - counts.raised - counts.unknown, 0)
    return counts
  }

  /// Makes `apnsift_raised`: the rows that are to be written, and how. As of ReplayRule.registering; where the time of a
  /// death is not known, a registration later than the row's brings it back.
  private func judge() throws {
    try rows.make(
      "apnsift_raised",
      "place \(table.placeType), token \(words.bytes), time \(words.integer), raises \(words.integer), revives \(words.integer)"
    )
    let isLater = "(registered IS NULL OR registered < time)"
    let raises = table.registered == nil ? "1 = 0" : isLater
    let revives: String
    switch table.death {
    case .time: revives = "died <= time OR died <= registered"
    case .flag(_, _, _, _, let alive, _): revives = alive == nil ? "1 = 0" : isLater
    case .removal: revives = "1 = 0"
    }
    try rows.run(
      """
      INSERT INTO \(raised)
      SELECT place, token, time, CASE WHEN \(raises) THEN 1 ELSE 0 END, CASE WHEN is_dead = 1 AND (\(revives)) THEN 1 ELSE 0 END
      FROM \(met) WHERE \(raises) OR (is_dead = 1 AND (\(revives)))
      """)
  }

  private func write() throws {
    let expected = try rows.number("SELECT count(*) FROM \(raised)")
    if expected == 0 { return }
    var settings: [String] = []
    if let registered = table.registered {
      settings.append(
        "\(registered.column) = CASE WHEN c.raises = 1 THEN \(registered.write("c.time")) ELSE t.\(registered.column) END"
      )
    }
    switch table.death {
    case .time(let time, _):
      settings.append("\(time.column) = CASE WHEN c.revives = 0 THEN t.\(time.column) END")
    case .flag(let column, _, _, _, let alive, _):
      if let alive {
        settings.append("\(column) = CASE WHEN c.revives = 1 THEN \(alive) ELSE t.\(column) END")
      }
    case .removal: break
    }
    let written = try rows.run(
      "UPDATE \(table.name) AS t SET \(settings.joined(separator: ", ")) FROM \(raised) AS c WHERE \(table.place) = c.place"
    )
    try rows.check(written, is: expected)
  }

  private var unknown: String {
    "(SELECT token, time FROM \(rows.temporary("apnsift_staged")) AS s "
      + "WHERE NOT EXISTS (SELECT 1 FROM \(met) AS m WHERE m.token = s.token)) AS u"
  }

  private func insert(_ expected: Int) throws {
    var values = rows.ownership + [(table.token.column, table.token.write("u.token"))]
    if let registered = table.registered { values.append((registered.column, registered.write("u.time"))) }
    if case .flag(let column, _, _, _, let alive, _) = table.death, let alive {
      values.append((column, alive))
    }
    try rows.check(rows.insert(values, from: unknown), is: expected)
  }
}
