import Basics
import Testing

@Test("Readers", arguments: Golden.audit + Golden.notJudged + Golden.readerRuns + Golden.readerOptions)
func readerMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let audit: [Golden] = [
    Golden(
      .audited(inputs: 1, streams: 2, readings: .verbatim("3 of 4 readings right")),
      "audited 1 input: 2 streams, 3 of 4 readings right"),
    Golden(
      .audited(inputs: 2, streams: 1, readings: .verbatim("3 of 4 readings right")),
      "audited 2 inputs: 1 stream, 3 of 4 readings right"),
    Golden(.readingsRight(3, of: 8, notJudged: 4), "3 of 8 readings right, 4 not judged"),
    Golden(.readingsRight(1, of: 1, notJudged: 0), "1 of 1 reading right"),
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
      .streamTooLarge(memory: 1 << 20, option: "--memory"),
      "the stream takes more than the 1.0 MiB of --memory"),
  ]

  static let readerRuns: [Golden] = [
    Golden(.readerStillRan(after: 10), "the reader was still running after 10 s, and was terminated"),
    Golden(.readerStillRan(after: 0.7), "the reader was still running after 0.7 s, and was terminated"),
    Golden(.readerFlooded(64 << 20), "the reader printed more than 64.0 MiB, and was terminated"),
    Golden(
      .readerDidNotStart("reader x", complaint: nil),
      "cannot start the reader 'reader x'; correct the command"),
    Golden(
      .readerDidNotStart("reader x", complaint: "sh: reader: not found"),
      "cannot start the reader 'reader x' (sh: reader: not found); correct the command"),
  ]

  static let readerOptions: [Golden] = [
    Golden(
      .giveOne(of: ["--chunk-size", "--every-chunking"]),
      "--chunk-size and --every-chunking exclude each other: give one"),
    Golden(.noReaderAfterDashes, "nothing follows --: give a reader, or leave out --"),
  ]
}
