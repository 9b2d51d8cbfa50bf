import Basics

/// The format of a time in a column or a field.
package enum TimeForm: Hashable, Sendable {
  /// UNIX seconds.
  case seconds
  /// UNIX milliseconds.
  case milliseconds
  /// ISO 8601 text; without an offset it is UTC.
  case iso
  /// PostgreSQL's `timestamp with time zone`.
  case timestamptz
  /// Date and time of day in a named zone of the tz database, without an offset.
  case timestamp(zone: String)
  /// A date in a zone. As a time it is the last second of the day: a registration of that day may be any moment of it.
  case date(zone: String)

  private static let plain: [TimeForm] = [.seconds, .milliseconds, .iso, .timestamptz]
  package static let zoned = ["timestamp", "date"]
  package static let names = plain.map(\.plainName) + zoned

  /// The form of that name; `timestamp` and `date` are in UTC, or in a zone such as `timestamp:Europe/Berlin`. Nil for
  /// other names, and for a zone that the tz database of this machine does not have.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let zone = parts.count > 1 ? parts[1] : "UTC"
    let forms = (parts.count > 1 ? [] : Self.plain) + [.timestamp(zone: zone), .date(zone: zone)]
    guard let form = forms.first(where: { $0.plainName == parts[0] }),
      form.zone.map({ Zone.named($0) != nil }) ?? true
    else { return nil }
    self = form
  }

  /// Nil for forms without one.
  var zone: String? {
    switch self {
    case .timestamp(let zone), .date(let zone): zone
    case .seconds, .milliseconds, .iso, .timestamptz: nil
    }
  }

  /// The name without a zone.
  var plainName: String {
    switch self {
    case .seconds: "seconds"
    case .milliseconds: "milliseconds"
    case .iso: "iso"
    case .timestamptz: "timestamptz"
    case .timestamp: Self.zoned[0]
    case .date: Self.zoned[1]
    }
  }

  package var name: String { zone == nil || zone == "UTC" ? plainName : "\(plainName):\(zone ?? "")" }
  /// The UNIX seconds of `text`, rounded down; nil if it has another format.
  package func seconds(of text: String) -> Int64? { time(of: text)?.seconds }

  /// The time of `text`, rounded down to a millisecond, or in the form `seconds` to a second; nil for another
  /// format.
  /// - Parameter isFirst: whether a text without seconds or a time of day is its first moment: one of an invalidation.
  func time(of text: String, isFirst: Bool = false) -> StoreTime? {
    switch self {
    case .seconds: return Self.whole(text).map { StoreTime(seconds: $0) }
    case .milliseconds: return Self.whole(text).map { StoreTime($0, units: 1000) }
    case .iso, .timestamptz: return DateAndTime(text)?.time(in: nil, isFirst: isFirst)
    case .timestamp(let name):
      guard let zone = Zone.named(name) else { return nil }
      return DateAndTime(text)?.time(in: zone, isFirst: isFirst)
    case .date(let name):
      guard let zone = Zone.named(name), let date = DateAndTime(text), date.local % 86_400 == 0 else {
        return nil
      }
      return StoreTime(seconds: zone.moment(ofLocal: date.local + 86_399))
    }
  }

  /// The text of `seconds`; nil if the form has none. Dates have four digits of the year, for the years 1 to 9999.
  package func text(of seconds: Int64) -> String? {
    switch self {
    case .seconds, .milliseconds: return value(of: StoreTime(seconds: seconds), kind: .integer)?.text
    case .iso: return DateAndTime.range.contains(seconds) ? CaptureTime(seconds: seconds).text : nil
    case .timestamptz: return DateAndTime.text(CaptureTime(seconds: seconds), end: "+00")
    case .timestamp(let name):
      guard let zone = Zone.named(name), DateAndTime.range.contains(seconds) else { return nil }
      return DateAndTime.text(CaptureTime(seconds: seconds + zone.offset(at: seconds)))
    case .date(let zone): return Self.timestamp(zone: zone).text(of: seconds).map { String($0.prefix(10)) }
    }
  }

  /// A decimal number, rounded down.
  private static func whole(_ text: String) -> Int64? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let number = Int64(Substring(first)) else { return nil }
    guard parts.count > 1 else { return number }
    let isNegative = first.first == UInt8(ascii: "-")
    guard !parts[1].isEmpty, parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard isNegative, parts[1].contains(where: { $0 != 0x30 }) else { return number }
    let (floor, overflow) = number.subtractingReportingOverflow(1)
    return overflow ? nil : floor
  }
}
