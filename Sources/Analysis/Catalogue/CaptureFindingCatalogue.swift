extension FindingCode {
  /// Findings about packets, connections and limits.
  var captureDescription: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .conflictingOverlap:
      (
        .warning,
        CatalogueEntry(
          title: "Two copies of the same bytes that differ",
          cause: """
            Bytes of a stream were sent twice with different content. Broken devices do that, and attackers who want two \
            readers to see two things.
            """,
          meaning: """
            The copy that comes first in the file counts. The capture does not show which one the receiver used. packet \
            is the later copy, the message names both, and all differences are within length bytes from offset on.
            """,
          remedy: "Do not trust the records here before you have looked at both packets.",
          example: """
            $ cp samples/captures/disordered.pcap conflict.pcap
            $ printf '?' | dd of=conflict.pcap bs=1 seek=8926 conv=notrunc status=none
            $ apnsift export conflict.pcap --records findings 2>/dev/null | sed -n 2p
            conflict.pcap,0,server,1148,1,61,,conflicting-overlap,warning,…
            """)
      )
    case .midstreamStart:
      (
        .warning,
        CatalogueEntry(
          title: "A stream whose beginning was not captured",
          cause: "The capture began while the connection was open, or a filter removed its first packets.",
          meaning: """
            Offsets count from the first captured byte. How many bytes came before it is unknown. If the capture begins \
            inside a tuple, the rest of that tuple is skipped-bytes.
            """,
          remedy: "If the capture is one of several rotated files, read them together with --join.",
          example: """
            $ apnsift export samples/captures/session-rotated-2.pcap --records findings 2>/dev/null | sed -n 2p
            samples/captures/session-rotated-2.pcap,0,server,0,0,2,188,midstream-start,warning,…
            """)
      )
    case .truncatedPacket:
      (
        .warning,
        CatalogueEntry(
          title: "A packet captured in part",
          cause: "The packet is longer than the snap length of the capture, or the file ends inside it.",
          meaning: """
            The captured part is used. length bytes from offset on are missing unless another copy of them arrives; \
            otherwise a stream-gap follows.
            """,
          remedy: """
            Capture with a larger snap length (tcpdump -s 0), or look for a complete copy of the file.
            """,
          example: """
            $ head -c 4896 samples/captures/session.pcap >ended.pcap
            $ apnsift export ended.pcap --records findings 2>/dev/null | grep truncated-packet
            ended.pcap,0,server,2396,140,30,3896,truncated-packet,warning,…
            """)
      )
    case .lateSegment:
      (
        .error,
        CatalogueEntry(
          title: "A segment that came too late",
          cause: """
            The segment arrived after its gap was flushed: more than --reorder-window packets after later bytes, after a \
            buffer was full, or before the first byte of a stream whose beginning was not captured.
            """,
          meaning: """
            Its bytes are left out. The stream has a stream-gap at their offset, or begins after them.
            """,
          remedy: """
            Read again with a larger --reorder-window, or with larger buffers if there is a buffer-limit finding.
            """,
          example: """
            $ apnsift export samples/captures/disordered.pcap --reorder-window 5 --records findings 2>/dev/null \\
            > | grep -m 1 late-segment
            samples/captures/disordered.pcap,0,server,1148,33,51,7698,late-segment,error,…
            """)
      )
    case .pendingLimit:
      (
        .warning,
        CatalogueEntry(
          title: "Too many requests waited for a response",
          cause: "More requests of one connection were waiting for a response than --max-pending allows.",
          meaning: """
            The oldest requests keep the outcome unknown, from this offset on. A later response that names one of them is \
            uncorrelated; if it is the first response, all outcomes of the connection stay unknown.
            """,
          remedy: "Read again with a larger --max-pending.",
          example: """
            $ apnsift export --requests samples/gateway.requests.bin --responses samples/gateway.responses.bin \\
            > --max-pending 100 --records findings 2>/dev/null | sed -n 2p
            samples/gateway.requests.bin,0,client,0,124,,0,pending-limit,warning,…
            """)
      )
    case .bufferLimit:
      (
        .warning,
        CatalogueEntry(
          title: "A reassembly buffer was full",
          cause: """
            More bytes were waiting for missing ones before them than --stream-buffer allows for a direction, or \
            --total-buffer for all.
            """,
          meaning: """
            The gap at offset was flushed early. If its bytes arrive after all, they are a late-segment.
            """,
          remedy: "Read again with a larger value of the option in the message; --memory bounds both.",
          example: """
            $ apnsift export samples/captures/disordered.pcap --stream-buffer 500 --records findings 2>/dev/null \\
            > | grep -m 1 buffer-limit
            samples/captures/disordered.pcap,0,server,1148,,21,2644,buffer-limit,warning,…
            """)
      )
    case .connectionEvicted:
      (
        .warning,
        CatalogueEntry(
          title: "A connection evicted to make room",
          cause: """
            More connections than --max-connections were open at once. Connections that have ended or carried no bytes go \
            first, then the one that was idle longest. A stream export has at most 16384.
            """,
          meaning: """
            The stream ends here. If its connection continues, that is another stream, with a midstream-start. \
            Connections without bytes are counted in one finding at the end.
            """,
          remedy: "Raise --max-connections, at up to 1 KiB each, or use --filter to leave other traffic out.",
          example: """
            $ apnsift export samples/captures/disordered.pcap --max-connections 1 --records findings 2>/dev/null \\
            > | grep -m 1 connection-evicted
            samples/captures/disordered.pcap,2,,,,22,,connection-evicted,warning,…
            """)
      )
    case .fragmentMissing:
      (
        .warning,
        CatalogueEntry(
          title: "An IP datagram with missing fragments",
          cause: """
            Not all fragments of the datagram arrived within --reorder-window packets, before --fragment-buffer was full, \
            or before the capture ended.
            """,
          meaning: """
            None of its bytes is used. A stream that they belong to has a stream-gap. Datagrams that cannot carry TCP are \
            not reported.
            """,
          remedy: """
            A filter by port sees the first fragment only, since the others have no ports: capture and read with host \
            instead.
            """,
          example: """
            $ printf '%s' a1b2c3d4 00020004 00000000 00000000 0000ffff 000000e4 \\
            > 515c0000 00000000 0000001c 0000001c 4500001c 00072000 40060000 c0000202 c0000201 08949c40 00000001 \\
            > | xxd -r -p >part.pcap
            $ apnsift export part.pcap --records findings 2>/dev/null | sed -n 2p
            part.pcap,,,,,1,60,fragment-missing,warning,…
            """)
      )
    case .fragmentOverlap:
      (
        .warning,
        CatalogueEntry(
          title: "IP fragments that contradict each other",
          cause: "Two fragments of a datagram overlap with different bytes, or disagree about its length.",
          meaning: """
            The datagram is refused and none of its bytes is used: receivers treat such fragments differently, and \
            attackers rely on it. Exact copies of a fragment are no finding.
            """,
          remedy: "Look at this packet and at the earlier one of the same datagram.",
          example: """
            $ printf '%s' a1b2c3d4 00020004 00000000 00000000 0000ffff 000000e4 \\
            > 515c0000 00000000 0000001c 0000001c 4500001c 00072000 40060000 c0000202 c0000201 08949c40 00000001 \\
            > 515c0001 00000000 0000001c 0000001c 4500001c 00072000 40060000 c0000202 c0000201 08949c40 0000ffff \\
            > | xxd -r -p >twice.pcap
            $ apnsift export twice.pcap --records findings 2>/dev/null | sed -n 2p
            twice.pcap,,,,,2,104,fragment-overlap,warning,…
            """)
      )
    case .malformedPacket:
      (
        .error,
        CatalogueEntry(
          title: "A packet with impossible headers",
          cause: """
            A header of the packet is invalid or was captured in part: a length that does not fit, a version that does not \
            exist.
            """,
          meaning: """
            The packet is skipped. A stream that lacks its bytes has a stream-gap. The message names the header, and \
            file_offset is where it is.
            """,
          remedy: """
            If headers were cut, capture with a larger snap length. Single malformed packets are often another protocol on \
            the same network.
            """,
          example: """
            $ editcap -F pcap -s 40 samples/captures/session.pcap headers.pcap
            $ apnsift export headers.pcap --records findings 2>/dev/null | sed -n 2p
            headers.pcap,,,,,1,74,malformed-packet,error,…
            """)
      )
    case .unverifiedRetransmission:
      (
        .note,
        CatalogueEntry(
          title: "Retransmitted bytes that were not compared",
          cause: """
            Bytes were sent again so late that the first copy is no longer in memory: it was in an earlier file of --join, \
            or more than 32 MiB back in a pipe or a compressed capture.
            """,
          meaning: """
            The later copy is not used, and whether it has the same content is unknown. One finding for each direction \
            has the number of bytes.
            """,
          remedy:
            "None is needed. A capture that was decompressed, or joined with mergecap -a, allows more comparisons.",
          example: """
            $ apnsift export --join samples/captures/session.pcap samples/captures/session.pcap --records findings \\
            > 2>/dev/null | sed -n 3p
            samples/captures/session.pcap,0,server,,,107,,unverified-retransmission,note,…
            """)
      )
    default: undescribed
    }
  }
}
