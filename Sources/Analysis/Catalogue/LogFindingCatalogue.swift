extension FindingCode {
  /// Findings about the lines of a provider's log.
  var logDescription: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .malformedLine:
      (
        .error,
        CatalogueEntry(
          title: "A log line that cannot be read",
          cause: """
            The line should be a push, but it is not JSON, has another number of columns than the header, is longer than \
            65536 bytes, or has a token, status, reason or timestamp of the wrong kind. The message names the line, what \
            is expected and what is found.
            """,
          meaning: """
            The line is left out; all other lines are read. Adjacent lines with the same problem are one finding, and \
            after 1000 findings the lines are only counted.
            """,
          remedy: """
            If most lines have it, map the right member or column with --map. Otherwise repair the line, or \
            ignore it.
            """,
          example: """
            $ printf '{"token":"%064d","status":"gone","timestamp":0}\\n' 1 >odd.log
            $ apnsift export --from provider-log odd.log --records findings 2>/dev/null | sed -n 2p
            odd.log,0,server,0,107,,0,malformed-line,error,"line 1: the status is ""gone""…
            """)
      )
    case .unrelatedLines:
      (
        .note,
        CatalogueEntry(
          title: "Log lines without a push",
          cause:
            "The log also has other lines, such as application messages, or requests without a response.",
          meaning: "They are counted and left out. They are not errors.",
          remedy: """
            If pushes are missing, look at the line that the message names. If it is a push, map its names \
            with --map.
            """,
          example: """
            $ printf 'worker started\\n{"token":"%064d","status":200}\\n' 1 >mixed.log
            $ apnsift export mixed.log --records findings 2>/dev/null | sed -n 2p
            mixed.log,0,,,,,,unrelated-lines,note,1 line (15 bytes)…
            """)
      )
    default: undescribed
    }
  }
}
