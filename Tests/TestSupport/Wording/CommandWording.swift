import Basics

extension Message {
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
}
