import WireBytes

// MARK: - Output files

extension Message {
  package static let outputUnnamed = Message("the name of the output is empty: name a file to write")

  package static func outputExists(_ path: String) -> Message {
    Message("\(path) exists already: name another file, or give --force to replace it")
  }

  package static func outputIsDirectory(_ path: String) -> Message {
    Message("\(path) is a directory: name a file to write")
  }

  package static func outputIsBrokenLink(_ path: String) -> Message {
    Message("\(path) is a broken symbolic link")
  }

  package static func outputNotCreated(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be created: \(error)")
  }

  package static func outputNotWritten(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be written: \(error)")
  }
}

// MARK: - Inventory

extension Message {
  package static func notInChecksums(_ count: Int) -> Message {
    Message(
      "\(Count.of(count, "input")) left out of --checksums: standard input, pipes and devices cannot be verified again"
    )
  }
}

// MARK: - Output directories

extension Message {
  package static let directoryUnnamed = Message("streams are written to a directory: name one with -o")

  package static func outputIsNoDirectory(_ path: String) -> Message {
    Message("\(path) is not a directory: name a directory to write streams to")
  }

  package static func directoryNotEmpty(_ path: String) -> Message {
    Message("\(path) is not empty: name another directory, or give --force to add files to it")
  }
}

// MARK: - Limits of the system

extension Message {
  /// - Parameters:
  ///   - work: the noun for a job, such as `reader`.
  ///   - needed: files that the process has open with one job.
  package static func tooFewFiles(_ limit: Int, for work: String, needed: Int) -> Message {
    Message(
      "a process may have \(limit) files open at once, and one \(work) needs \(needed); raise the limit "
        + "(ulimit -n)")
  }

  /// - Parameter each: files that one job opens.
  package static func fewerJobs(
    _ jobs: Int, of wanted: Int, files limit: Int, for work: String, each: Int
  ) -> Message {
    Message(
      "running \(jobs) instead of \(wanted) cases at once: a process may have \(limit) files open, "
        + "and a \(work) needs up to \(each) (ulimit -n)")
  }

  /// Messages of a reader or a server beyond those that are kept.
  package static func moreMessages(_ count: Int) -> Message { Message("and \(count) more messages") }
}
