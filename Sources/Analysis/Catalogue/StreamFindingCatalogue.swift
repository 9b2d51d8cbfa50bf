extension FindingCode {
  /// Findings about the bytes of a stream.
  var streamDescription: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .skippedBytes:
      (
        .error,
        CatalogueEntry(
          title: "Bytes that belong to no record",
          cause: """
            A record should begin here, and no plausible one does: bytes were lost, changed or inserted, or the input is \
            something else. The decoder skips to the next record whose end is followed by another plausible one.
            """,
          meaning: """
            The skipped bytes are lost, often one record. The records before them are sound. The first record after them \
            carries the flag resynchronised, unless the skipped bytes are the end of a record that a gap cut.
            """,
          remedy: """
            Look for another copy. If every byte is skipped, check what the input is: --token-length for tokens that are \
            not 32 bytes long, --earliest and --latest for other times, --from for text, --protocol for gateway data.
            """,
          example: """
            $ apnsift export samples/lost-byte.bin --records findings 2>/dev/null | sed -n 2p
            samples/lost-byte.bin,0,server,380,37,,380,skipped-bytes,error,37 bytes skipped…
            """)
      )
    case .truncatedRecord:
      (
        .error,
        CatalogueEntry(
          title: "A record that is cut off",
          cause: "The bytes end inside a record, at the end of the input or at a gap.",
          meaning: """
            The record is lost. The records before it are sound. A client connection that the gateway closed often ends \
            like this: the client was still writing.
            """,
          remedy: """
            At the end of an input, look for a longer copy: the program that saved it stopped too early, or the copy was \
            cut. At a gap, see stream-gap.
            """,
          example: """
            $ apnsift export samples/cut-tail.bin --records findings 2>/dev/null | sed -n 2p
            samples/cut-tail.bin,0,server,1482,18,,1482,truncated-record,error,…
            """)
      )
    case .streamGap:
      (
        .error,
        CatalogueEntry(
          title: "Bytes missing from the stream",
          cause: """
            In a capture, packets are missing: later ones arrived, and the missing ones did not within --reorder-window \
            packets. In a dump, a mark of tshark, the offsets of a hex dump or unreadable text say that bytes are missing.
            """,
          meaning: """
            The bytes are lost; later offsets count them. The record that the gap cuts is lost: its start is a \
            truncated-record, its end is skipped-bytes. Other records are not affected. In a capture, packet is the first \
            one after the gap; at the end of a stream there is none.
            """,
          remedy: """
            Look for another capture of the same connection: each may have what the other lacks, and mergecap joins them. \
            Unreadable text can often be repaired at the line that the message names.
            """,
          example: """
            $ apnsift export samples/tshark-gap.bin --records findings 2>/dev/null | sed -n 3p
            samples/tshark-gap.bin,0,server,700,76,,700,stream-gap,error,76 bytes…
            """)
      )
    case .unknownCommand:
      (
        .error,
        CatalogueEntry(
          title: "A byte that begins no record",
          cause: """
            The first byte of a request must be 0, 1 or 2, and that of an error response 8. Bytes before it were lost or \
            changed, or the direction carries something else.
            """,
          meaning: """
            It names the one byte. The skipped-bytes finding at the same offset says how many bytes were left out because \
            of it.
            """,
          remedy: """
            As for skipped-bytes. At offset 0, the input is the other direction, feedback, or something else: see \
            --protocol.
            """,
          example: """
            $ apnsift export samples/gateway-lost-header.requests.bin --records findings 2>/dev/null | sed -n 2p
            samples/gateway-lost-header.requests.bin,0,client,6060,1,,6060,unknown-command,error,…
            """)
      )
    case .malformedFrame:
      (
        .error,
        CatalogueEntry(
          title: "A request with impossible lengths",
          cause: """
            The command is 0, 1 or 2, but the lengths after it cannot be right: a token beyond --max-token-length or a \
            payload beyond --max-payload (commands 0 and 1), a frame of more than 65535 bytes (command 2), or five zeros, \
            with which tools fill gaps.
            """,
          meaning: """
            As for unknown-command. A request whose length is plausible never has this finding; errors inside it are the \
            flag malformed-items.
            """,
          remedy: "As for skipped-bytes. If payloads were longer than 4096 bytes, raise --max-payload.",
          example: """
            $ (cat samples/gateway.requests.bin; head -c 10 /dev/zero) >filled.bin
            $ apnsift export filled.bin --records findings 2>/dev/null | sed -n 2p
            filled.bin,0,client,32523,1,,32523,malformed-frame,error,…
            """)
      )
    case .malformedHTTP2:
      (
        .error,
        CatalogueEntry(
          title: "An HTTP/2 header block that cannot be decoded",
          cause: """
            The block is not compressed as RFC 7541 says, refers to an entry of the table that does not exist, or has more \
            than 65536 bytes, compressed or not. The bytes are damaged, or the sender is faulty or hostile.
            """,
          meaning: """
            Its fields are null, with the flag unknown-headers. Later fields of the direction that refer to earlier entries \
            are null, too. No field is guessed.
            """,
          remedy:
            "Look for another capture of the connection. If the capture is intact, the sender is faulty.",
          example: """
            $ cp samples/pushes/nghttp-clear.pcap torn.pcap
            $ printf '\\377\\377\\377\\377\\377\\377' | dd of=torn.pcap bs=1 seek=3300 conv=notrunc 2>/dev/null
            $ apnsift export torn.pcap --records findings 2>/dev/null | cut -d, -f 2-4,8-9 | tail -n 1
            0,server,75,malformed-http2,error
            """)
      )
    default: undescribed
    }
  }
}
