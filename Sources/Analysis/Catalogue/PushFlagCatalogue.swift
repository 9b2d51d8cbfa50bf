import APNsWire

/// Descriptions of the flags of pushes (docs/spec/pushes.md#flags).
extension FlagEntry {
  static let ofPushes = PushFlags.all.compactMap { flag, code in
    pushDescriptions[flag].map { FlagEntry(code: code, records: [.push], entry: $0) }
  }

  private static let pushDescriptions: [PushFlags: CatalogueEntry] = [
    .goaway: CatalogueEntry(
      title: "Not processed before the server closed",
      cause:
        "The server sent GOAWAY, and the push's stream id is above the last stream id in it.",
      meaning: "The service did not process the push. Its outcome is unknown.",
      remedy: "Send it again: --records resend-pushes lists such pushes.",
      example: """
        $ apnsift export samples/pushes/case-goaway.pcap --records pushes --columns http2_stream,status,outcome,flags \\
        > 2>/dev/null | grep -m 1 'goaway'
        15,,unknown,goaway;no-response
        """),
    .malformedJSON: CatalogueEntry(
      title: "A body that is not Apple's JSON",
      cause: """
        The body of an error is not a JSON object with a text reason and an integer timestamp, or part of it is missing. \
        A proxy may have answered in place of the service.
        """,
      meaning: "reason and timestamp_ms are empty. The status is that of the response header.",
      remedy: "Look at the bytes with show. Without a timestamp, a 410 invalidates nothing.",
      example: """
        $ apnsift export samples/pushes/case-no-json.pcap --records pushes --columns http2_stream,status,reason,flags \\
        > 2>/dev/null | grep -m 1 'malformed'
        1,502,,malformed-json
        """),
    .noResponse: CatalogueEntry(
      title: "A push without a response",
      cause:
        "No response to the push is in the input: it is in a gap, came after the capture ended, or never came.",
      meaning: "The outcome is unknown. The absence of a response proves nothing.",
      remedy: "Look for the apns-id in the provider's log.",
      example: """
        $ apnsift export samples/pushes/case-resets.pcap --records pushes --columns http2_stream,status,outcome,flags \\
        > 2>/dev/null | grep -m 1 'no-response'
        3,,unknown,no-response;stream-reset
        """),
    .statusInferred: CatalogueEntry(
      title: "A status inferred from the reason",
      cause: """
        The status refers to an entry of the header table that is lost in a gap, or before the capture began. Each of \
        Apple's reasons belongs to one status.
        """,
      meaning: "The status is the one of the reason, or 410 for a body with a timestamp.",
      remedy: "replay ignores such pushes; --include-flagged replays them.",
      example: """
        $ apnsift export samples/pushes/httpx-clear-late.pcap --records pushes --columns http2_stream,status,reason,flags \\
        > 2>/dev/null | grep -m 1 'inferred'
        13,403,ExpiredProviderToken,status-inferred;unknown-headers
        """),
    .streamReset: CatalogueEntry(
      title: "A push whose stream was reset",
      cause: "One side sent RST_STREAM before the response was complete.",
      meaning:
        "With the code REFUSED_STREAM the service did not process the push; with others the outcome is unknown.",
      remedy: "Send refused pushes again: --records resend-pushes lists them.",
      example: """
        $ apnsift export samples/pushes/case-resets.pcap --records pushes --columns http2_stream,status,outcome,flags \\
        > 2>/dev/null | grep -m 1 ',410,'
        5,410,invalidated,stream-reset
        """),
    .tokenNotHex: CatalogueEntry(
      title: "A token that is not hex",
      cause: "The last part of the path, or the token of a log, is not an even number of hex digits.",
      meaning:
        "token is empty, and token_text has the original text. The service answers 400 BadDeviceToken.",
      remedy: "Correct the program that stores or sends such tokens.",
      example: """
        $ apnsift export samples/pushes/httpx-clear.pcap --records pushes --columns token,token_text,status,reason,flags \\
        > 2>/dev/null | grep -m 1 'not-hex'
        ,device-f8a14e9b0492,400,BadDeviceToken,token-not-hex
        """),
    .unknownHeaders: CatalogueEntry(
      title: "Header fields that are lost",
      cause: """
        A field of the request or the response refers to an entry of the header table that is lost in a gap, or before \
        the capture began. Or part of the header block is missing.
        """,
      meaning: "Those columns are empty. Fields that are not empty are certain.",
      remedy: "None. Fields of later pushes are known once the sender transmits them again.",
      example: """
        $ apnsift export samples/pushes/httpx-clear-late.pcap --records pushes --columns http2_stream,topic,status,flags \\
        > 2>/dev/null | grep -m 1 'unknown-headers'
        9,,200,uncorrelated;unknown-headers
        """),
  ]
}
