import PacketCapture
import Platform
import StreamInputs

/// The examiner's remarks: text, or a file with it.
package enum ReportNote {
  /// Bytes of a file; longer remarks are a document of their own.
  private static let mostLength = 1 << 20

  /// The paragraphs of a file of that name, or else of the argument itself.
  package static func paragraphs(_ argument: String) throws -> [String] {
    let isFile = access(argument, F_OK) == 0
    if !isFile, !argument.contains(where: \.isWhitespace) {
      guard !argument.contains("/") else { throw Failure("--note: there is no file \(argument)") }
      Messages.say("--note: there is no file '\(argument)', so that is what the remarks say")
    }
    return paragraphs(of: isFile ? try content(of: argument) : argument)
  }

  /// Lines up to an empty one, as one paragraph each.
  private static func paragraphs(of text: String) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }).map { $0.joined(separator: " ") }
  }

  private static func content(of path: String) throws -> String {
    do {
      var reader = try LineReader(path)
      var lines: [String] = []
      var length = 0
      while let line = try reader.next() {
        length += line.utf8.count + 1
        guard length <= mostLength else {
          throw Failure("\(path) holds more than \(mostLength) bytes: shorten the remarks")
        }
        lines.append(line)
      }
      return lines.joined(separator: "\n")
    } catch let fault as InputFault {
      throw Failure("\(path) cannot be read as the remarks: \(fault.message)")
    }
  }
}
