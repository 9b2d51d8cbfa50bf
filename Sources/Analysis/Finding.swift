import StreamSources

/// How much a finding matters.
package enum Severity: String, CaseIterable, Sendable {
  /// Bytes were lost or cannot be read.
  case error
  /// Read, but with doubt.
  case warning
  /// Good to know.
  case note
}

/// What is wrong with a place in an input. Codes are stable; docs/findings.md says what each means.
package enum FindingCode: String, CaseIterable, Sendable {
  case skippedBytes = "skipped-bytes"
  case truncatedRecord = "truncated-record"
  case encryptedStream = "encrypted-stream"
  case streamGap = "stream-gap"
  case unreadableInput = "unreadable-input"
  case unrecognisedInput = "unrecognised-input"

  package var severity: Severity {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .streamGap, .unreadableInput: .error
    case .unrecognisedInput: .note
    }
  }
}

/// Who sent the bytes of a direction.
package enum Direction: String, Sendable {
  case client, server
}

/// A finding and its place.
package struct Finding: Equatable, Sendable {
  package var source: String
  /// Number of the stream in its input; nil where the finding is about the input itself, as are the
  /// direction, the offset and the length then.
  package var stream: Int?
  package var direction: Direction?
  /// Offset of the place in its direction of the stream (bytes from 0, gaps counted in), and its length.
  package var offset: Int?
  package var length: Int?
  /// Offset of the place's first byte in the examined file.
  package var fileOffset: Int?
  package var code: FindingCode
  package var message: String

  package init(
    source: String, stream: Int? = nil, direction: Direction? = nil, offset: Int? = nil, length: Int? = nil,
    fileOffset: Int? = nil, code: FindingCode, message: String
  ) {
    self.source = source
    self.stream = stream
    self.direction = direction
    self.offset = offset
    self.length = length
    self.fileOffset = fileOffset
    self.code = code
    self.message = message
  }
}
