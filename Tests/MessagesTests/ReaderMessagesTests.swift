import Messages
import Testing

@Test("Readers", arguments: Golden.audit + Golden.notJudged + Golden.readerRuns + Golden.readerOptions)
func readerMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let audit: [Golden] = [
    Golden(
      .pushesNotAudited(streams: 1),
      "1 stream with pushes not judged: the readers read only the binary protocols"),
    Golden(
      .pushesNotAudited(streams: 3),
      "3 streams with pushes not judged: the readers read only the binary protocols"),
    Golden(.nothingToAudit, "nothing to audit: no feedback stream and no error responses"),
    Golden(
      .audited(inputs: 1, streams: 2, readings: .verbatim("3 of 4 readings right")),
      "audited 1 input: 2 streams, 3 of 4 readings right"),
    Golden(
      .audited(inputs: 2, streams: 1, readings: .verbatim("3 of 4 readings right")),
      "audited 2 inputs: 1 stream, 3 of 4 readings right"),
    Golden(.readingsRight(3, of: 8, notJudged: 4), "3 of 8 readings right, 4 not judged"),
    Golden(.readingsRight(1, of: 1, notJudged: 0), "1 of 1 reading right"),
    Golden(
      .moreStreams(1, readings: .verbatim("3 of 4 readings right")),
      "and 1 more stream: 3 of 4 readings right (see --json)"),
    Golden(
      .moreStreams(2, readings: .verbatim("3 of 8 readings right")),
      "and 2 more streams: 3 of 8 readings right (see --json)"),
    Golden(
      .readersReceivedTheseBytes,
      "the readings hold if the readers received exactly these bytes, not if the file was damaged after "
        + "it was saved"),
    Golden(
      .bytesInNoRecord(ofStreams: nil),
      "some of its bytes are in no record: the readings hold if the readers received exactly these "
        + "bytes, not if the file was damaged after it was saved"),
    Golden(
      .bytesInNoRecord(ofStreams: 3),
      "some bytes of 3 of them are in no record: the readings hold if the readers received exactly these "
        + "bytes, not if the file was damaged after it was saved"),
    Golden(
      .readingCounts("throws", records: 1, correct: 0, wrong: 1, missed: 3),
      "throws: 1 record, 0 correct, 1 wrong, 3 missed"),
    Golden(
      .readingCounts("completed", records: 2, correct: 2, wrong: 0, missed: 1),
      "completed: 2 records, 2 correct, 0 wrong, 1 missed"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1),
      "record 2: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1, reader: "node"),
      "node, record 2: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1, reader: "node", chunkSize: 1),
      "node, chunks of 1 byte, record 2: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 0, reader: "java", chunkSize: 20),
      "java, chunks of 20 bytes, record 1: the stream has only 1 tuple"),
    Golden(.expectedRecord("8,7"), "expected 8,7"),
    Golden(.reportedRecord("8,9"), "reported 8,9"),
  ]

  static let notJudged: [Golden] = [
    Golden(.notJudged(.verbatim("no bytes")), "not judged: no bytes"),
    Golden(
      .openStreamsTooLarge("a.bin", stream: 3, memory: 1 << 20, option: "--memory", isLast: false),
      "a.bin: stream 3 is not judged: the open streams exceed 1.0 MiB; raise --memory"),
    Golden(
      .openStreamsTooLarge("a.bin", stream: 3, memory: 1 << 20, option: "--memory", isLast: true),
      "a.bin: stream 3 is not judged: the open streams exceed 1.0 MiB; raise --memory (further messages of "
        + "this kind are suppressed)"),
    Golden(
      .readerHadMoreBytes(1), "the input is missing 1 byte of the stream that the reader received"),
    Golden(
      .readerHadMoreBytes(76), "the input is missing 76 bytes of the stream that the reader received"),
    Golden(
      .streamTooLarge(memory: 1 << 20, option: "--memory"),
      "the stream takes more than the 1.0 MiB of --memory"),
    Golden(
      .readerHadTheBeginning, "the input is missing the beginning of the stream, which the reader received"),
    Golden(.streamNotDecoded, "the stream could not be decoded"),
    Golden(
      .streamDamaged,
      "the stream has bytes that are in no record, which no server sends (use --damaged to judge it)"),
  ]

  static let readerRuns: [Golden] = [
    Golden(.readerClosedInput(before: 40), "the reader closed its input before offset 40"),
    Golden(.readerExited(7), "the reader ended with exit code 7"),
    Golden(.readerKilled(bySignal: 11), "the reader was terminated by signal 11"),
    Golden(.readerStillRan(after: 10), "the reader was still running after 10 s, and was terminated"),
    Golden(.readerStillRan(after: 0.7), "the reader was still running after 0.7 s, and was terminated"),
    Golden(.readerFlooded(64 << 20), "the reader printed more than 64.0 MiB, and was terminated"),
    Golden(.readerNeverConnected, "the reader never connected"),
    Golden(
      .readerFailedHandshake(.verbatim("unknown CA")),
      "the TLS handshake with the reader failed: unknown CA"),
    Golden(
      .readerEnding(.verbatim("it ended"), .verbatim("it never connected")), "it ended; it never connected"),
    Golden(
      .programDidNotStart("./reader", "Permission denied"),
      "cannot start the reader './reader': Permission denied; correct the command"),
    Golden(
      .readerDidNotStart("reader x", complaint: nil),
      "cannot start the reader 'reader x'; correct the command"),
    Golden(
      .readerDidNotStart("reader x", complaint: "sh: reader: not found"),
      "cannot start the reader 'reader x' (sh: reader: not found); correct the command"),
    Golden(
      .noPipeForReader("Too many open files"), "cannot create a pipe for the reader: Too many open files"),
    Golden(.noServerForReaders("no thread"), "cannot start a server for the readers: no thread"),
    Golden(.noServerForReader("no port"), "cannot start a server for the reader: no port"),
    Golden(.noCertificateForReaders("no key"), "cannot create a certificate for --over tls: no key"),
    Golden(
      .noCertificateFile("Permission denied"),
      "cannot create a file for the certificate of --over tls: Permission denied"),
    Golden(
      .certificateNotWritten("/tmp/ca", "No space left on device"),
      "cannot write /tmp/ca: No space left on device"),
  ]

  static let readerOptions: [Golden] = [
    Golden(.giveOne(of: ["--tap", "--json"]), "--tap and --json exclude each other: give one"),
    Golden(.readerGivenTwice, "give a reader with --reader or after --, not both"),
    Golden(.noReader, "no reader: give one with --reader, or after --"),
    Golden(.noReaderAfterDashes, "nothing follows --: give a reader, or leave out --"),
    Golden(.readerEmpty, "--reader is empty: give a command"),
    Golden(.timeoutOutOfRange(0), "--timeout is 0.0: give more than 0 and at most 86400 seconds"),
  ]
}
