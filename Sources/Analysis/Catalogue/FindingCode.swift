import PacketCapture

/// How much a finding matters.
package enum Severity: String, CaseIterable, Comparable, Sendable {
  /// Bytes are lost or cannot be read.
  case error
  /// Read, but doubtful.
  case warning
  /// Good to know.
  case note

  /// The worst comes first.
  package static func < (left: Severity, right: Severity) -> Bool {
    (left == .error && right != .error) || (left == .warning && right == .note)
  }
}

/// What is wrong at an offset of a stream, or with an input. A code keeps its meaning from version 1.0 on.
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
  case lateSegment = "late-segment"
  case pendingLimit = "pending-limit"
  case bufferLimit = "buffer-limit"
  case connectionEvicted = "connection-evicted"
  case fragmentMissing = "fragment-missing"
  case fragmentOverlap = "fragment-overlap"
  case malformedPacket = "malformed-packet"
  case unverifiedRetransmission = "unverified-retransmission"
  case unsupportedLinkType = "unsupported-link-type"
  case unrecognisedInput = "unrecognised-input"
  case duplicateInput = "duplicate-input"
  case alreadyReplayed = "already-replayed"

  package var severity: Severity { description.severity }
  /// What the code means, for readers.
  package var entry: CatalogueEntry { description.entry }

  private var description: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .streamGap, .unknownCommand, .malformedFrame:
      streamDescription
    case .conflictingOverlap, .midstreamStart, .truncatedPacket, .lateSegment, .pendingLimit, .bufferLimit,
      .connectionEvicted, .fragmentMissing, .fragmentOverlap, .malformedPacket, .unverifiedRetransmission:
      captureDescription
    case .unreadableInput, .damagedCapture, .unsupportedLinkType, .unrecognisedInput, .duplicateInput,
      .alreadyReplayed:
      inputDescription
    }
  }

  /// A test finds a code that has no description.
  var undescribed: (severity: Severity, entry: CatalogueEntry) {
    (.error, CatalogueEntry(title: rawValue, cause: "", meaning: "", remedy: "", example: ""))
  }

  init(_ kind: StreamAnomaly.Kind) {
    self =
      switch kind {
      case .damagedCapture: .damagedCapture
      case .conflictingOverlap: .conflictingOverlap
      case .midstreamStart: .midstreamStart
      case .truncatedPacket: .truncatedPacket
      case .lateSegment: .lateSegment
      case .bufferLimit: .bufferLimit
      case .connectionEvicted: .connectionEvicted
      case .fragmentMissing: .fragmentMissing
      case .fragmentOverlap: .fragmentOverlap
      case .malformedPacket: .malformedPacket
      case .unsupportedLinkType: .unsupportedLinkType
      case .unverifiedRetransmission: .unverifiedRetransmission
      }
  }
}
