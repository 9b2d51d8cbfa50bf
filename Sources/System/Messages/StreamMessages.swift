import WireBytes

// MARK: - Findings of streams

extension Message {
  /// - Parameter isUpperBound: whether there may be fewer.
  package static func gap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) missing")
  }

  package static func unverifiedGap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) left out: the MAC of their TLS records is wrong")
  }

  package static func cutGap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) missing: it ends within a TLS record")
  }

  private static func streamBytes(_ count: Int, _ isUpperBound: Bool) -> String {
    "\(isUpperBound ? "at most " : "")\(Count.of(count, "byte")) of the stream"
  }

  /// - Parameter record: the noun for what is expected, such as `tuple`.
  package static func skippedBytes(_ count: Int, before record: String) -> Message {
    Message("\(Count.of(count, "byte")) skipped: no plausible \(record) begins here")
  }

  /// - Parameter record: the noun for it, such as `tuple`.
  package static func truncatedRecord(_ record: String, after bytes: Int) -> Message {
    Message("truncated \(record): the data ends after \(Count.of(bytes, "byte")) of it")
  }

  package static func ciphertext(missing: Int) -> Message {
    let missing = missing > 0 ? "; \(Count.of(missing, "byte")) missing" : ""
    return Message("TLS ciphertext: the stream cannot be decoded without its keys (--keys)\(missing)")
  }
}

// MARK: - Findings of gateway connections

extension Message {
  /// A request with command 0 or 1.
  package static func impossibleLengths(command: UInt8) -> Message {
    let limits = "a length above the limit (--max-token-length, --max-payload)"
    return Message("command \(command) with \(limits)\(command == 0 ? ", or with both lengths 0" : "")")
  }

  package static func tooManyPending(limit: Int) -> Message {
    Message(
      "more than \(limit) requests are waiting for a response (--max-pending): "
        + "the outcome of the oldest, from here on, is unknown")
  }
}
