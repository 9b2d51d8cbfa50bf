import NIOCore

/// Finds out whether a client has read what was sent to it (docs/decisions/0031-chunks-that-stay-apart.md).
struct ReadMonitor {
  enum Status: Equatable {
    case read
    /// All has arrived; whether it was read cannot be known here, and is to be assumed after so many nanoseconds.
    case arrived(pause: Int64)
    /// It is to look again after so many nanoseconds.
    case waiting(nanoseconds: Int64, progressed: Bool)
  }

  /// So long, 20 ms, passes between chunks where it cannot be known whether they are read.
  private static let blindPause: Int64 = 20_000_000
  /// How long it waits to look again: 20 µs first, and twice as long each time, up to 2 ms.
  private static let firstLook: Int64 = 20_000
  private static let longestLook: Int64 = 2_000_000

  private var queues: SocketQueues
  private var nextLook = ReadMonitor.firstLook
  /// Bytes that were on their way or unread when it looked last.
  private var rest = Int.max

  init(own: SocketAddress?, peer: SocketAddress?) {
    queues = SocketQueues(own: own, peer: peer)
  }

  /// More was sent.
  mutating func begin() {
    nextLook = Self.firstLook
    rest = .max
  }

  mutating func look() -> Status {
    let state = queues.state()
    // What is acknowledged has arrived; only then does an empty queue mean that it was read.
    let left = (state?.unacknowledged ?? 0) &+ (state?.unread ?? 0)
    guard left > 0 else { return state?.unread == nil ? .arrived(pause: Self.blindPause) : .read }
    defer {
      rest = min(rest, left)
      nextLook = min(2 &* nextLook, Self.longestLook)
    }
    return .waiting(nanoseconds: nextLook, progressed: left < rest)
  }
}
