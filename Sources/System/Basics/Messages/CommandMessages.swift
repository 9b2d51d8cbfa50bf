// MARK: - inspect

extension Message {
  /// - Parameter records: as in `recordCounts`.
  package static func inspected(inputs: Int, _ records: Message) -> Message {
    Message("inspected \(Count.of(inputs, "input")) with \(records)")
  }

  // MARK: - export

  /// - Parameter rows: as in `rowCount` and `recordCounts`.
  package static func exported(_ rows: Message, inputs: Int) -> Message {
    Message("exported \(rows) of \(Count.of(inputs, "input"))")
  }

  /// The inventory.
  /// - Parameter inputs: files that were read.
  package static func exported(files: Int, inputs: Int) -> Message {
    Message("listed \(Count.of(files, "file")), \(Count.of(inputs, "input")) read")
  }

  /// The bytes of streams, a file a direction.
  package static func exported(directions: Int, streams: Int, to directory: String) -> Message {
    Message("exported \(Count.of(directions, "direction")) of \(Count.of(streams, "stream")) to \(directory)")
  }

  package static func inputInOutputDirectory(_ input: String, _ directory: String) -> Message {
    Message("\(input) is in the output directory \(directory): name another directory")
  }

  // MARK: - generate

  /// - Parameters:
  ///   - noun: `tuple` or `request`.
  ///   - bytes: the length of the output.
  package static func generated(
    _ count: Int, _ noun: String, _ plural: String? = nil, bytes: Int, to path: String
  ) -> Message {
    let done = "generated \(Count.of(count, noun, plural)) in \(Count.of(bytes, "byte"))"
    return Message("\(done): \(path) and \(path).truth.ndjson")
  }

  /// - Parameter compression: such as `gzip`.
  package static func noMemory(forCompression compression: String) -> Message {
    Message("out of memory for \(compression)")
  }

  // MARK: - Any command

  package static func defect(_ error: String) -> Message {
    Message("internal error; please report it with the input that caused it: \(error)")
  }

  // MARK: - Output files

  package static func outputExists(_ path: String) -> Message {
    Message("\(path) exists already: name another file, or give --force to replace it")
  }

  package static func outputNotCreated(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be created: \(error)")
  }

  package static func outputNotWritten(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be written: \(error)")
  }
}
