/// A thread for work that takes long.
enum WorkThread {
  /// The usual stack size of a main thread, in bytes.
  private static let stackSize = 8 << 20

  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Throws a `CommandError` if the system has no thread left.
  static func start(_ run: @escaping @Sendable () -> Void) throws {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    let work = Unmanaged.passRetained(Work(run))
    var thread = pthread_t()
    let code = pthread_create(&thread, &attributes, { Self.run($0) }, work.toOpaque())
    if code != 0 {
      work.release()
      throw CommandError("cannot start a thread (\(SystemError.text(code))): give a smaller --jobs")
    }
  }

  private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
    return nil
  }
}
