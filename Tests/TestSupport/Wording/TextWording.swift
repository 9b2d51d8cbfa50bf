import Basics

extension Message {
  package static func unknownZone(_ zone: String) -> Message {
    Message(
      "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, or an offset "
        + "such as -05:00, found '\(zone)'; "
        + "correct it, or install the database (package tzdata)")
  }
}
