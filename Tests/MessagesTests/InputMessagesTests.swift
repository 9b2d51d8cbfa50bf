import Messages
import Testing

@Test("Messages about inputs as a whole", arguments: Golden.inputs)
func inputMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about chunk sizes and distinct tokens", arguments: Golden.chunksAndTokens)
func chunkOrTokenMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let inputs: [Golden] = [
    Golden(.empty, "is empty"),
    Golden(.unknownFormat, "no known format"),
    Golden(.noInputInDirectory, "no input in this directory"),
    Golden(.skipped(.unknownFormat), "skipped: no known format"),
    Golden(.warning(.unknownFormat), "warning: no known format"),
    Golden(
      .readAsRaw("feedback"),
      "no known format; read as raw feedback. Use --from raw if that is right, "
        + "--from hex or base64 if it is text"),
    Golden(
      .sameBytes(as: "a.bin", isJoinedCapture: false),
      "same bytes as a.bin, which was already read: its records are counted again"),
    Golden(
      .sameBytes(as: "a.pcap", isJoinedCapture: true),
      "same bytes as a.pcap, which was already read: its packets are read again"),
    Golden(
      .halvesMayBeSwapped,
      "hint: neither file has the expected content; are --requests and --responses swapped?"),
    Golden(
      .outputIsInput("a.csv"), "a.csv is both standard output and an input: write to another file"),
    Golden(
      .readableOnlyOnce("-"),
      "- can be read only once, but has to be read again because another input failed: save it to a file"),
    Golden(
      .failsWhenReadAgain,
      "an input that was read in full before could not be read in full again, see above"),
  ]

  static let chunksAndTokens: [Golden] = [
    Golden(.notAChunkSize("many"), "'many' is not a size of 1 byte or more"),
    Golden(.tooManyChunkSizes(limit: 1_000_000), "more than 1000000 sizes; shorten the list"),
    Golden(.noChunkSizes, "no chunk sizes; write one per line, in bytes"),
    Golden(
      .noTemporaryFile(in: "/tmp", error: "Permission denied"),
      "cannot create a temporary file in /tmp: Permission denied; "
        + "set TMPDIR to another directory, or raise --memory so that none is needed"),
    Golden(
      .temporaryFileNotWritten(in: "/tmp", error: "No space left on device"),
      "cannot write the temporary file in /tmp: No space left on device; "
        + "set TMPDIR to a directory with more space, or raise --memory"),
    Golden(
      .temporaryFileNotRead(in: "/tmp", error: "Input/output error"),
      "cannot read the temporary file in /tmp: Input/output error"),
    Golden(
      .noMemoryForTokens(bytes: 32 << 10, error: "Cannot allocate memory"),
      "cannot allocate 32.0 KiB of memory for distinct tokens: Cannot allocate memory; lower --memory"),
  ]
}
