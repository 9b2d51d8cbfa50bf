import WireBytes

// MARK: - Commands and options

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

  /// - Parameter command: with the option that only the other command has.
  package static func commandOfLab(_ command: String) -> Message {
    Message("'\(command)' is in apnsift-lab: `apnsift-lab \(command) …`")
  }

  package static func commandNotFirst(_ name: String) -> Message {
    Message("'\(name)' is a command and must come first: `apnsift \(name) …`")
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

  package static func unknownCode(_ code: String, nearest: String) -> Message {
    Message("'\(code)' is neither a finding nor a flag; the nearest is '\(nearest)'")
  }
}

// MARK: - Values of options

extension Message {
  /// - Parameter value: a number, or a range or list of them.
  package static func outOfRange(_ option: String, _ value: String, _ range: ClosedRange<Int>) -> Message {
    Message("\(option) is \(value): give \(range.lowerBound) to \(range.upperBound)")
  }

  package static func tooSmall(_ option: String, _ value: Int, least: Int) -> Message {
    Message("\(option) is \(value): give \(least) or more")
  }

  /// - Parameter value: in bytes.
  package static func sizeTooSmall(_ option: String, _ value: Int) -> Message {
    Message("\(option) is \(value): give 1 byte or more")
  }
}

// MARK: - Inputs

extension Message {
  package static let noInput = Message("no input: name files or directories, or - for standard input")
  package static let standardInputTwice = Message("standard input (-) can be read only once")
  package static let requestsWithoutResponses = Message(
    "--requests and --responses go together; for one direction, give an input and --protocol requests or "
      + "--protocol responses")
  package static let pairWithInputs = Message("--requests and --responses exclude other inputs and --join")
  package static let pairIsGateway = Message(
    "--requests and --responses are dumps of a gateway connection: leave out --protocol feedback and "
      + "--filter")

  package static let pairWithKnownHashes = Message(
    "--known-hashes leaves out files, and --requests and --responses need both: leave out one of them")

  package static func portOfBoth(_ port: Int) -> Message {
    Message("port \(port) is given for --feedback-port and --gateway-port: choose one")
  }

  package static func earliestAfterLatest(_ earliest: UInt32, _ latest: UInt32) -> Message {
    Message("--earliest \(UTCTime.text(earliest)) is after --latest \(UTCTime.text(latest))")
  }
}

// MARK: - Outputs

extension Message {
  package static func outputNotCompressed(_ option: String, _ path: String) -> Message {
    Message(
      "\(option) \(path): output is not compressed. Pipe it through gzip, as in `apnsift … | gzip > \(path)`")
  }

  /// - Parameters:
  ///   - named: the extension of the path.
  ///   - choice: the option that chooses the format, such as `-t csv`; nil if none does.
  package static func outputOfOtherFormat(
    _ option: String, _ path: String, named: String, format: String, chosenBy choice: String? = nil
  ) -> Message {
    let remedy = choice.map { "leave out \($0), or rename the file" } ?? "name a .\(format) file"
    return Message("\(option) \(path) names a .\(named) file, but the output is \(format): \(remedy)")
  }
}

// MARK: - export

extension Message {
  package static let columnsOfOneKind = Message(
    "--columns chooses columns of one kind of record in CSV, NDJSON or Arrow: name the kind with --records, "
      + "and one of these formats with -t")
  package static let directoryHasAllKinds = Message(
    "a directory gets all kinds of records with their usual columns: leave out --records and --columns")
  package static let tablesOfDirectory = Message(
    "-o names a directory, which gets tables: give -t csv, ndjson or arrow, or name a file")
  package static let arrowOnTerminal = Message(
    "Arrow is not text: name a file with -o, or pipe it to a program")
  package static let batchRowsOfArrow = Message("--batch-rows is for Arrow: add -t arrow, or leave it out")
  package static let rawWithoutDirectory = Message("-t raw writes a directory: name it with -o")
  package static let rawHasOnlyStreams = Message(
    "-t raw writes only streams: leave out --records, --findings, --distinct, --token and --flagged")
  package static let carvesOnly = Message("carve takes no other --from: use export --from FORMAT")
  package static let filterOfRecords = Message(
    "--token and --flagged choose records: leave them out with --records streams, findings or inputs")

  package static func outputsAreSame(_ option: String, _ other: String) -> Message {
    Message("\(option) and \(other) name the same file")
  }

  package static let manifestNeedsFile = Message(
    "--manifest lists output files, so standard output cannot be one: name a file with -o")

  package static func noSuchColumn(_ name: String, known: [String]) -> Message {
    Message("--columns: unknown column '\(name)'; the columns are \(known.joined(separator: ", "))")
  }
}

// MARK: - Local times

extension Message {
  /// - Parameter like: names of zones that may be meant; empty if the system has none.
  package static func noSuchZone(_ name: String, like: [String]) -> Message {
    like.isEmpty
      ? Message(
        "--time-zone: this system has no tz database, which has '\(name)'; install tzdata, or give UTC")
      : Message(
        "--time-zone: no time zone is named '\(name)'; did you mean \(like.joined(separator: " or "))?")
  }

  package static func localColumn(_ name: String) -> Message {
    Message("--columns: \(name) needs --time-zone, such as --time-zone Europe/Berlin")
  }
}

// MARK: - show

extension Message {
  package static let nothingToShow = Message("give one of --record, --offset, --packet and --token")
  package static let storeOfToken = Message(
    "--store, --mapping and --journal are for --token: a store has tokens, not bytes")
  package static let recordOfAllStreams = Message(
    "--record counts the records of all streams: leave out --stream and --direction")
}

// MARK: - generate

extension Message {
  package static let truthNeedsFile = Message(
    "-o - is not possible: OUT.truth.ndjson is written next to the output")
  package static let latestTooEarly = Message("--latest must be at least a day after --earliest")
  package static let dumpWithConnections = Message(
    "a dump has no connections: use --kind capture, gateway or pushes with the options of captures")
  package static let fileDamageOfDump = Message(
    "--file-lost-bytes, --file-flipped-bytes and --file-cut-tail are for captures: use --lost-bytes and "
      + "so on")
  package static let fragmentsWithSnapLength = Message(
    "--fragments and --snap-length exclude each other: truncated fragments cannot be reassembled")
  package static let responsesOfFeedback = Message(
    "--responses is for --kind gateway and pair: feedback has no responses")

  package static func responsesWithDamage(_ rate: Int) -> Message {
    Message("--responses \(rate) excludes damage and --snap-length: requests might be unreadable")
  }

  package static func tooManyRequests(most: Int) -> Message {
    Message("a gateway connection has at most \(most) requests: give more --connections, or fewer --tuples")
  }

  package static func tooManyPushes(most: Int) -> Message {
    Message("a connection has at most \(most) pushes: give more --connections, or fewer --tuples")
  }

  package static let outcomesWithoutPushes = Message(
    "--invalidated, --bad-tokens and the like are for --kind pushes and push-log: leave them out")
  package static let logOptionsOfCapture = Message(
    "--log-format and --log-times are for --kind push-log: leave them out")
  package static let streamDamageOfPushes = Message(
    "--lost-bytes, --cut-tail and the like damage tuples and requests: damage captures of pushes with --loss, "
      + "--midstream, --snap-length or --file-lost-bytes")

  package static func unknownIPVersion(_ version: Int) -> Message {
    Message("--ip is \(version): give 4 or 6")
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
