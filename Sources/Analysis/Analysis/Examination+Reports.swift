import Basics
import PacketCapture
import StreamInputs

/// What becomes of an input after it was read: messages, findings, its summary and its row of the inventory.
extension Examination {
  mutating func noteDirectory(of input: Input) {
    if let directory = input.directory { directoriesWithInputs.insert(directory) }
  }

  /// - Parameters:
  ///   - counts: those before the input was read.
  ///   - index: where its summary goes in `inputs`: the members of an archive come after it.
  mutating func record(
    _ report: InputReport, of input: Input, before index: Int, since counts: (records: Int, findings: Int)
  ) throws {
    var first: String?
    for error in report.errors { try self.report(error, of: input.name) }
    if report.format == .carve, self.counts.records > counts.records,
      let problem = analyzer.log.files?.problem
    {
      try note(problem, of: input, .damagedFileSystem, isWarning: true)
    }
    if !report.errors.isEmpty {
      failures += 1
      noteDirectory(of: input)
    }
    if case .imageSegment = report.recognition {
      noteDirectory(of: input)
    } else if report.isSkipped {
      try recordSkipped(report, of: input)
    }
    if let format = report.format?.name ?? report.archiveFormat?.rawValue {
      first = repeated?.first(like: input, digest: report.digests[.sha256], bytes: report.bytes)
      try recordRead(report, as: format, of: input, at: index, sameBytesAs: first)
    }
    try end(since: counts) { InputRecord(report, of: input, sameBytesAs: first) }
    for part in input.otherParts { try end(since: self.counts) { InputRecord(part, .part) } }
  }

  private mutating func recordSkipped(_ report: InputReport, of input: Input) throws {
    let isFailure = options.failsOnUnrecognised && Self.isUnrecognised(report.recognition)
    if isFailure { failures += 1 }
    var reason = report.unsearched ?? .unknownFormat
    if case .known(let kind) = report.recognition { reason = kind }
    try note(.skipped(reason), of: input, .unrecognisedInput, isFailure: isFailure)
  }

  private mutating func recordRead(
    _ report: InputReport, as format: String, of input: Input, at index: Int, sameBytesAs first: String?
  ) throws {
    noteDirectory(of: input)
    // The options name the content of both files of a pair.
    if report.format != nil, options.reading.format == nil, report.recognition == .nothing, input.half == nil
    {
      if options.failsOnUnrecognised { failures += 1 }
      try note(
        report.format == .carve
          ? "no known format: searched for records, as with --from carve. Use --from raw if it is a dump"
          : "no known format; read as raw \((options.analysis.choice.named ?? .feedback).rawValue). "
            + "Use --from raw if that is right, --from hex or base64 if it is text", of: input,
        .unrecognisedInput, isWarning: true, isFailure: options.failsOnUnrecognised)
    }
    if let unsearched = report.unsearched {
      try note(unsearched, of: input, .unrecognisedInput, isWarning: true)
    } else if let kind = report.undecoded {
      try note(
        "no record was found, and a search does not decode what this is: it \(kind)", of: input,
        .unrecognisedInput, isWarning: true)
    }
    if case .image(let kind) = report.recognition, !isRerun {
      Console.note(
        .about(
          input.name,
          "\(kind): records were searched in it, as with --from carve; files in it that are compressed "
            + "or encrypted were not searched inside"))
    }
    if report.lacksTCP, !isRerun {
      let filter = options.reading.capture.filter == nil ? "" : " and matches --filter"
      Console.note(.about(input.name, "no packet has TCP that apnsift reads\(filter)"))
    }
    if report.contentBytes == 0, report.errors.isEmpty {
      emptyInputs += 1
      if !isRerun { Console.note(.about(input.name, "is empty")) }
    }
    if let earlier = input.continues {
      try note(
        "continues \(VisibleText.of(earlier)): both are read as one capture", of: input, .joinedCapture)
    }
    var summary = InputSummary(
      source: input.name, format: format, compression: report.compression,
      bytes: report.bytes, sha256: report.digests[.sha256], archive: input.archive)
    summary.captureKind = report.captureKind?.rawValue
    summary.packets = report.packets
    summary.isArchive = report.archiveFormat != nil
    summary.parts = report.parts
    summary.archiveOffset = input.member?.offset
    summary.sameBytesAs = first
    if !summary.isArchive { readCount += 1 }
    inputs.insert(summary, at: index)
    if let first {
      // In a joined capture, sequence numbers identify copies of packets, and no record counts twice.
      let again = options.reading.joins ? "its packets are read again" : "its records are counted again"
      try note(
        "same bytes as \(VisibleText.of(first)), which was already read: \(again)", of: input,
        .duplicateInput, isWarning: true)
    }
  }

  /// Whether it is no input of a known format, whether the kind of the file is known or not.
  private static func isUnrecognised(_ recognition: Recognition) -> Bool {
    switch recognition {
    case .nothing, .known, .unsearched: true
    case .format, .foreign, .packed, .image, .imageSegment: false
    }
  }

  /// Reports a error as a message for the user and as a finding.
  func report(_ error: InputError, of name: String) throws {
    Console.say(.about(name, error.located))
    try report(
      Finding(source: name, fileOffset: error.fileOffset, code: .unreadableInput, message: error.located))
  }

  private func note(
    _ message: Message, of input: Input, _ code: FindingCode, isWarning: Bool = false, isFailure: Bool = false
  ) throws {
    let said = Message.about(input.name, isWarning ? .warning(message) : message)
    if isFailure { Console.say(said) } else if !isRerun { Console.note(said) }
    try report(Finding(source: input.name, code: code, message: message))
  }

  /// Prints a hint if neither dump of a pair has the expected content: they are probably swapped.
  func hintIfSwapped() {
    guard walk.inputs.contains(where: { $0.half != nil }),
      summary.gateway.requests &+ summary.gateway.responses == 0, summary.skippedBytes > 0
    else { return }
    Console.note("hint: neither file has the expected content; are --requests and --responses swapped?")
  }
}
