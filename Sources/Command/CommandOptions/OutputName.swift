import ArgumentParser

/// The format that the name of an output file calls for.
package enum OutputName {
  /// The lower-case extension of `path`; empty without one.
  package static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// Throws a usage error if `option path` names a file of another format than `format`, or a compressed one.
  /// - Parameter extension: that of the format's files, if it is not its name.
  package static func check(
    _ option: String, _ path: String?, is format: String, as extension: String? = nil,
    chosenBy choice: String? = nil
  ) throws {
    guard let path else { return }
    let named = fileExtension(path)
    if ["gz", "zst", "lz4", "bz2", "xz"].contains(named) {
      throw ValidationError(
        "\(option) \(path): output is not compressed. Pipe it through gzip, as in `apnsift … | gzip > "
          + "\(path)`")
    }
    guard named != `extension` ?? format, aliases[named] != format, choosing.contains(named) else { return }
    let remedy =
      choice.map { "leave out \($0), or rename the file" } ?? "name a .\(`extension` ?? format) file"
    throw ValidationError(
      "\(option) \(path) names a .\(named) file, but the output is \(format): \(remedy) (`export` writes "
        + "csv, json, ndjson, arrow, timesketch, bodyfile and sqlite, `report` writes html)")
  }

  /// Other extensions of the formats.
  package static let aliases = [
    "arrows": "arrow", "jsonl": "ndjson", "htm": "html", "body": "bodyfile",
    "db": "sqlite", "sqlite3": "sqlite",
  ]
  /// Extensions that choose a format, ours or another one: its programs would not open what is written. All others, such
  /// as `.txt`, choose none.
  private static let choosing: Set<String> = [
    "csv", "json", "ndjson", "jsonl", "arrow", "arrows", "html", "htm", "xml", "pdf", "ps", "rtf", "doc",
    "docx", "odt",
    "md", "xls", "xlsx", "xlsm", "xlsb", "ods", "numbers", "tsv", "tab", "yaml", "yml", "toml", "parquet",
    "feather", "ipc", "avro", "orc", "sqlite", "sqlite3", "db", "duckdb", "sql", "zip", "tar", "tgz", "7z",
    "rar",
    "pcap", "pcapng", "cap", "png", "jpg", "jpeg", "svg",
  ]
}
