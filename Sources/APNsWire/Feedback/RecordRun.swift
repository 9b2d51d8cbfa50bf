import WireBytes

/// Consecutive feedback records of one shape, as places in the bytes that hold them.
///
/// A dump is thousands of regular tuples in a row, and a run hands them over at the cost of one call. Record
/// `i` has its header at `start + i * stride` of the window and at `offset + i * stride` of the stream.
public struct RecordRun: Equatable, Sendable {
  /// Which bytes `start` counts in.
  public var window: RunWindow
  /// Index in the window of the first record's first byte, from 0.
  public var start: Int
  /// Offset of the first record's first byte in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  /// Bytes of each token.
  public var tokenLength: Int
  /// How many records there are, at least 1.
  public var count: Int
  /// The flags that each of them has.
  public var flags: RecordFlags

  package init(
    window: RunWindow, start: Int, offset: Int, tokenLength: Int, count: Int, flags: RecordFlags
  ) {
    self.window = window
    self.start = start
    self.offset = offset
    self.tokenLength = tokenLength
    self.count = count
    self.flags = flags
  }

  /// Bytes before each token.
  @inlinable
  public var headerLength: Int { Tuple.headerLength }

  /// Bytes from one record to the next.
  @inlinable
  public var stride: Int { headerLength &+ tokenLength }

  /// The records from `first` (from 0) on, `count` of them.
  @inlinable
  public func slice(from first: Int, count: Int) -> RecordRun {
    var slice = self
    slice.start = start &+ first &* stride
    slice.offset = offset &+ first &* stride
    slice.count = count
    return slice
  }

  /// The time of a record in seconds since 1970, whatever its flags say of it.
  /// - Parameters:
  ///   - index: number of the record in the run, from 0.
  ///   - bytes: the window's. Traps where the record does not lie in them.
  @inlinable
  public func time(of index: Int, in bytes: RawSpan) -> UInt32 {
    bytes.bigEndianUInt32(at: start &+ index &* stride)
  }

  /// Where in the window the token of a record stands; empty where it has no bytes.
  /// - Parameter index: number of the record in the run, from 0.
  @inlinable
  public func token(of index: Int) -> Range<Int> {
    let first = start &+ index &* stride &+ headerLength
    return first..<(first &+ tokenLength)
  }
}
