import APNsWire

/// What a flag on a record means, for the page.
package enum FlagTexts {
  /// - Parameter code: of a flag, as `RecordFlags.all` has it.
  package static func text(_ code: String) -> CodeText? {
    guard let flag = RecordFlags.all.first(where: { $0.code == code })?.flag else { return nil }
    return texts.first { $0.flag == flag }?.text
  }

  private static let texts: [(flag: RecordFlags, text: CodeText)] = [
    (
      .afterClose,
      CodeText(
        title: "An error behind the first one of its connection",
        meaning: "A gateway sends one error and closes. This one decides nothing.",
        remedy: "If a file holds several connections, examine each by itself.")
    ),
    (
      .identifierSwapped,
      CodeText(
        title: "An identifier in reverse",
        meaning:
          "The error names a request if its four bytes are read in the other order, as some clients wrote them.",
        remedy: "None is needed if the client did so always.")
    ),
    (
      .implausibleTimestamp,
      CodeText(
        title: "A time that cannot be",
        meaning:
          "It lies before push notifications began or after the service had ended. The token may be right.",
        remedy: "If such times are meant, say so with --earliest and --latest.")
    ),
    (
      .malformedFrame,
      CodeText(
        title: "Items that do not make up a request",
        meaning:
          "Something in the request is missing, there twice, or of the wrong size. It is one request all the same.",
        remedy: "None; the gateway answered such requests with an error, most likely.")
    ),
    (
      .payloadNotJSON,
      CodeText(
        title: "A message that is not JSON",
        meaning: "The client sent a message that the gateway did not take, or bytes of it were changed.",
        remedy: "None.")
    ),
    (
      .payloadTooLarge,
      CodeText(
        title: "A message that is too long",
        meaning: "It is longer than the gateway took at last.", remedy: "None.")
    ),
    (
      .resynchronised,
      CodeText(
        title: "The first record behind bytes that were passed over",
        meaning: "Its beginning may be made of foreign bytes: of a feedback tuple the time is in doubt.",
        remedy: "Do not rely on it unless something else confirms it.")
    ),
    (
      .unconfirmedBoundary,
      CodeText(
        title: "A record that nothing sound follows",
        meaning: "Bytes may have been lost inside it: its token may be made of two.",
        remedy: "Do not rely on its token.")
    ),
    (
      .uncorrelated,
      CodeText(
        title: "An error about an unknown request",
        meaning: "Something failed, and no request that is there has the identifier that the error names.",
        remedy: "Examine both directions of the connection together.")
    ),
    (
      .unexpectedTokenLength,
      CodeText(
        title: "A token of unusual length",
        meaning: "Nearly all tokens have 32 bytes. Others were announced; or the length is damaged.",
        remedy: "If such tokens are normal here, say so with --token-length.")
    ),
    (
      .unknownItem,
      CodeText(
        title: "An item that the protocol does not know",
        meaning: "What it meant is not known. The rest of the request is read as ever.",
        remedy: "None is needed.")
    ),
    (
      .unknownStatus,
      CodeText(
        title: "A status that the protocol does not know",
        meaning: "It is taken for a failure; or the bytes are no error response.",
        remedy: "Look at what stands around it.")
    ),
    (
      .unusualPriority,
      CodeText(
        title: "A priority other than 5 and 10",
        meaning: "The request is sound otherwise. The gateway may have refused it.", remedy: "None.")
    ),
    (
      .zeroFilledToken,
      CodeText(
        title: "A token with a row of zeros",
        meaning: "Some tools fill gaps with zeros. The token is most likely not one.",
        remedy: "Look for a capture without the gap.")
    ),
    (
      .zeroLengthToken,
      CodeText(
        title: "An empty token",
        meaning:
          "The record names no device. Clients sent such requests on purpose, to be told how far they had come.",
        remedy: "None is needed.")
    ),
  ]
}
