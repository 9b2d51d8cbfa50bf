import Analysis

/// What a code means to people who know nothing of the protocol, in short; docs/findings.md has it at length.
package struct CodeText: Equatable {
  /// As a heading, without its full stop.
  package var title: String
  package var meaning: String
  package var remedy: String
}

extension FindingCode {
  /// Words for the page.
  package var pageText: CodeText {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .streamGap, .unknownCommand, .malformedFrame:
      streamText
    case .unreadableInput, .damagedCapture, .unsupportedLinkType, .unrecognisedInput, .repeatedInput,
      .alreadyReplayed:
      inputText
    case .conflictingOverlap, .midstreamStart, .truncatedPacket, .lateBytes, .pendingLimit, .bufferLimit,
      .connectionEvicted, .fragmentMissing, .fragmentOverlap, .malformedPacket, .uncomparedDuplicate:
      captureText
    }
  }

  /// Of what is wrong with the bytes of a stream.
  private var streamText: CodeText {
    switch self {
    case .skippedBytes:
      CodeText(
        title: "Bytes that belong to no record",
        meaning:
          "At this place a record should begin, and none can be believed: bytes were lost, changed or put in. They were "
          + "passed over up to the next whole record, or to the end. What they held is lost, often one record. Records "
          + "before them are as good as any; the first one behind them, if there is one, is marked resynchronised.",
        remedy: "Look for another copy of the file. If all of it was passed over, it may be of another kind.")
    case .truncatedRecord:
      CodeText(
        title: "A record that is cut off",
        meaning:
          "The bytes end before the record that has begun does. What had begun is lost, mostly one record. Those before "
          + "it are as good as any.",
        remedy: "Look for a longer copy: whatever saved the file stopped too early, or the copy was cut.")
    case .encryptedStream:
      CodeText(
        title: "Encrypted bytes",
        meaning:
          "The data were saved below the encryption (TLS). Nothing in them can be read without the keys of that session, "
          + "and nothing is known of what they hold.",
        remedy: "Find what the program itself saved, or decrypt the capture with its keys.")
    case .streamGap:
      CodeText(
        title: "Bytes that are known to be missing",
        meaning:
          "So many bytes were sent here and are not in the input. The records that they held are lost, and so is one "
          + "that the gap cuts. Other records are not concerned.",
        remedy: "Look for another capture or copy of the same connection: it may have what this one lacks.")
    case .unknownCommand:
      CodeText(
        title: "A byte that begins no record",
        meaning:
          "Where a request or an error response should begin stands a byte that begins none. How many bytes were passed "
          + "over because of it is said by the finding skipped-bytes at the same place.",
        remedy:
          "As for skipped-bytes. At offset 0 it most likely means that the file is of another kind or direction."
      )
    case .malformedFrame:
      CodeText(
        title: "A request with lengths that cannot be",
        meaning:
          "Where a request should begin stands its command, but the lengths behind it are beyond what a request can "
          + "have. How many bytes were passed over is said by the finding skipped-bytes at the same place.",
        remedy: "As for skipped-bytes.")
    default: inputText
    }
  }

  /// Of what is wrong with an input as a whole.
  private var inputText: CodeText {
    switch self {
    case .unreadableInput:
      CodeText(
        title: "An input that cannot be read, or not whole",
        meaning:
          "The file is missing, may not be read, or is damaged as the text or archive that it is. What could be read of "
          + "it is in this report; what could not be is in no figure of it.",
        remedy: "Mend the file at the place that is named, or look for another copy.")
    case .damagedCapture:
      CodeText(
        title: "Bytes of a capture that are no record of it",
        meaning:
          "The capture file was cut, overwritten or padded here. The packets that lay there are lost; reading went on "
          + "at the next one that can be believed. What the streams lack because of it is told as stream-gap.",
        remedy: "Look for another copy of the capture file.")
    case .unsupportedLinkType:
      CodeText(
        title: "Packets of a kind that is not read",
        meaning:
          "The capture holds packets of a network that this tool does not read. None of them is in this report.",
        remedy: "If they matter, convert the capture, or capture where there is IP.")
    case .unrecognisedInput:
      CodeText(
        title: "An input that is like nothing known",
        meaning:
          "The content is like no dump and no capture. A file that was named was read as if it were a dump; a file in a "
          + "directory was passed over.",
        remedy: "If it is no dump, leave it out. If it is one, say which with --from and --protocol.")
    case .repeatedInput:
      CodeText(
        title: "An input that holds the same bytes as another",
        meaning:
          "Its records are counted again, as if they were others. If both are one dump, the figures of records and bytes "
          + "are higher than what the service sent. No token is dead for it that is not dead without it.",
        remedy: "If both are copies of one file, leave one of them out. If not, nothing is wrong.")
    case .alreadyReplayed:
      CodeText(
        title: "An input that was replayed before",
        meaning: "The token store has had the deaths of this input already. Doing it again changes nothing.",
        remedy: "None is needed.")
    default: captureText
    }
  }

  /// Of what is wrong with packets, or was too much of them.
  private var captureText: CodeText {
    switch self {
    case .conflictingOverlap:
      CodeText(
        title: "Two copies of the same bytes that differ",
        meaning:
          "Bytes were sent twice, and the copies are not the same. Broken devices do that, and attackers. The first copy "
          + "in the order of the file counts here; which one the receiver took cannot be told from a capture.",
        remedy: "Do not trust the records at this place before both packets were looked at.")
    case .midstreamStart:
      CodeText(
        title: "A beginning that was not captured",
        meaning:
          "The capture began while the connection was open. What was sent before is not known, not even how much; "
          + "offsets count from the first byte that is there.",
        remedy: "If the capture is one of several files, examine them together (--join).")
    case .truncatedPacket:
      CodeText(
        title: "A packet that was captured in part",
        meaning:
          "Only the beginning of the packet is there: whatever made the capture kept no more of it, or the file ends "
          + "within it. The rest is missing from the stream.",
        remedy: "Look for a capture with whole packets (tcpdump -s 0), or for a whole copy of the file.")
    case .lateBytes:
      CodeText(
        title: "Bytes that came too late",
        meaning: "They arrived after their place had been given up as missing. They are left out.",
        remedy: "Read again with a larger --reorder-window.")
    case .pendingLimit:
      CodeText(
        title: "Too many requests waited for an answer",
        meaning: "The oldest ones stay unknown, from this place on: nothing is said of what became of them.",
        remedy: "Read again with a larger --max-pending.")
    case .bufferLimit:
      CodeText(
        title: "A buffer was full",
        meaning:
          "Too many bytes waited for others before them. What is missing here was no longer waited for.",
        remedy: "Read again with a larger --stream-buffer or --total-buffer.")
    case .connectionEvicted:
      CodeText(
        title: "A connection was forgotten to make room",
        meaning:
          "More connections were open at once than are remembered. What comes of this one is another stream.",
        remedy: "Read again with a larger --max-connections.")
    case .fragmentMissing:
      CodeText(
        title: "A packet of which parts are missing",
        meaning: "It came in fragments, and not all of them are in the capture. None of its bytes is used.",
        remedy: "Look for a capture that has all fragments.")
    case .fragmentOverlap:
      CodeText(
        title: "Parts of a packet that contradict each other",
        meaning:
          "Two fragments overlap and differ. The packet is refused: receivers differ in what they make of it.",
        remedy: "Look at the packet; attackers use this.")
    case .malformedPacket:
      CodeText(
        title: "A packet with impossible headers",
        meaning: "The packet is passed over. If it held bytes of a stream, that lacks them.",
        remedy: "Look for a capture with whole packets. Single ones are often of another protocol.")
    case .uncomparedDuplicate:
      CodeText(
        title: "A copy that was not compared",
        meaning:
          "Bytes came again so late that the first copy was no longer at hand. They are copies by their place; whether "
          + "they are the same is not known.",
        remedy: "None is needed.")
    default: CodeText(title: rawValue, meaning: "", remedy: "")
    }
  }
}
