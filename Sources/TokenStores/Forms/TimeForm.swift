/// How a column or a field holds a time.
package enum TimeForm: Hashable, Sendable {
  /// UNIX seconds.
  case seconds
  /// UNIX milliseconds.
  case milliseconds
  /// Text as of ISO 8601 with its offset from UTC; without one it is UTC.
  case iso
  /// PostgreSQL's `timestamp with time zone`.
  case timestamptz
  /// Date and time of day in a named zone of the tz database, without an offset.
  case timestamp(zone: String)
}
