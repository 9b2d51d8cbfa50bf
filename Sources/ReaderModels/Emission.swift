/// A record as a reader reports it; its token comes beside it (`EmissionReceiver`).
public struct Emission: Equatable, Sendable {
  /// Seconds, as the reader understood them: negative where it took them as signed.
  public var time: Int64
  /// Offset in the stream, in bytes from 0, at which the reader took its first byte.
  public var offset: Int
  public var fault: ReaderFault

  @inlinable
  public init(time: Int64, offset: Int, fault: ReaderFault) {
    self.time = time
    self.offset = offset
    self.fault = fault
  }
}

/// What a reader did wrong at one record. Of several the one that does the most harm is told.
public enum ReaderFault: Equatable, Sendable {
  case none
  /// A read that returned `count` bytes was taken for a whole tuple of 38; `rest` is what the others were.
  case shortRead(count: Int, rest: Rest)
  /// The length field says `length`, and 32 bytes were taken as the token.
  case lengthIgnored(length: Int)
  /// A time of 2^31 or later was taken as a signed integer.
  case signedTime
  /// The length field says `length`, and its first byte was used twice: `read` came of it.
  case lengthByteTwice(length: Int, read: Int)
  /// The record reaches `missing` bytes beyond the end of the stream, and they were read as zeros.
  case beyondEnd(missing: Int)

  /// What stood in a buffer behind the bytes that came.
  public enum Rest: Equatable, Sendable {
    case zeros
    /// Bytes of the reads before.
    case stale
  }
}

/// How a reader ended.
public enum ReaderEnding: Equatable, Sendable {
  /// It read to the end of the stream.
  case completed
  /// It read to the end of the stream, and dropped `count` bytes from `offset` on in silence.
  case droppedTail(offset: Int, count: Int)
  /// It spins for ever at the tuple at `offset`, whose field says `length` while `buffered` bytes of it,
  /// header included, have been received.
  case hangs(offset: Int, length: Int, buffered: Int)
  /// It throws at the tuple at `offset`, whose field it takes for `length`.
  case `throws`(offset: Int, length: Int)

  public var outcome: ReaderOutcome {
    switch self {
    case .completed, .droppedTail: .completed
    case .hangs: .hangs
    case .throws: .throws
    }
  }
}

/// The outcome of a reader, as reports name it (docs/spec/readers.md#judgement).
public enum ReaderOutcome: String, Sendable {
  case completed
  case hangs
  case `throws`
  /// It printed more than it may. None of the models does.
  case floods
}

/// Takes what a reader reports, in its order. Generic, so that a record costs no call through a table.
public protocol EmissionReceiver {
  /// - Parameter token: the token's bytes, which are there during the call only.
  mutating func receive(_ emission: Emission, token: RawSpan)
}
