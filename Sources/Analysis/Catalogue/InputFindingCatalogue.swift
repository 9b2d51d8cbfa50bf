extension FindingCode {
  /// Findings about an input as a whole.
  var inputDescription: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .unreadableInput:
      (
        .error,
        CatalogueEntry(
          title: "An input that cannot be read in full",
          cause: """
            The input is missing, may not be read, fails while it is read, is of a kind that apnsift does not read (such \
            as an archive), or is text (hex, base64, a stream export) with an error in it.
            """,
          meaning: """
            The readable part is used; the rest is not in the figures. The exit code is 2. For damaged text, file_offset \
            is where the error is.
            """,
          remedy: """
            The message says what was expected and found. Repair the file there, or look for another copy. A replay \
            changes nothing unless --partial or --skip-unreadable is given.
            """,
          example: """
            $ apnsift export missing.bin --records findings 2>/dev/null | sed -n 2p
            missing.bin,,,,,,,unreadable-input,error,cannot be opened: No such file or directory
            """)
      )
    case .damagedCapture:
      (
        .error,
        CatalogueEntry(
          title: "Damage in a capture file",
          cause: """
            Bytes of the capture file form no packet record: the file was cut, overwritten or padded, or its version is \
            unknown.
            """,
          meaning: """
            The packets in the length bytes from file_offset on are lost. Reading continues at the next plausible packet \
            record. If the end of the file cuts a packet, its first part is used. Bytes that a stream lacks because of it \
            are also a stream-gap. A file of an unknown version is read like the last known one.
            """,
          remedy: "Look for another copy of the capture file.",
          example: """
            $ cp samples/captures/session.pcap holed.pcap
            $ dd if=/dev/zero of=holed.pcap bs=1 seek=3814 count=16 conv=notrunc status=none
            $ apnsift export holed.pcap --records findings 2>/dev/null | sed -n 2p
            holed.pcap,,,,1222,,3814,damaged-capture,error,…
            """)
      )
    case .unsupportedLinkType:
      (
        .note,
        CatalogueEntry(
          title: "Packets of an unsupported link type",
          cause:
            "Packets have a link type that apnsift does not read, or one for which --filter has no meaning.",
          meaning: "None of these packets is read. The finding names the first packet of each link type.",
          remedy: """
            Capture on an interface that carries IP, or convert the file. Use a filter that suits all link types of the \
            capture.
            """,
          example: """
            $ apnsift export samples/captures/disordered.pcap --filter 'ether host 00:00:5e:00:53:01' \\
            > --records findings 2>/dev/null | sed -n 2p
            samples/captures/disordered.pcap,,,,60,1,40,unsupported-link-type,note,…
            """)
      )
    case .unrecognisedInput:
      (
        .note,
        CatalogueEntry(
          title: "An input of no known format",
          cause: """
            The content matches no format that apnsift reads. A short dump, or one with a damaged beginning, can match \
            none, too.
            """,
          meaning: """
            A file that was named is read as raw feedback, or as --protocol says. A file found in a directory is skipped.
            """,
          remedy: """
            If it is a dump, say so with --from raw, hex or base64, and with --protocol for gateway data. If not, leave it \
            out.
            """,
          example: """
            $ echo 'This is a list of things to do.' >todo.txt
            $ apnsift export todo.txt --records findings 2>/dev/null | sed -n 3p
            todo.txt,,,,,,,unrecognised-input,note,…
            """)
      )
    case .duplicateInput:
      (
        .warning,
        CatalogueEntry(
          title: "An input with the same bytes as another",
          cause: """
            An earlier input has the same SHA-256: a file was named twice, or a directory has a copy of it. Files are \
            compared as they are on disk, so a compressed copy counts as another file. Empty inputs are not compared.
            """,
          meaning: """
            Both are read and counted, so the figures of records and bytes are too high if both are one dump. Distinct \
            tokens and the outcome of a replay are the same.
            """,
          remedy: """
            Leave one of them out. If the service really sent the same list twice, nothing is wrong.
            """,
          example: """
            $ cp samples/tls-session.bin copy.bin
            $ apnsift export copy.bin samples/tls-session.bin --records findings 2>/dev/null | sed -n 2p
            samples/tls-session.bin,,,,,,,duplicate-input,warning,…
            """)
      )
    case .alreadyReplayed:
      (
        .note,
        CatalogueEntry(
          title: "An input that was replayed before",
          cause: """
            The store's journal has a replay of an input with the same SHA-256 for the same app and environment, and it \
            was not undone. Only apnsift replay reports this.
            """,
          meaning: """
            Doing it again changes nothing, unless the options differ: --include-flagged, or leaving out --known-only, \
            lets more tokens count.
            """,
          remedy: """
            None is needed. --skip-replayed skips such inputs; apnsift store history shows what the earlier replay did.
            """,
          example: """
            $ apnsift replay samples/tls-session.bin --create --store sqlite:again.sqlite --quiet >/dev/null 2>&1
            $ apnsift replay samples/tls-session.bin --store sqlite:again.sqlite 2>&1 | tail -n 1
            …(already-replayed 1)
            """)
      )
    default: undescribed
    }
  }
}
