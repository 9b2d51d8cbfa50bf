/// What turns the content of one kind of input into the events of its streams: dumps, stream exports and captures.
/// It knows nothing of what the bytes mean.
package protocol StreamSource: ~Copyable {
  /// Reads `window` from the index `start` on, and adds what it finds to `batch`.
  /// - Parameters:
  ///   - windowOffset: offset in the content of the window's first byte.
  ///   - isLast: whether the content ends with the window.
  mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep

  /// The content has ended: adds what is left to `batch`. False where the batch is full and there is more.
  mutating func finish(into batch: inout EventBatch) -> Bool
}

/// What a window came to. Indices are of the window, from 0.
package enum SourceStep {
  /// All before `consumed` is done with; `needed` bytes from there on are needed to continue.
  case needsBytes(consumed: Int, needed: Int)
  /// The batch is full: continue from `consumed` with an empty one.
  case isFull(consumed: Int)
  /// Nothing more of the content is wanted: it has ended, or cannot be read any further.
  case ended(InputFault?)
}

/// Why an input could not be read whole: it makes the exit code 2, and what could be read is used.
package struct InputFault: Error, Equatable, Sendable {
  /// What was expected, what was found, and what to do.
  package var message: String
  /// Offset in the file, from 0, of the first byte concerned.
  package var fileOffset: Int?
  /// Line and column (in bytes), both from 1, in inputs that are text.
  package var line: Int?
  package var column: Int?

  package init(_ message: String, fileOffset: Int? = nil, line: Int? = nil, column: Int? = nil) {
    self.message = message
    self.fileOffset = fileOffset
    self.line = line
    self.column = column
  }

  /// The message with its line and column before it, as far as it has them.
  package var placed: String {
    let column = column.map { ", column \($0)" } ?? ""
    return line.map { "line \($0)\(column): \(message)" } ?? message
  }
}
