import TimeZones

/// A kind of columns, some of which are local times, and one of which may be another name of `offset`.
package protocol LocalTimeColumn: CaseIterable, Equatable, RawRepresentable<String> {}

extension LocalTimeColumn {
  private static var ending: String { "_local" }

  /// Whether the column is a local time, which only --time-zone adds.
  package var isLocal: Bool { rawValue.hasSuffix(Self.ending) }

  /// Whether the column is the offset by a name that needs no quotes in SQL: it is only written if it is named.
  package var isAlias: Bool { rawValue == "stream_offset" }

  /// All columns; without a clock, there are no local times.
  package static func all(_ clock: LocalClock?) -> [Self] {
    allCases.filter { !$0.isAlias && (clock != nil || !$0.isLocal) }
  }

  /// `columns` with the local time after each time, unless it is among them.
  package static func withLocalTimes(_ columns: [Self]) -> [Self] {
    columns.flatMap { column in
      guard let local = Self(rawValue: column.rawValue + ending), !columns.contains(local) else {
        return [column]
      }
      return [column, local]
    }
  }
}

extension FeedbackColumn: LocalTimeColumn {}
extension RequestColumn: LocalTimeColumn {
  /// The default columns in CSV.
  package static let standard = all(nil)
}
extension ResponseColumn: LocalTimeColumn {
  /// The default columns in CSV.
  package static let standard = all(nil)
}
extension PushColumn: LocalTimeColumn {}
extension StreamColumn: LocalTimeColumn {}
extension FindingColumn: LocalTimeColumn {}
/// Times of files have no local form.
extension InputColumn: LocalTimeColumn {}
