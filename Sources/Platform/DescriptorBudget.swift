/// How many pieces of work can go on at once with the descriptors that the system gives a process.
package enum DescriptorBudget {
  /// Descriptors for all that is no piece of work.
  private static let reserve = 8

  /// As many of `jobs` as there are descriptors for. The limit is raised no further than that takes: what is started
  /// inherits it.
  /// - Parameters:
  ///   - each: how many descriptors a piece of work takes.
  ///   - work: what it is called where there are too few, as in `reader`.
  package static func jobs(_ jobs: Int, each: Int, _ work: String) throws -> Int {
    let used = firstFree + reserve
    let limit = raise(to: used + jobs * each)
    let possible = min(jobs, (limit - used) / each)
    guard possible > 0 else {
      throw Failure(
        "a process may have \(limit) files open at once, and one \(work) needs \(used + each); raise the limit "
          + "(ulimit -n)")
    }
    if possible < jobs {
      Messages.say(
        "\(possible) in place of \(jobs) cases at once: a process may have \(limit) files open, and a \(work) takes "
          + "up to \(each) (ulimit -n)")
    }
    return possible
  }

  /// The number of the next descriptor. As the lowest that is free is given, about so many are open.
  private static var firstFree: Int {
    let number = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { return Int(Int32.max) }
    _ = close(number)
    return Int(number)
  }

  /// The limit of descriptors, raised to `wanted` where that is allowed.
  private static func raise(to wanted: Int) -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { return wanted }
    if limits.rlim_cur < rlim_t(wanted) {
      var raised = limits
      raised.rlim_cur = min(rlim_t(wanted), limits.rlim_max)
      if setrlimit(resource, &raised) == 0 { limits = raised }
    }
    return Int(clamping: limits.rlim_cur)
  }
}
