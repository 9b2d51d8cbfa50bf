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
}
