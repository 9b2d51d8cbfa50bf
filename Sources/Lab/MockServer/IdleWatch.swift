import NIOCore

/// Detects idle connections. Used on the connection's thread only.
final class IdleWatch {
  private let limit: TimeAmount
  private let loop: any EventLoop
  private let expired: () -> Void
  private var lastProgress = NIODeadline.now()
  private var timer: Scheduled<Void>?

  /// - Parameters:
  ///   - limit: in nanoseconds.
  ///   - expired: called when the connection was idle for `limit`, and repeatedly until `end`.
  init(limit: Int64, on loop: any EventLoop, expired: @escaping () -> Void) {
    self.limit = .nanoseconds(limit)
    self.loop = loop
    self.expired = expired
    wait(self.limit)
  }

  /// Restarts the idle period.
  func progress() { lastProgress = .now() }

  func end() {
    timer?.cancel()
    timer = nil
  }

  private func wait(_ time: TimeAmount) {
    timer = loop.assumeIsolated().scheduleTask(in: time) { self.look() }
  }

  private func look() {
    let rest = limit - (NIODeadline.now() - lastProgress)
    guard rest <= .zero else { return wait(rest) }
    progress()
    expired()
    if timer != nil { wait(limit) }
  }
}
