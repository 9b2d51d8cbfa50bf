import Basics

/// Turns the content of one kind of input into the events of its streams: dumps, stream exports and captures. It does
/// not interpret the bytes.
package protocol StreamSource: ~Copyable {
  /// Reads `window` from the index `start` on, and adds events to `batch`.
  /// - Parameters:
  ///   - windowOffset: offset in the content of the window's first byte.
  ///   - isLast: whether the content ends with the window.
  mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep

  /// The content has ended: adds the remaining events to `batch`. False if the batch is full and there are more.
  mutating func finish(into batch: inout EventBatch) -> Bool
}

/// Result of reading a window. Indices are of the window, from 0.
package enum SourceStep {
  /// Everything before `consumed` is done; `needed` bytes from there on are needed to continue.
  case needsBytes(consumed: Int, needed: Int)
  /// The batch is full: continue from `consumed` with an empty one.
  case isFull(consumed: Int)
  /// No more content is needed: it has ended, or is unreadable from here on.
  case ended(InputError?)
}

/// Why an input could not be read in full: it makes the exit code 2, and the readable part is used.
package struct InputError: Error, Equatable, Sendable {
  /// The problem and the remedy.
  package var message: Message
  /// Offset in the file, from 0, of the first byte concerned.
  package var fileOffset: Int?
  /// Line and column (in bytes), both from 1, in inputs that are text.
  package var line: Int?
  package var column: Int?

  package init(_ message: Message, fileOffset: Int? = nil, line: Int? = nil, column: Int? = nil) {
    (self.message, self.fileOffset, self.line, self.column) = (message, fileOffset, line, column)
  }

  /// The message, prefixed with its line and column if known.
  package var located: Message { .located(message, line: line, column: column) }
}
