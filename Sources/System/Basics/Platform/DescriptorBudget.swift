/// Limits the number of concurrent jobs by the file descriptors that the process may open.
package enum DescriptorBudget {
  /// Descriptors reserved for everything but jobs.
  private static let reserve = 8

  /// Returns `jobs`, or fewer if there are not enough descriptors. Raises the soft limit only as far as needed, because
  /// child processes inherit it.
  /// - Parameters:
  ///   - each: descriptors that one job needs.
  ///   - work: the noun for a job in messages, such as `reader`.
  package static func jobs(_ jobs: Int, each: Int, _ work: String) throws -> Int {
    let (possible, used, limit) = budget(jobs, each: each)
    guard possible > 0 else {
      throw CommandError(
        "a process may have \(limit) files open at once, and one \(work) needs \(used + each); raise "
          + "the limit (ulimit -n)")
    }
    if possible < jobs {
      Console.say(
        "running \(possible) instead of \(jobs) cases at once: a process may have \(limit) files open, "
          + "and a \(work) needs up to \(each) (ulimit -n)")
    }
    return possible
  }

  /// `jobs`, or fewer if there are not enough descriptors, without a message: for jobs that change no result.
  package static func possible(_ jobs: Int, each: Int) -> Int { max(0, budget(jobs, each: each).possible) }

  private static func budget(_ jobs: Int, each: Int) -> (possible: Int, used: Int, limit: Int) {
    let used = firstFree + reserve
    let limit = raise(to: used + jobs * each)
    return (min(jobs, (limit - used) / each), used, limit)
  }

  /// The number of the next descriptor. The system assigns the lowest free one, so about this many are open.
  private static var firstFree: Int {
    let number = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { return Int(Int32.max) }
    _ = close(number)
    return Int(number)
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif

  /// The limits of descriptors; nil if the system has none.
  package static var limits: rlimit? {
    var limits = rlimit()
    return getrlimit(resource, &limits) == 0 ? limits : nil
  }

  /// The limit of descriptors, raised to `wanted` if the system allows it.
  private static func raise(to wanted: Int) -> Int {
    guard var limits else { return wanted }
    if limits.rlim_cur < rlim_t(wanted) {
      var raised = limits
      raised.rlim_cur = min(rlim_t(wanted), limits.rlim_max)
      if setrlimit(resource, &raised) == 0 { limits = raised }
    }
    return Int(clamping: limits.rlim_cur)
  }
}
