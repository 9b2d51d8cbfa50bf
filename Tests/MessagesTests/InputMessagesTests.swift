import Basics
import Testing

@Test("Messages about inputs as a whole", arguments: Golden.inputs)
func inputMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about chunk sizes and distinct tokens", arguments: Golden.chunksAndTokens)
func chunkOrTokenMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about lists of known files", arguments: Golden.knownFiles)
func knownFilesMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let inputs: [Golden] = [
    Golden(.empty, "is empty"),
    Golden(.unknownFormat, "no known format"),
    Golden(.skipped(.unknownFormat), "skipped: no known format"),
    Golden(.warning(.unknownFormat), "warning: no known format"),
    Golden(
      .carvedInstead,
      "no known format: searched for records, as with --from carve. Use --from raw if it is a dump"),
    Golden(
      .excludedLines(inUse: 1, untimed: 0),
      "left out 1 token in lines of text: 1 in lines about registrations or the like"),
    Golden(
      .excludedLines(inUse: 2, untimed: 3),
      "left out 5 tokens in lines of text: 2 in lines about registrations or the like, 3 in lines without a "
        + "time that counts"),
    Golden(.notSearchedInside("UTF-16 text"), "UTF-16 text, not searched inside"),
    Golden(
      .sameBytes(as: "a.bin", isJoinedCapture: false),
      "same bytes as a.bin, which was already read: its records are counted again"),
    Golden(
      .sameBytes(as: "a.pcap", isJoinedCapture: true),
      "same bytes as a.pcap, which was already read: its packets are read again"),
  ]

  static let knownFiles: [Golden] = [
    Golden(
      .tooManyHashes(memory: 1 << 20),
      "the lists of known files need more than 1.0 MiB of memory: raise --memory, or give a smaller list"),
    Golden(.linesWithoutHash(1, first: 7), "line 7 has no hash and is ignored"),
    Golden(.linesWithoutHash(3, first: 7), "3 lines have no hash and are ignored; the first is line 7"),
    Golden(.copiesLeftOut(1), "left out 1 file identical to others (--unique-inputs)"),
    Golden(.copiesLeftOut(2), "left out 2 files identical to others (--unique-inputs)"),
    Golden(.knownLeftOut(1), "left out 1 known file (--known-hashes)"),
    Golden(.knownLeftOut(2), "left out 2 known files (--known-hashes)"),
  ]

  static let chunksAndTokens: [Golden] = [
    Golden(
      .noTemporaryFile(in: "/tmp", error: "Permission denied"),
      "cannot create a temporary file in /tmp: Permission denied; "
        + "set TMPDIR to another directory, or raise --memory so that none is needed"),
    Golden(
      .noMemoryForTokens(bytes: 32 << 10, error: "Cannot allocate memory"),
      "cannot allocate 32.0 KiB of memory for distinct tokens: Cannot allocate memory; lower --memory"),
  ]
}
