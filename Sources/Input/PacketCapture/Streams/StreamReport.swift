import Basics

/// Totals of a stream, reported when it is closed.
package struct StreamReport: Equatable, Sendable {
  package enum End: Sendable {
    /// It sends no more: FIN.
    case finished
    /// It reset the connection: RST.
    case reset
  }

  package struct Half: Equatable, Sendable {
    /// Delivered bytes, and bytes missing between or after them.
    package var bytes = 0
    package var gapBytes = 0
    /// Retransmitted bytes, and those of them that differ from the first copy.
    package var duplicateBytes = 0
    package var conflictingBytes = 0
    /// The side's first packet; nil if there is none.
    package var firstPacket: PacketReference?
    package var isSYNSeen = false
    /// Nil if unknown.
    package var end: End?
  }

  package var identity: StreamIdentity
  package var first = Half()
  package var second = Half()
  /// The stream's first and last packet, in either direction; nil in a dump.
  package var firstPacket: PacketReference?
  package var lastPacket: PacketReference?
  /// Nil unless the stream was decrypted, or that failed.
  package var encryption: StreamEncryption?
  /// What a stream of TLS shows that no key opens; nil if its port must say it.
  package var service: TLSService?

  package init(_ identity: StreamIdentity) { self.identity = identity }

  package subscript(side: Side) -> Half {
    get { side == .first ? first : second }
    set { if side == .first { first = newValue } else { second = newValue } }
  }
}

/// Whose a stream of TLS is.
package enum TLSService: Equatable, Sendable {
  /// One that is looked for: the hello names one of Apple's services for providers, a key log has its secrets, or its
  /// port is 2197.
  case expected
  /// Another one, which the hello shows.
  case other(Message)
}

/// Missing bytes of a direction.
package struct StreamGap: Equatable, Sendable {
  package enum Cause: Sendable {
    case missing
    /// Ciphertext that no MAC or tag proved, or that ends within a record.
    case unverified, cut
  }

  /// Offset in its direction of the stream of the first missing byte, and the number of missing bytes.
  package var offset: Int
  package var length: Int
  /// File offset of the data after the gap, or of the mark that declares it.
  package var fileOffset: Int?
  package var packet: PacketReference?
  package var cause = Cause.missing
  /// Whether `length` is an upper bound. Later offsets count it.
  package var isUpperBound = false

  package init(offset: Int, length: Int, fileOffset: Int?, packet: PacketReference? = nil) {
    (self.offset, self.length, self.fileOffset, self.packet) = (offset, length, fileOffset, packet)
  }
}

/// A problem in a stream or an input, before the roles are known: with a side in place of a direction.
package struct StreamFinding: Equatable, Sendable {
  package var code: FindingCode
  /// Number of the stream concerned; nil if none is.
  package var stream: Int?
  /// The sender; nil if no direction of a stream is concerned, and then `offset` is nil, too.
  package var side: Side?
  /// Offset in the direction (from 0, including gaps). `length` counts bytes from there, or without an offset bytes
  /// of the file from `fileOffset`.
  package var offset: Int?
  package var length: Int?
  package var fileOffset: Int?
  package var packet: PacketReference?
  /// Whether the analysis already has other bytes, and cannot take them back.
  package var isLate = false
  /// Of a stream that no key opens: `TLSService.expected`.
  package var isOfExpected = false
  package var message: Message

  package init(
    _ code: FindingCode, stream: Int? = nil, side: Side? = nil, offset: Int? = nil, length: Int? = nil,
    fileOffset: Int? = nil, packet: PacketReference? = nil, message: Message
  ) {
    (self.code, self.stream, self.side, self.offset, self.length) = (code, stream, side, offset, length)
    (self.fileOffset, self.packet, self.message) = (fileOffset, packet, message)
  }
}
