import TimeZones

/// A kind of columns, some of which are local times.
package protocol LocalTimeColumn: CaseIterable, Equatable, RawRepresentable<String> {}

extension LocalTimeColumn {
  private static var ending: String { "_local" }

  /// Whether the column is a local time, which only --time-zone adds.
  package var isLocal: Bool { rawValue.hasSuffix(Self.ending) }

  /// All columns; without a clock, there are no local times.
  static func all(_ clock: LocalClock?) -> [Self] { allCases.filter { clock != nil || !$0.isLocal } }

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
/// Times of files have no local form.
extension InputColumn: LocalTimeColumn {}
