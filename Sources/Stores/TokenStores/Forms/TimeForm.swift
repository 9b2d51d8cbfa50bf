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
}
