import Basics

/// A kind of columns, some of which are local times, and some of which say again what others do.
package protocol LocalTimeColumn: CaseIterable, Equatable, RawRepresentable<String> {}

extension LocalTimeColumn {
  private static var ending: String { "_local" }

  /// Whether the column is a local time, which only --time-zone adds.
  package var isLocal: Bool { rawValue.hasSuffix(Self.ending) }

  /// Whether the column follows from others, and is only written if it is named.
  package var isDerived: Bool { rawValue == "stream_offset" || rawValue == "token_kind" }

  /// All columns; without a clock, there are no local times.
  package static func all(_ clock: LocalClock?) -> [Self] {
    allCases.filter { !$0.isDerived && (clock != nil || !$0.isLocal) }
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
