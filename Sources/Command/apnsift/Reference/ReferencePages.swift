import Analysis
import ArgumentParser
import CommandOptions
import PacketCapture
import Reports

/// The pages of docs/reference, made from what the code declares (scripts/make-reference writes them).
enum ReferencePage: String, CaseIterable, ExpressibleByArgument {
  case findings, columns, limits

  var text: String {
    switch self {
    case .findings: Self.findingsPage
    case .columns: Self.columnsPage
    case .limits: Self.limitsPage
    }
  }

  private static func table(_ titles: [String], _ rows: [[String]]) -> String {
    ([titles, titles.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  // MARK: - Findings

  private static var findingsPage: String {
    let codes = FindingCode.allCases
    let flags = FlagEntry.all
    return """
      # Findings and flags

      A **finding** says that bytes are lost, doubtful or unreadable at an offset, or in an input.
      A **flag** says that a record was read but is doubtful.
      A replay skips flagged records unless `--include-flagged` is given.
      `apnsift explain CODE` shows one entry in the terminal.

      An error means that bytes or packets are lost or cannot be read, a warning that the result is doubtful, a note that something is good to know.
      Offsets count bytes from 0 in the stream, gaps included; packets count from 1 in their file.

      \(table(["code", "severity", "title"], codes.map { ["[`\($0.rawValue)`](#\($0.rawValue))", $0.severity.rawValue, $0.entry.title] }))
      \(table(["flag", "on", "title"], flags.map { ["[`\($0.code)`](#\($0.code))", $0.kinds, $0.entry.title] }))
      The examples run as shown, next to a copy of `samples/`.

      ## Findings

      \(codes.map { section($0.rawValue, $0.severity.rawValue, $0.entry) }.joined(separator: "\n"))
      ## Flags

      \(flags.map { section($0.code, $0.kinds, $0.entry) }.joined(separator: "\n"))
      """
  }

  private static func section(_ code: String, _ remark: String, _ entry: CatalogueEntry) -> String {
    """
    ### \(code)

    \(entry.title) (\(remark)).

    **Cause.** \(entry.cause)

    **Meaning.** \(entry.meaning)

    **Remedy.** \(entry.remedy)

    ```console
    \(entry.example)
    ```

    """
  }

  // MARK: - Columns

  private static var columnsPage: String {
    """
    # Columns

    The columns of CSV and Arrow, and the members of JSON and NDJSON records, in their order.
    An optional column may be empty in CSV; JSON and Arrow have null there.
    JSON records also have the member `type`.
    `export --columns` chooses columns of CSV, Arrow and NDJSON.

    In Arrow, numbers are `int64`, and times in UTC are `timestamp[us, UTC]`: smaller parts of a microsecond are cut.
    A token and `payload_hex` are bytes (`binary`), flags are `list<utf8>`, items `list<int64>`, and all else is `utf8`.

    """ + ExportedKind.tables.map(columns).joined()
  }

  private static func columns(of kind: ExportedKind) -> String {
    let rows = kind.columns.map { column in
      [
        "`\(column.name)`", column.type.text + (column.isOptional ? ", optional" : ""), column.meaning,
      ]
    }
    return """

      ## \(kind.rawValue)

      \(table(["column", "type", "meaning"], rows))
      """
  }

  // MARK: - Limits

  private static var limitsPage: String {
    """
    # Limits

    Options that bound memory, time and what is plausible.
    Reaching a limit is counted and reported.
    Sizes are bytes, or have a unit: 64MiB, 1GiB, 500MB.

    \(table(
      ["option", "limits", "default", "range", "cost", "at the limit"],
      Limit.all.map { ["`\($0.option)`", $0.help, $0.standardText, $0.rangeText, $0.cost, $0.effect] }))
    """
  }
}

extension FlagEntry {
  var kinds: String { records.map(\.rawValue).joined(separator: ", ") }
}

extension ColumnEntry.ValueType {
  /// As the table of columns names it.
  var text: String {
    switch self {
    case .named(let name): name
    case .integer(let range): "integer \(range.lowerBound) to \(range.upperBound)"
    case .text: "text"
    case .words(let words): words.joined(separator: ", ")
    case .flags: "list of flags"
    case .texts: "list of texts"
    case .itemIDs: "list of integers"
    case .hex: "hex"
    }
  }
}
