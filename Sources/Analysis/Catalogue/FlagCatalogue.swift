import APNsWire

/// What a flag on a record means.
package struct FlagEntry: Sendable {
  package var code: String
  /// The kinds of records that can have it.
  package var records: [FlaggedRecord]
  package var entry: CatalogueEntry

  package enum FlaggedRecord: String, CaseIterable, Sendable {
    case feedback, request, response, push
  }
}

extension FlagEntry {
  /// All flags, in the order of their codes.
  package static let all = (ofRecords + ofPushes).sorted { $0.code < $1.code }

  private static let ofRecords = RecordFlags.all.map { flag, code in
    let (records, entry) =
      descriptions[flag] ?? ([], CatalogueEntry(title: code, cause: "", meaning: "", remedy: "", example: ""))
    return FlagEntry(code: code, records: records, entry: entry)
  }

  package static func of(_ code: String) -> FlagEntry? { all.first { $0.code == code } }

  private static let descriptions: [RecordFlags: (records: [FlaggedRecord], entry: CatalogueEntry)] = [
    .afterClose: (
      [.response],
      CatalogueEntry(
        title: "A response after the first one",
        cause: """
          The response is not the first one of its connection. A gateway sends one and closes. The dump may have several \
          connections in a row, or bytes that are no response.
          """,
        meaning: "It changes no outcome. request_offset and token name its request, if one is found.",
        remedy: "If one dump has several connections, split it where they begin.",
        example: """
          $ apnsift export --requests samples/gateway.requests.bin --responses samples/gateway-later.responses.bin \\
          > --records responses --columns offset,status,identifier,flags 2>/dev/null | tail -n 1
          6,1,5,after-close
          """)
    ),
    .carved: (
      [.feedback, .request, .response],
      CatalogueEntry(
        title: "A carved record",
        cause: """
          A search found the record in bytes of any kind: at least --min-chain tuples in a row, with allowed lengths, \
          plausible times, and tokens that look random; a request with a JSON payload; a token and a time in a line; or an \
          IP packet.
          """,
        meaning: """
          Chains of three tuples are almost always real; the column confidence says how likely a tuple is. The last one \
          of each chain has the flag unconfirmed-boundary, too: its token may end in foreign bytes. Nothing shows whether \
          the list was complete.
          """,
        remedy:
          "Compare file_offset with the file system. replay ignores carved records; --include-flagged replays them.",
        example: """
          $ (head -c 9999 /dev/zero; cat samples/tls-session.bin; head -c 99 /dev/zero) >disk.img
          $ apnsift export disk.img --from carve --columns stream,offset,file_offset,flags 2>/dev/null | sed -n 2p
          0,0,9999,carved
          """)
    ),
    .identifierSwapped: (
      [.response],
      CatalogueEntry(
        title: "An identifier with its bytes reversed",
        cause: """
          No earlier request has the response's identifier, but one has it with its four bytes reversed. Some clients \
          wrote identifiers in the byte order of their host.
          """,
        meaning: """
          The response counts for that request, the last one if there are several. This is almost always right; another \
          request's identifier can match by chance.
          """,
        remedy:
          "None is needed if all identifiers of the client are reversed. Otherwise look at the request.",
        example: """
          $ apnsift export --requests samples/gateway.requests.bin --responses samples/gateway-swapped.responses.bin \\
          > --records responses --columns status,identifier,request_offset,flags 2>/dev/null | tail -n 1
          8,2030043136,19625,identifier-swapped
          """)
    ),
    .implausibleTimestamp: (
      [.feedback],
      CatalogueEntry(
        title: "An implausible time",
        cause: """
          The time is before --earliest (the day the service began) or after --latest (a month after the service ended).
          """,
        meaning: """
          The time is wrong; the token may be right. Bytes of the header were changed, the dump was made for a test, or \
          it is no feedback dump. Neighbouring records are not affected.
          """,
        remedy: "If the times are meant, widen --earliest and --latest.",
        example: """
          $ apnsift export samples/vectors/feedback-069.bin --columns offset,timestamp,time,flags 2>/dev/null | sed -n 2p
          0,2147483647,2038-01-19T03:14:07Z,implausible-timestamp
          """)
    ),
    .malformedItems: (
      [.request],
      CatalogueEntry(
        title: "Items that form no complete request",
        cause: """
          The items of a command 2 request do not fill its frame, lack token (1) or payload (2), have one of them twice, \
          or have an identifier (3), expiry (4) or priority (5) of the wrong size.
          """,
        meaning: """
          It is one request with known ends. Missing items and items of the wrong size are null; of repeated items the \
          first counts. The gateway most likely answered with an error.
          """,
        remedy: """
          Look at the column items, the ids in wire order. With unconfirmed-boundary as well, bytes were lost inside.
          """,
        example: """
          $ apnsift export samples/gateway-odd-frames.requests.bin --records requests \\
          > --columns offset,token_length,payload_length,items,flags 2>/dev/null | grep -m 1 malformed-items
          146,32,19,3;1;1;2,malformed-items
          """)
    ),
    .payloadNotJSON: (
      [.request],
      CatalogueEntry(
        title: "A payload that is not JSON",
        cause: "The payload is not UTF-8, or not exactly one JSON value. An empty payload has the flag, too.",
        meaning: """
          The request and its token are sound. The client sent a payload that the gateway refused, or bytes of it were \
          changed. If it is not UTF-8, payload is null and payload_hex has its bytes.
          """,
        remedy: "None is needed.",
        example: """
          $ apnsift export samples/gateway-odd-frames.requests.bin --records requests \\
          > --columns offset,payload,flags 2>/dev/null | grep -m 1 payload-not-json
          448,{'aps':{'alert':'Grüße'}},payload-not-json
          """)
    ),
    .payloadTooLarge: (
      [.request],
      CatalogueEntry(
        title: "A payload that is too long",
        cause: "The payload has more than 2048 bytes, or more than 256 with command 0 or 1.",
        meaning: """
          It is longer than the gateway accepted. VoIP notifications could have 4096 bytes and are fine despite the flag.
          """,
        remedy: "None is needed. --max-payload is a different limit: the longest plausible payload.",
        example: """
          $ apnsift export samples/gateway-odd-frames.requests.bin --records requests \\
          > --columns offset,command,payload_length,flags 2>/dev/null | grep payload-too-large
          600,1,270,payload-too-large
          """)
    ),
    .resynchronised: (
      [.feedback, .request, .response],
      CatalogueEntry(
        title: "The first record after unexplained skipped bytes",
        cause: """
          The decoder could not read a record where one should begin, skipped bytes, and found this one. The end of a \
          record that a gap cut is skipped, too, but the record after it does not get this flag: the gap explains what \
          is missing.
          """,
        meaning: """
          The token of a tuple is what the input has; its time may contain unrelated bytes. A request or a response may be \
          bytes of another record that look like one by chance, a response more easily, since it has six bytes. Later \
          records are sound.
          """,
        remedy: """
          Do not rely on it unless something else confirms it. --include-flagged lets it count in a replay, with all other \
          flagged records.
          """,
        example: """
          $ apnsift export samples/lost-block.bin --columns offset,time,flags 2>/dev/null | grep resynchronised
          698,2016-09-23T09:33:41Z,resynchronised
          """)
    ),
    .unconfirmedBoundary: (
      [.feedback, .request],
      CatalogueEntry(
        title: "A record that no plausible record follows",
        cause: """
          The record is complete and its lengths are normal, but no record begins after it, and none begins inside it.
          """,
        meaning: """
          Bytes may be missing inside it: its token or payload may be the beginning of one and the end of another. The \
          record before it is not affected.
          """,
        remedy: "Do not trust its token.",
        example: """
          $ apnsift export samples/lost-header.bin --columns offset,flags 2>/dev/null | grep unconfirmed-boundary
          684,unconfirmed-boundary
          """)
    ),
    .uncorrelated: (
      [.response, .push],
      CatalogueEntry(
        title: "A response without a known request",
        cause: """
          No earlier request has the identifier of the response, in either byte order. Or the identifier is 0, which \
          gateways also sent for requests without one, and not exactly one request has it. Or no \
          request has the stream id of a push's response.
          """,
        meaning: """
          The request may be in a gap, in skipped bytes, before the capture began, or in a dump that was not given. If a \
          gateway's first response has the flag, its connection's outcomes stay unknown. A push has no token.
          """,
        remedy: """
          Give both directions, as --requests and --responses or in one capture. With a pending-limit finding, raise \
          --max-pending.
          """,
        example: """
          $ apnsift export samples/gateway.responses.bin --records responses \\
          > --columns status,identifier,request_offset,flags 2>/dev/null | tail -n 1
          8,121,,uncorrelated
          """)
    ),
    .unexpectedTokenLength: (
      [.feedback, .request, .push],
      CatalogueEntry(
        title: "A token of unusual length",
        cause: """
          The token length is not one of --token-length, but at most --max-token-length. In a push: not 32 \
          bytes.
          """,
        meaning: """
          Apple announced tokens of up to 100 bytes, and test suites use short ones. Or the length is damaged and fits by \
          chance.
          """,
        remedy:
          "If such tokens are normal here, say so with --token-length 32,54: then the records are not flagged.",
        example: """
          $ apnsift export samples/unusual-length.bin --columns offset,token_length,flags 2>/dev/null | grep unexpected
          760,54,unexpected-token-length
          """)
    ),
    .unknownItem: (
      [.request],
      CatalogueEntry(
        title: "An unknown item",
        cause: "A command 2 request has an item with an id other than 1 to 5.",
        meaning:
          "The item's meaning is unknown; the column items has its id. The other items are read as usual.",
        remedy: "None is needed.",
        example: """
          $ apnsift export samples/gateway-odd-frames.requests.bin --records requests \\
          > --columns offset,items,flags 2>/dev/null | grep unknown-item
          0,3;1;2;6,unknown-item
          """)
    ),
    .unknownStatus: (
      [.response],
      CatalogueEntry(
        title: "An unknown status",
        cause: "The status of the response is not in Apple's table. status_text is null.",
        meaning: """
          It counts as a failure of the request that it names, as every status but 0 and 10 does. Or the bytes are no \
          response.
          """,
        remedy: "Look at the records around it.",
        example: """
          $ printf '\\x08\\x63\\x00\\x00\\x00\\x01' >status.bin
          $ apnsift export status.bin --protocol responses --from raw --records responses \\
          > --columns status,status_text,identifier,flags 2>/dev/null | tail -n 1
          99,,1,uncorrelated;unknown-status
          """)
    ),
    .unusualPriority: (
      [.request],
      CatalogueEntry(
        title: "An unusual priority",
        cause: "The priority (item 5) is neither 10 (immediately) nor 5 (when it suits the device).",
        meaning: "The request is otherwise sound. The gateway may have refused it.",
        remedy: "None is needed.",
        example: """
          $ apnsift export samples/gateway-odd-frames.requests.bin --records requests \\
          > --columns offset,priority,flags 2>/dev/null | grep unusual-priority
          73,7,unusual-priority
          """)
    ),
    .zeroFilledToken: (
      [.feedback, .request],
      CatalogueEntry(
        title: "A token with a run of zeros",
        cause: "The token has eight zero bytes in a row. Some tools, such as tcpflow, fill gaps with zeros.",
        meaning: """
          The token is most likely not real. If the zeros continue after it, wrong times or skipped bytes follow.
          """,
        remedy: "Look for a capture without the gap.",
        example: """
          $ (head -c 84 samples/tls-session.bin; head -c 24 /dev/zero; tail -c +109 samples/tls-session.bin) >zeros.bin
          $ apnsift export zeros.bin --columns offset,flags 2>/dev/null | grep zero-filled-token
          76,zero-filled-token
          """)
    ),
    .zeroLengthToken: (
      [.feedback, .request],
      CatalogueEntry(
        title: "An empty token",
        cause: "The token length is 0, and 0 is not one of --token-length.",
        meaning: """
          The record names no device. Clients sent such requests on purpose: the error showed how far the gateway had \
          come.
          """,
        remedy: "None is needed. --token-length 0,32 makes it normal.",
        example: """
          $ apnsift export samples/zero-length.bin --columns offset,token_length,token,flags 2>/dev/null | grep zero
          760,0,,zero-length-token
          """)
    ),
  ]
}
