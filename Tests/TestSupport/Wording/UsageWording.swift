import Basics

extension Message {
  /// - Parameter nearest: nil if no command is similar.
  package static func unknownCommand(_ word: String, nearest: String?) -> Message {
    Message("'\(word)' is neither a command nor a file\(hint(nearest)) (`apnsift help` lists all commands)")
  }

  /// - Parameter command: such as `apnsift store`.
  package static func unknownSubcommand(_ word: String, of command: String, nearest: String?) -> Message {
    Message("'\(word)' is not a command of \(command)\(hint(nearest)) (`\(command) --help` lists them all)")
  }

  private static func hint(_ nearest: String?) -> String {
    nearest.map { "; the nearest is '\($0)'" } ?? ""
  }

  /// - Parameter command: such as `apnsift store list`.
  package static func unknownOption(_ option: String, of command: String) -> Message {
    unknownOption(option, "", of: command)
  }

  package static func unknownOption(_ option: String, of command: String, nearest: String) -> Message {
    unknownOption(option, "; did you mean '\(nearest)'?", of: command)
  }

  /// The option is one of the command that follows it.
  package static func optionBeforeCommand(_ option: String, of command: String, nearest: String) -> Message {
    unknownOption(option, "; options follow the command: `\(command) \(nearest) …`", of: command)
  }

  package static func unknownOption(
    _ option: String, of command: String, knownTo others: [String]
  ) -> Message {
    let names = others.map { "`\($0)`" }.joined(separator: ", ")
    return unknownOption(option, "; it is an option of \(names)", of: command)
  }

  private static func unknownOption(_ option: String, _ advice: String, of command: String) -> Message {
    Message("unknown option '\(option)'\(advice) (`\(command) --help` lists all options)")
  }

  // MARK: - Values of options

  /// - Parameter value: a number, or a range or list of them.
  // MARK: - Inputs

  package static func earliestAfterLatest(_ earliest: UInt32, _ latest: UInt32) -> Message {
    Message("--earliest \(UTCTime.text(earliest)) is after --latest \(UTCTime.text(latest))")
  }

  // MARK: - Outputs

  /// - Parameters:
  ///   - named: the extension of the path.
  ///   - choice: the option that chooses the format, such as `-t csv`; nil if none does.
  package static func outputOfOtherFormat(
    _ option: String, _ path: String, named: String, format: String, chosenBy choice: String? = nil
  ) -> Message {
    let remedy = choice.map { "leave out \($0), or rename the file" } ?? "name a .\(format) file"
    return Message(
      "\(option) \(path) names a .\(named) file, but the output is \(format): \(remedy) (`export` writes csv, json, "
        + "ndjson and arrow, `report` writes html)")
  }

  package static func outputsAreSame(_ option: String, _ other: String) -> Message {
    Message("\(option) and \(other) name the same file")
  }

  /// - Parameters:
  ///   - path: its extension names another value.
  ///   - option: such as `--compression gzip`.
  package static func outputContradicts(_ path: String, _ option: String) -> Message {
    Message("-o \(path) contradicts \(option): leave that out, or rename the file")
  }

  package static func timesNotPlausible(_ plausible: ClosedRange<UInt32>) -> Message {
    Message(
      "--earliest and --latest must be from \(UTCTime.text(plausible.lowerBound)) to "
        + "\(UTCTime.text(plausible.upperBound)), the plausible times of the decoding rules")
  }
}
