import Analysis

extension ReportHTML {
  /// The files among the inputs: those that were read, and all others.
  static func inputs(_ page: ReportPage) -> HTML {
    // An archive comes before its members among the inputs, and after them among the files.
    var files = Dictionary(grouping: page.files.lazy.filter { $0.format != nil }.reversed(), by: \.source)
    let read = page.inputs.prefix(page.limits.inputs).enumerated().map { number, summary in
      input(summary, files[summary.source]?.popLast(), id: " id=\"input-\(number)\"")
    }
    let none: HTML = "<tbody><tr><td colspan=\"4\">No input could be read.</td></tr></tbody>\n"
    let failures = Figures.count(page.failures, "input")
    return """
      \(if: !page.files.isEmpty, "<p>\(counts(page.files)).</p>\n")\
      \(HTML.table(inputColumns, groups: page.inputs.isEmpty ? [none] : read))\
      \(if: read.count < page.inputs.count, rest(page, Array(files.values.joined())))\
      \(if: page.failures > 0, .paragraph("alert", "\(failures) could not be read in full; see the findings."))\
      \(others(page))
      """
  }

  /// - Parameter files: the files of the inputs that are not listed.
  private static func rest(_ page: ReportPage, _ files: [InputRecord]) -> HTML {
    let part = Figures.part(min(page.inputs.count, page.limits.inputs), of: page.inputs.count, "listed")
    return .command(
      "\(part). The others are \(counts(files)). The inventory has all of them:", page.commands[.inputs])
  }

  /// How many files there are, by what became of them.
  private static func counts(_ files: [InputRecord]) -> String {
    let counts = files.reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 }
    let parts = InputRecord.ReadStatus.allCases.compactMap { verdict in
      counts[verdict].map { "\(Figures.grouped($0)) \(word(verdict))" }
    }
    return "\(Figures.count(files.count, "file")): \(parts.joined(separator: ", "))"
  }

  private static func word(_ verdict: InputRecord.ReadStatus) -> String {
    switch verdict {
    case .decoded: "read"
    case .carved: "searched for records"
    case .partial: "read in part"
    case .part: "parts of disk images"
    case .empty: "empty"
    case .skipped: "skipped"
    case .known: "left out as known"
    case .copy: "left out as copies"
    case .unreadable: "unreadable"
    case .notAFile: "not regular files"
    }
  }

  /// The rows of a file: one of its own, and others below.
  /// - Parameter id: as an attribute, with a space before it.
  private static func group(_ cells: [HTML], _ columns: [Column], below: [HTML?], id: HTML = "") -> HTML {
    let rows = below.compactMap { $0 }.map {
      #"<tr class="digest"><td colspan="\#(columns.count)">\#($0)</td></tr>\#n"# as HTML
    }
    return "<tbody\(id)>\n\(HTML.row(cells, columns))\(rows)</tbody>\n"
  }

  private static func digest(_ digits: String) -> HTML { "<span>SHA-256</span> <code>\(digits)</code>" }

  // MARK: - Files that were read

  private static let inputColumns: [Column] = [
    .text("Input", style: "name"), .text("Kind"), .number("Records"), .number("Size"),
  ]

  private static func input(_ input: InputSummary, _ file: InputRecord?, id: HTML) -> HTML {
    let isPart = file?.verdict == .partial || file?.verdict == .unreadable
    let kind = input.captureKind.map { "\($0) capture" } ?? input.format ?? "not read"
    let packets = input.packets.map { ", \(Figures.count($0, "packet"))" } ?? ""
    let records = file?.records.map(Figures.grouped) ?? "–"
    return group(
      [
        "\(input.source)", "\(kind)\(input.compressionText)\(packets)\(isPart ? ", not read in full" : "")",
        "\(records)", "\(Figures.size(input.bytes))",
      ], inputColumns,
      below: [
        digest(input.sha256 ?? "unknown"), input.sameBytesAs.map(copy),
        (isPart ? file?.reason : file?.unsearched).map { "<span>\($0)</span>" },
      ], id: id)
  }

  private static func copy(of first: String) -> HTML {
    "<span>Identical to</span> <strong>\(first)</strong><span>: its contents are counted again</span>"
  }

  // MARK: - Files that were not read

  private static let otherColumns: [Column] = [
    .text("File", style: "name"), .text("Why", label: "Kind"), .number("Size"),
  ]

  private static func others(_ page: ReportPage) -> HTML? {
    let files = page.files.filter { $0.format == nil }
    if files.isEmpty { return nil }
    let shown = files.prefix(page.limits.files)
    let cut = Figures.part(shown.count, of: files.count, "listed")
    let purpose: HTML = "\(cut). All of them, with the files that were read:"
    return """
      <h3>Files that were not decoded</h3>
      \(HTML.table(otherColumns, groups: shown.map(other)))\
      \(if: shown.count < files.count, .command(purpose, page.commands[.inputs]))
      """
  }

  private static func other(_ file: InputRecord) -> HTML {
    let target = file.linkTarget.map { " (link to \($0))" } ?? ""
    return group(
      ["\(file.source)", "\(why(file))\(target)", "\(file.size.map(Figures.size) ?? "–")"], otherColumns,
      below: [file.digests[.sha256].map(digest)])
  }

  private static func why(_ file: InputRecord) -> String {
    let reason = (file.unsearched ?? file.content ?? file.reason).map { ": \($0)" } ?? ""
    return switch file.verdict {
    case .part: "a part of a disk image, read with the first one"
    case .known: "left out: its hash is in a list of known files"
    case .copy: "left out: identical to \(file.sameBytesAs ?? "an earlier input")"
    case .notAFile: "not followed or read" + reason
    case .unreadable: "could not be read" + reason
    case .decoded, .partial, .carved, .empty, .skipped:
      file.searchedBytes > 0 ? "searched: no record was found" : "skipped" + reason
    }
  }
}
