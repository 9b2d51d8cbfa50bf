import NIOCore

/// Finds out whether a client has read the bytes sent (docs/decisions/testing.md#31-separate-chunks).
struct ReadMonitor {
  enum ReadProgress: Equatable {
    case read
    /// Everything has arrived. Reading cannot be observed here: assume it after this number of nanoseconds.
    case arrived(pause: Int64)
    /// Look again after this number of nanoseconds.
    case waiting(nanoseconds: Int64, progressed: Bool)
  }

  /// 20 ms: pause between chunks if reading cannot be observed.
  private static let blindPause: Int64 = 20_000_000
  /// Delay before looking again: 20 µs first, doubled each time, up to 2 ms.
  private static let firstLook: Int64 = 20_000
  private static let longestLook: Int64 = 2_000_000

  private let queues: SocketQueues
  /// The server's socket, and the client's if that is on the same system.
  private let own: SocketQueues.Query?
  private let peer: SocketQueues.Query?
  private var nextLook = ReadMonitor.firstLook
  /// Bytes in flight or unread at the last look.
  private var rest = Int.max

  init(_ queues: SocketQueues, own: SocketAddress?, peer: SocketAddress?) {
    self.queues = queues
    self.own = SocketQueues.Query(own: own, peer: peer)
    self.peer = SocketQueues.Query(own: peer, peer: own)
  }

  /// Starts again after more bytes were sent.
  mutating func begin() {
    nextLook = Self.firstLook
    rest = .max
  }

  mutating func look() -> ReadProgress {
    // In this order: only when all bytes have arrived does an empty queue mean that they were read.
    let unacknowledged = queues.lengths(own)?.unacknowledged ?? 0
    let unread = queues.lengths(peer)?.unread
    let left = unacknowledged &+ (unread ?? 0)
    guard left > 0 else { return unread == nil ? .arrived(pause: Self.blindPause) : .read }
    defer {
      rest = min(rest, left)
      nextLook = min(2 &* nextLook, Self.longestLook)
    }
    return .waiting(nanoseconds: nextLook, progressed: left < rest)
  }
}
