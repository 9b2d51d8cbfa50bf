/// A record as a reader reports it, without the token, which is passed separately (`RecordReceiver`).
public struct Emission: Equatable, Sendable {
  /// Seconds as the reader parsed them: negative if it read them as signed.
  public var time: Int64
  /// Offset of the record's first byte in the stream, in bytes from 0.
  public var offset: Int
  public var error: ReaderError

  @inlinable
  public init(time: Int64, offset: Int, error: ReaderError) {
    (self.time, self.offset, self.error) = (time, offset, error)
  }
}

/// The error of a reader at one record; of several errors the most harmful one.
public enum ReaderError: Equatable, Sendable {
  case none
  /// A read that returned `count` bytes was treated as a whole tuple of 38; `rest` is the source of the other bytes.
  case shortRead(count: Int, rest: Rest)
  /// The length field is `length`, but 32 bytes were read as the token.
  case lengthIgnored(length: Int)
  /// A time of 2^31 or later was read as a signed integer.
  case signedTime
  /// The length field is `length`, but its first byte was used twice, which gave `read`.
  case lengthByteTwice(length: Int, read: Int)
  /// The record reaches `missing` bytes beyond the end of the stream, and they were read as zeros.
  case beyondEnd(missing: Int)

  /// The contents of the buffer after the received bytes.
  public enum Rest: Equatable, Sendable {
    case zeros
    /// Bytes of earlier reads.
    case stale
  }
}

public enum ReaderEnding: Equatable, Sendable {
  /// It read to the end of the stream.
  case completed
  /// It read to the end of the stream, and silently dropped `count` bytes from `offset` on.
  case droppedTail(offset: Int, count: Int)
  /// It loops forever at the tuple at `offset`, whose length field is `length`, with `buffered` bytes of the tuple
  /// received, including the header.
  case hangs(offset: Int, length: Int, buffered: Int)
  /// It throws at the tuple at `offset`, whose length field it reads as `length`.
  case `throws`(offset: Int, length: Int)

  public var outcome: ReaderOutcome {
    switch self {
    case .completed, .droppedTail: .completed
    case .hangs: .hangs
    case .throws: .throws
    }
  }
}

/// The outcome of a reader, by its name in reports (docs/spec/readers.md#judgement).
public enum ReaderOutcome: String, Sendable {
  case completed
  case hangs
  case `throws`
  /// It printed more than the limit. None of the models does.
  case floods
  /// It failed where it should: at bytes of another command, or a certificate that must not be trusted.
  case refused
}

/// Receives the records of a reader, in its order. Used as a generic constraint, to avoid dynamic dispatch per record.
public protocol RecordReceiver {
  /// - Parameter token: the token's bytes, which are valid only during the call.
  mutating func receive(_ emission: Emission, token: RawSpan)
}
