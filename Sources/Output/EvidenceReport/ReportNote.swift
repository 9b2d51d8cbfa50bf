import Basics
import PacketCapture
import StreamInputs

/// The examiner's remarks, given as text or as a file name.
package enum ReportNote {
  /// Largest file, in bytes.
  private static let mostLength = 1 << 20

  /// The paragraphs of the file of that name, or else of the argument itself.
  package static func paragraphs(_ argument: String) throws -> [String] {
    let isFile = access(argument, F_OK) == 0
    if !isFile, !argument.contains(where: \.isWhitespace) {
      guard !argument.contains("/") else { throw CommandError("--notes: no such file: \(argument)") }
      Console.say("--notes: no file is named '\(argument)'; using this text as the remarks")
    }
    return paragraphs(of: isFile ? try content(of: argument) : argument)
  }

  /// Blank lines separate paragraphs.
  private static func paragraphs(of text: String) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }).map { $0.joined(separator: " ") }
  }

  private static func content(of path: String) throws -> String {
    do {
      var reader = try LineReader(Input(path).of(option: "--notes"))
      var lines: [String] = []
      var length = 0
      while let line = try reader.next() {
        length += line.utf8.count + 1
        guard length <= mostLength else {
          throw CommandError("\(path) is larger than \(mostLength) bytes; shorten the remarks")
        }
        lines.append(line)
      }
      return lines.joined(separator: "\n")
    } catch let error as InputError {
      throw CommandError("cannot read the remarks in \(path): \(error.message)")
    }
  }
}
