import Basics
import CommandOptions
import Reports

/// What a generated case of a corpus says of itself (docs/corpora.md#cases).
struct GeneratedCase {
  /// The first line of the expected output.
  static let header =
    JSONValue.object([("type", .string("header")), ("schema", .string(EvidenceObjects.schema))]).text + "\n"

  let shows: String
  /// Input options of `export`.
  var options: [String] = []
  /// Sizes in bytes of the reads of a reader, repeated.
  var chunks: [Int] = []

  /// The text of case.yml.
  var text: String {
    var lines = ["shows: \(shows)", "origin: \(JSONValue.quoted(Self.origin(CommandLine.arguments)))"]
    if !options.isEmpty { lines.append("options: [\(options.joined(separator: ", "))]") }
    if !chunks.isEmpty { lines.append("chunks: [\(chunks.map(String.init).joined(separator: ", "))]") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The command that made the case, without the directory of this machine.
  private static func origin(_ arguments: [String]) -> String {
    var options = Array(arguments.dropFirst())
    if let index = options.firstIndex(of: "--case") {
      options.removeSubrange(index...min(index + 1, options.count - 1))
    }
    options.removeAll { $0.hasPrefix("--case=") }
    return "apnsift-lab \(Program.version), \(options.joined(separator: " "))"
  }
}
