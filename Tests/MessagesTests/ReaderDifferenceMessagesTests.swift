import Basics
import Testing

@Test(
  "Why a record differs",
  arguments: Golden.modelFaults + Golden.missingRecords + Golden.printedTuples + Golden.errorResponses)
func readerDifferenceMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let modelFaults: [Golden] = [
    Golden(
      .shortRead(6, at: 76, isStale: true),
      "a read of 6 bytes at offset 76 was taken for a whole tuple of 38; its token is that of the tuple "
        + "before"),
    Golden(
      .shortRead(7, at: 76, isStale: true),
      "a read of 7 bytes at offset 76 was taken for a whole tuple of 38; its token ends in bytes of the "
        + "tuple before"),
    Golden(
      .shortRead(1, at: 76, isStale: false),
      "a read of 1 byte at offset 76 was taken for a whole tuple of 38; its token is all zeros"),
    Golden(
      .shortRead(37, at: 0, isStale: false),
      "a read of 37 bytes at offset 0 was taken for a whole tuple of 38; its token ends in zeros"),
    Golden(
      .lengthIgnored(54, at: 42),
      "the length at offset 42 is 54, but 32 bytes were taken as the token, and the next tuple begins 22 "
        + "bytes early"),
    Golden(
      .lengthIgnored(31, at: 42),
      "the length at offset 42 is 31, but 32 bytes were taken as the token, and the next tuple begins 1 byte "
        + "late"),
    Golden(
      .lengthIgnored(32, at: 42), "the length at offset 42 is 32, but 32 bytes were taken as the token"),
    Golden(
      .lengthByteReadTwice(0x0020, at: 4, readAs: 0),
      "the length 0x0020 at offset 4 was read as 0 (the first byte twice), so the token is empty, and "
        + "the next tuple begins 32 bytes early"),
    Golden(
      .lengthByteReadTwice(0x0200, at: 4, readAs: 514),
      "the length 0x0200 at offset 4 was read as 514 (the first byte twice), so the token has 514 bytes, and "
        + "the next tuple begins 2 bytes late"),
    Golden(
      .noTupleBegins(at: 0, next: 6),
      "the bytes at offset 0 were read as a tuple; no tuple begins there, and the next one begins at "
        + "offset 6"),
    Golden(
      .noTupleBegins(at: 90, next: nil),
      "the bytes at offset 90 were read as a tuple; no tuple begins there, and none follows"),
    Golden(
      .readerThrows(length: -32763, at: 42),
      "the length 0x8005 at offset 42 was read as signed (-32763): the reader throws"),
  ]

  static let missingRecords: [Golden] = [
    Golden(
      .tuplesNeverReported(3, from: 0, .verbatim("the reader ended")),
      "the reader ended, and never reported the 3 tuples from offset 0 on"),
    Golden(
      .tuplesNeverReported(1, from: 76, .verbatim("the reader ended")),
      "the reader ended, and never reported the 1 tuple from offset 76 on"),
    Golden(
      .errorsNeverReported(2, from: 0, .verbatim("the reader failed")),
      "the reader failed, and never reported the 2 errors from offset 0 on"),
    Golden(
      .errorsNeverReported(1, from: 6, .verbatim("the reader failed")),
      "the reader failed, and never reported the 1 error from offset 6 on"),
  ]

  static let printedTuples: [Golden] = [
    Golden(
      .emptyTokenReported(at: 38), "the tuple at offset 38 has an empty token and must not be reported"),
    Golden(
      .emptyTokenReported(at: 38, token: 32),
      "the tuple at offset 38 has an empty token and must not be reported: its token consists of the 32 "
        + "bytes after it"),
    Golden(
      .emptyTokenReported(at: 38, token: 1),
      "the tuple at offset 38 has an empty token and must not be reported: its token consists of the 1 byte "
        + "after it"),
    Golden(
      .timeReadAsSigned(4_294_967_295, at: 14, readAs: -1),
      "the time 4294967295 at offset 14 was read as signed: -1"),
    Golden(
      .tupleReported(at: 0, token: 32, of: 32),
      "the tuple at offset 0 was reported with different bytes as its token"),
    Golden(
      .tupleReported(at: 0, otherTime: true, token: 32, of: 32),
      "the tuple at offset 0 was reported with a different time and different bytes as its token"),
    Golden(
      .tupleReported(at: 0, otherTime: true, token: 2, of: 1),
      "the tuple at offset 0 was reported with a different time and a token of 2 bytes instead of 1"),
    Golden(
      .tupleReported(at: 98, insteadOf: 38, token: 1, of: 32),
      "the tuple at offset 98 was reported instead of the one at offset 38, with a token of 1 byte "
        + "instead of 32"),
    Golden(
      .bytesInsideTuple(at: 76, tupleEnd: 98),
      "its bytes are those at offset 76, where no tuple begins: the tuple before it ends at 98"),
    Golden(
      .bytesOutsideTuples(at: 38, next: 48),
      "its bytes are those at offset 38, where no tuple begins: the next one begins at 48"),
    Golden(
      .bytesOutsideTuples(at: 38, next: nil),
      "its bytes are those at offset 38, where no whole tuple begins"),
  ]

  static let errorResponses: [Golden] = [
    Golden(
      .errorInParts([2, 4]), "the error arrived in parts: 2 bytes, then 4; the single read returned 2"),
    Golden(
      .errorInParts([1, 2, 3]),
      "the error arrived in parts: 1 byte, then 2, then 3; the single read returned 1"),
    Golden(.errorInParts([]), "the error arrived in parts: 0 bytes; the single read returned 0"),
    Golden(
      .commandNotChecked(7),
      "the bytes at offset 0 begin with 0x07, not with the command 0x08 of an error, and the reader does not "
        + "check it"),
    Golden(
      .noErrorBegins(first: 2),
      "the 6 bytes at offset 0 were read as an error; no error begins there, and the first one begins at "
        + "offset 2"),
    Golden(
      .noErrorBegins(first: nil),
      "the 6 bytes at offset 0 were read as an error; no error begins there, and none follows"),
  ]
}
