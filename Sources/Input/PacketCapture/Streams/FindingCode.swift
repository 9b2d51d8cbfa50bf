/// What is wrong at an offset of a stream, or with an input. A code keeps its meaning from version 1.0 on.
package enum FindingCode: String, CaseIterable, Sendable {
  case skippedBytes = "skipped-bytes"
  case truncatedRecord = "truncated-record"
  case encryptedStream = "encrypted-stream"
  case decryptionFailed = "decryption-failed"
  case unrelatedTLS = "unrelated-tls"
  case plaintextBeforeTLS = "plaintext-before-tls"
  case streamGap = "stream-gap"
  case unknownCommand = "unknown-command"
  case malformedFrame = "malformed-frame"
  case malformedLine = "malformed-line"
  case doubtfulTimes = "doubtful-times"
  case logTimes = "log-times"
  case unrelatedLines = "unrelated-lines"
  case excludedLines = "excluded-lines"
  case separatingBytes = "separating-bytes"
  case malformedHTTP2 = "malformed-http2"
  case unreadableInput = "unreadable-input"
  case damagedCapture = "damaged-capture"
  case damagedFileSystem = "damaged-file-system"
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
  case joinedCapture = "joined-capture"
  case unusedSecrets = "unused-secrets"
  case alreadyReplayed = "already-replayed"
}

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

extension FindingCode {
  package var severity: Severity {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .decryptionFailed, .streamGap, .unknownCommand,
      .malformedFrame, .malformedLine, .malformedHTTP2, .unreadableInput, .damagedCapture, .lateSegment,
      .malformedPacket, .doubtfulTimes:
      .error
    case .conflictingOverlap, .midstreamStart, .truncatedPacket, .pendingLimit, .bufferLimit,
      .connectionEvicted, .fragmentMissing, .fragmentOverlap, .duplicateInput, .damagedFileSystem:
      .warning
    case .unrelatedTLS, .plaintextBeforeTLS, .unrelatedLines, .excludedLines, .separatingBytes,
      .unverifiedRetransmission, .unsupportedLinkType, .unrecognisedInput, .joinedCapture, .unusedSecrets,
      .alreadyReplayed, .logTimes:
      .note
    }
  }

  /// Which members a finding of the code has; one of these shapes. The JSON Schema is made from it.
  package var shapes: [FindingShape] {
    switch self {
    case .skippedBytes, .truncatedRecord, .encryptedStream, .streamGap, .unknownCommand, .malformedFrame,
      .malformedHTTP2, .pendingLimit:
      [FindingShape(has: .streamBytes)]
    case .conflictingOverlap, .midstreamStart, .truncatedPacket, .lateSegment:
      [FindingShape(has: [.streamBytes, .packet])]
    case .bufferLimit:
      [FindingShape(has: [.stream, .direction, .offset, .packet], lacks: .length)]
    case .unverifiedRetransmission:
      [
        FindingShape(has: [.stream, .direction, .packet], lacks: [.offset, .length]),
        FindingShape(lacks: [.streamBytes, .packet]),
      ]
    case .connectionEvicted: [FindingShape(lacks: [.direction, .offset, .length])]
    case .fragmentMissing, .fragmentOverlap, .malformedPacket:
      [FindingShape(has: [.packet, .fileOffset], lacks: .streamBytes)]
    case .unsupportedLinkType:
      [FindingShape(has: [.packet, .fileOffset], lacks: [.stream, .direction, .offset])]
    case .damagedCapture:
      [FindingShape(has: [.length, .fileOffset], lacks: [.stream, .direction, .offset, .packet])]
    case .unreadableInput, .duplicateInput, .joinedCapture, .unrecognisedInput, .alreadyReplayed,
      .damagedFileSystem:
      [FindingShape(lacks: [.streamBytes, .packet])]
    case .malformedLine:
      [
        FindingShape(has: .streamBytes, lacks: .packet),
        FindingShape(has: .stream, lacks: [.direction, .offset, .length, .packet]),
      ]
    case .doubtfulTimes, .logTimes, .unrelatedLines:
      [FindingShape(has: .stream, lacks: [.direction, .offset, .length, .packet])]
    case .excludedLines: [FindingShape(has: .fileOffset, lacks: [.streamBytes, .packet])]
    case .separatingBytes:
      [FindingShape(has: [.stream, .direction, .fileOffset], lacks: [.offset, .length, .packet])]
    case .decryptionFailed, .unrelatedTLS: [FindingShape(has: .stream)]
    case .plaintextBeforeTLS: [FindingShape(has: [.stream, .direction, .length])]
    case .unusedSecrets: [FindingShape(lacks: [.streamBytes, .packet, .fileOffset])]
    }
  }
}

/// Members that each finding of a code has, or that none has; the others depend on the input.
package struct FindingShape: Sendable {
  package struct Members: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stream = Members(rawValue: 1)
    package static let direction = Members(rawValue: 2)
    package static let offset = Members(rawValue: 4)
    package static let length = Members(rawValue: 8)
    package static let packet = Members(rawValue: 16)
    package static let fileOffset = Members(rawValue: 32)
    /// A range of the bytes of a stream.
    package static let streamBytes: Members = [.stream, .direction, .offset, .length]
  }

  package var has: Members = []
  package var lacks: Members = []
}
