import WireBytes

/// The faulty readers of `audit` and the reader under test of `verify --reader`. Why a record differs is in
/// ReaderDifferenceMessages.
extension Message {
  // MARK: - audit

  /// - Parameter readings: as in `readingsRight`.
  package static func audited(inputs: Int, streams: Int, readings: Message) -> Message {
    Message("audited \(Count.of(inputs, "input")): \(Count.of(streams, "stream")), \(readings)")
  }

  package static func readingsRight(_ right: Int, of judged: Int, notJudged: Int) -> Message {
    let judged = "\(right) of \(Count.of(judged, "reading")) right"
    return Message(notJudged > 0 ? "\(judged), \(notJudged) not judged" : judged)
  }

  /// Streams that are only counted.
  package static func moreStreams(_ count: Int, readings: Message) -> Message {
    Message("and \(Count.of(count, "more stream")): \(readings) (see --json)")
  }

  /// Damage may have happened on the wire or on disk: the readers never saw the latter.
  package static let readersReceivedTheseBytes = Message(
    "the readings hold if the readers received exactly these bytes, "
      + "not if the file was damaged after it was saved")

  /// - Parameter streams: how many of the streams that are only counted; nil for one that is shown.
  package static func bytesInNoRecord(ofStreams streams: Int?) -> Message {
    let bytes = streams.map { "some bytes of \($0) of them" } ?? "some of its bytes"
    return Message("\(bytes) are in no record: \(readersReceivedTheseBytes)")
  }

  // MARK: - Streams that are not judged

  package static func notJudged(_ reason: Message) -> Message { Message("not judged: \(reason)") }

  /// - Parameters:
  ///   - option: the option that sets the limit `memory`, in bytes.
  ///   - isLast: whether further messages of this kind are suppressed.
  package static func openStreamsTooLarge(
    _ source: String, stream: Int, memory: Int, option: String, isLast: Bool
  ) -> Message {
    let rest = isLast ? " (further messages of this kind are suppressed)" : ""
    return Message(
      "\(source): stream \(stream) is not judged: the open streams exceed \(ByteSize.text(memory)); "
        + "raise \(option)\(rest)")
  }

  package static func streamTooLarge(memory: Int, option: String) -> Message {
    Message("the stream takes more than the \(ByteSize.text(memory)) of \(option)")
  }

  // MARK: - Readings

  /// - Parameter record: index of the record, from 0.
  package static func recordDiffers(
    _ reason: Message, record: Int, reader: String? = nil, chunkSize: Int? = nil
  ) -> Message {
    let reader = reader.map { "\($0), " } ?? ""
    let chunks = chunkSize.map { "chunks of \(Count.of($0, "byte")), " } ?? ""
    return Message("\(reader)\(chunks)record \(record + 1): \(reason)")
  }

  package static func expectedRecord(_ record: String) -> Message { Message("expected \(record)") }

  package static func reportedRecord(_ record: String) -> Message { Message("reported \(record)") }

  // MARK: - How a reader ended

  package static func readerExited(_ code: Int) -> Message {
    Message("the reader ended with exit code \(code)")
  }

  package static func readerStillRan(after seconds: Double) -> Message {
    let seconds = Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    return Message("the reader was still running after \(seconds) s, and was terminated")
  }

  /// - Parameter limit: in bytes.
  package static func readerFlooded(_ limit: Int) -> Message {
    Message("the reader printed more than \(ByteSize.text(limit)), and was terminated")
  }

  package static func readerFailedHandshake(_ reason: Message) -> Message {
    Message("the TLS handshake with the reader failed: \(reason)")
  }

  /// How a reader ended, and why it had no stream.
  package static func readerEnding(_ ending: Message, _ obstacle: Message) -> Message {
    Message("\(ending); \(obstacle)")
  }

  // MARK: - Starting readers and their servers

  /// - Parameter complaint: the last line of the shell's standard error.
  package static func readerDidNotStart(_ line: String, complaint: String?) -> Message {
    let complaint = complaint.map { " (\($0))" } ?? ""
    return Message("cannot start the reader '\(line)'\(complaint); correct the command")
  }

  // MARK: - Options

  package static func giveOne(of options: [String]) -> Message {
    Message("\(options.joined(separator: " and ")) exclude each other: give one")
  }

  package static let noReaderAfterDashes = Message("nothing follows --: give a reader, or leave out --")

  package static func timeoutOutOfRange(_ seconds: Double) -> Message {
    Message("--timeout is \(seconds): give more than 0 and at most 86400 seconds")
  }
}
