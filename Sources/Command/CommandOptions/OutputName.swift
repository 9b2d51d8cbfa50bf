import ArgumentParser
import Messages

/// The format that the name of an output file calls for.
package enum OutputName {
  /// The lower-case extension of `path`; empty without one.
  package static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// Throws a usage error if `option path` names a file of another format than `format`, or a compressed one.
  package static func check(
    _ option: String, _ path: String?, is format: String, chosenBy choice: String? = nil
  )
    throws
  {
    guard let path else { return }
    let named = fileExtension(path)
    if ["gz", "zst", "lz4", "bz2", "xz"].contains(named) {
      throw ValidationError(.outputNotCompressed(option, path))
    }
    let isSame = named == format || named == "arrows" && format == "arrow"
    guard ["csv", "json", "ndjson", "arrow", "arrows"].contains(named), !isSame else { return }
    throw ValidationError(.outputOfOtherFormat(option, path, named: named, format: format, chosenBy: choice))
  }
}
