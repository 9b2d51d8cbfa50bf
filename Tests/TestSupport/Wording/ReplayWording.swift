import Basics

extension Message {
  package static func storeUnchanged(_ store: String, unreadable inputs: Int) -> Message {
    Message("\(store) is unchanged: \(unreadable(inputs))")
  }

  package static func storeWouldBeUnchanged(_ store: String, unreadable inputs: Int) -> Message {
    Message("the replay would leave \(store) unchanged: \(unreadable(inputs))")
  }

  private static func unreadable(_ inputs: Int) -> String {
    "\(Count.of(inputs, "input")) could not be read in full, see above; "
      + "--partial replays the readable part, --skip-unreadable the other inputs"
  }

  package static func alreadyReplayed(by replay: Int) -> Message {
    Message("already replayed by replay \(replay)")
  }

  package static func inputSkipped(_ input: String, replayedBy replay: Int) -> Message {
    Message("\(input): skipped: \(alreadyReplayed(by: replay))")
  }

  package static func changed(from old: Int, to new: Int) -> Message {
    Message(
      "changed while it was read (\(old) bytes before, \(new) after): wait until it is complete; a program that "
        + "writes it elsewhere and renames it avoids this")
  }

  package static func moved(_ count: Int, to directory: String) -> Message {
    Message("moved \(count) files to \(directory)")
  }

  /// - Parameters:
  ///   - flags: the flags of their records.
  ///   - hasLength: whether one of the flags is about the length.
  package static func tokensRejected(_ count: Int, flags: [String], hasLength: Bool) -> Message {
    Message(
      "\(Count.of(count, "token")) rejected: every record has flags (\(flags.joined(separator: ", "))); "
        + (hasLength ? "--token-length accepts a length, " : "")
        + "--include-flagged accepts flagged records")
  }

  /// - Parameters:
  ///   - count: how many of the `looked` tokens that were looked up.
  ///   - other: the owner that most of them have.
  package static func tokensOfAnotherOwner(
    _ count: Int, of looked: Int, in store: String, as other: String, andOthers: Bool, notOf owner: String
  ) -> Message {
    Message(
      "warning: \(share(count, looked)) are in \(store) as tokens of \(other)\(andOthers ? " and others" : ""), "
        + "and not of \(owner): are --app and --environment meant?")
  }

  private static func share(_ count: Int, _ looked: Int) -> String {
    "\(count) of \(Count.of(looked, "token")) of the input that were looked up"
  }
}
