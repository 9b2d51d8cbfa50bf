import Basics
import Testing

@Test("Findings of streams", arguments: Golden.streams)
func streamMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let streams: [Golden] = [
    Golden(.gap(bytes: 1), "1 byte of the stream missing"),
    Golden(.gap(bytes: 38), "38 bytes of the stream missing"),
    Golden(
      .skippedBytes(1, before: "tuple"), "1 byte skipped: no plausible tuple begins here"),
    Golden(
      .skippedBytes(7, before: "request"), "7 bytes skipped: no plausible request begins here"),
    Golden(
      .truncatedRecord("error response", after: 1),
      "truncated error response: the data ends after 1 byte of it"),
    Golden(.truncatedRecord("tuple", after: 29), "truncated tuple: the data ends after 29 bytes of it"),
    Golden(
      .ciphertext(missing: 0), "TLS ciphertext: the stream cannot be decoded without its keys (--keys)"),
    Golden(
      .ciphertext(missing: 1),
      "TLS ciphertext: the stream cannot be decoded without its keys (--keys); 1 byte missing"),
    Golden(
      .ciphertext(missing: 9),
      "TLS ciphertext: the stream cannot be decoded without its keys (--keys); 9 bytes missing"),
    Golden(.gap(bytes: 2, isUpperBound: true), "at most 2 bytes of the stream missing"),
    Golden(
      .unverifiedGap(bytes: 1), "1 byte of the stream left out: the MAC of their TLS records is wrong"),
    Golden(.cutGap(bytes: 7), "7 bytes of the stream missing: it ends within a TLS record"),
    Golden(
      .impossibleLengths(command: 0),
      "command 0 with a length above the limit (--max-token-length, --max-payload), or with both lengths 0"),
    Golden(
      .impossibleLengths(command: 1),
      "command 1 with a length above the limit (--max-token-length, --max-payload)"),
    Golden(
      .tooManyPending(limit: 1_000_000),
      "more than 1000000 requests are waiting for a response (--max-pending): "
        + "the outcome of the oldest, from here on, is unknown"),
  ]
}
