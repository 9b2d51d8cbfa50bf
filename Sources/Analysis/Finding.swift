import PacketCapture

/// How much a finding matters.
package enum Severity: String, CaseIterable, Comparable, Sendable {
  /// Bytes were lost or cannot be read.
  case error
  /// Read, but with doubt.
  case warning
  /// Good to know.
  case note

  /// The worst comes first.
  package static func < (left: Severity, right: Severity) -> Bool {
    (left == .error && right != .error) || (left == .warning && right == .note)
  }
}

/// What is wrong with a place in an input. Codes are stable; docs/findings.md says what each means.
package enum FindingCode: String, CaseIterable, Sendable {
  case skippedBytes = "skipped-bytes"
  case truncatedRecord = "truncated-record"
  case encryptedStream = "encrypted-stream"
  case streamGap = "stream-gap"
  case unknownCommand = "unknown-command"
  case malformedFrame = "malformed-frame"
  case unreadableInput = "unreadable-input"
  case damagedCapture = "damaged-capture"
  case conflictingOverlap = "conflicting-overlap"
  case midstreamStart = "midstream-start"
  case truncatedPacket = "truncated-packet"
  case lateBytes = "late-bytes"
  case pendingLimit = "pending-limit"
  case bufferLimit = "buffer-limit"
  case connectionEvicted = "connection-evicted"
  case fragmentMissing = "fragment-missing"
  case fragmentOverlap = "fragment-overlap"
  case malformedPacket = "malformed-packet"
  case uncomparedDuplicate = "uncompared-duplicate"
  case unsupportedLinkType = "unsupported-link-type"
  case unrecognisedInput = "unrecognised-input"
  case repeatedInput = "repeated-input"
  case alreadyReplayed = "already-replayed"

  package var severity: Severity {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .streamGap, .unknownCommand, .malformedFrame,
      .unreadableInput, .damagedCapture, .lateBytes, .malformedPacket:
      .error
    case .conflictingOverlap, .midstreamStart, .truncatedPacket, .pendingLimit, .bufferLimit,
      .connectionEvicted, .fragmentMissing, .fragmentOverlap, .repeatedInput:
      .warning
    case .uncomparedDuplicate, .unsupportedLinkType, .unrecognisedInput, .alreadyReplayed: .note
    }
  }

  /// What a source's anomaly is called.
  init(_ kind: StreamAnomaly.Kind) {
    self =
      switch kind {
      case .damagedCapture: .damagedCapture
      case .conflictingOverlap: .conflictingOverlap
      case .midstreamStart: .midstreamStart
      case .truncatedPacket: .truncatedPacket
      case .lateBytes: .lateBytes
      case .bufferLimit: .bufferLimit
      case .connectionEvicted: .connectionEvicted
      case .fragmentMissing: .fragmentMissing
      case .fragmentOverlap: .fragmentOverlap
      case .malformedPacket: .malformedPacket
      case .unsupportedLinkType: .unsupportedLinkType
      case .uncomparedDuplicate: .uncomparedDuplicate
      }
  }
}

/// Who sent the bytes of a direction.
package enum Direction: String, BitwiseCopyable, Sendable {
  case client, server
}

/// A finding and its place.
package struct Finding: Equatable, Sendable {
  package var source: String
  /// Number of the stream in its input; nil where the finding is about the input itself: then the direction
  /// and the offset are nil, too.
  package var stream: Int?
  package var direction: Direction?
  /// Offset of the place in its direction of the stream (bytes from 0, gaps counted in).
  package var offset: Int?
  /// Bytes of the stream, or without an offset bytes of the file.
  package var length: Int?
  /// Number of the packet that brought it, in the examined file, from 1.
  package var packet: Int?
  /// Offset of the place's first byte in the examined file (decompressed).
  package var fileOffset: Int?
  package var code: FindingCode
  package var message: String

  package init(
    source: String, stream: Int? = nil, direction: Direction? = nil, offset: Int? = nil, length: Int? = nil,
    packet: Int? = nil, fileOffset: Int? = nil, code: FindingCode, message: String
  ) {
    self.source = source
    self.stream = stream
    self.direction = direction
    self.offset = offset
    self.length = length
    self.packet = packet
    self.fileOffset = fileOffset
    self.code = code
    self.message = message
  }
}
