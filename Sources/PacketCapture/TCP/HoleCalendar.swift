/// When the patience with a connection ends: the days are packets of the capture, and each has a list of what
/// is due on it.
struct HoleCalendar {
  enum Matter {
    /// A direction waits for the bytes of a hole, or for its SYN.
    case hole(Connection, Side)
    /// A connection has ended, and is closed once nothing more comes.
    case end(Connection)
  }

  let window: Int
  private var days: [[Matter]]
  /// No day before this one has anything on it.
  private var earliest = 0

  init(window: Int) {
    self.window = min(max(0, window), CaptureOptions.maxReorderWindow)
    days = Array(repeating: [], count: self.window + 1)
  }

  /// Puts `matter` on the day when `packet` packets have been read; at most `window` ahead.
  mutating func add(_ matter: Matter, at packet: Int) {
    days[packet % days.count].append(matter)
    earliest = min(earliest, packet)
  }

  /// Takes what is due now that `packet` packets have been read.
  mutating func take(at packet: Int) -> [Matter] {
    let day = packet % days.count
    if days[day].isEmpty { return [] }
    defer { days[day] = [] }
    return days[day]
  }

  /// Takes what is due next of all that waits after `packet` packets; nil where nothing waits.
  mutating func takeEarliest(after packet: Int) -> Matter? {
    earliest = max(earliest, packet)
    while earliest <= packet &+ window {
      if let matter = days[earliest % days.count].popLast() { return matter }
      earliest += 1
    }
    return nil
  }
}
