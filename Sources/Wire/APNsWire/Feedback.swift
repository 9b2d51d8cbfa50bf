import WireBytes

/// Consecutive feedback records with the same token length and flags, as indices into a buffer.
///
/// One call returns thousands of regular tuples. The header of record `i` is at index `start + i * stride` of the
/// window and at offset `offset + i * stride` of the stream.
public struct RecordRun: BitwiseCopyable, Equatable, Sendable {
  /// Index in the decoder's `carry`, or in the chunk, of the first record's first byte, from 0.
  public var start: Int
  /// Offset of the first record's first byte in its direction of the stream, in bytes from 0, gaps included.
  public var offset: Int
  /// Bytes of each token, 0 to 65,535.
  public var tokenLength: Int
  /// The number of records, at least 1.
  public var count: Int
  /// The flags of every record; empty if nothing is doubtful.
  public var flags: RecordFlags
  /// Bounds (both included) of the records' times, in seconds since 1970. A slice keeps the bounds of its run.
  public var earliest: UInt32
  public var latest: UInt32

  /// Bytes of time and token length before each token: 6.
  @inlinable
  public var headerLength: Int { Tuple.headerLength }

  /// Bytes of one record, header and token.
  @inlinable
  public var stride: Int { headerLength &+ tokenLength }

  /// `count` records from record `first` (from 0) on. The caller keeps them in the run: nothing is checked.
  @inlinable
  public func slice(from first: Int, count: Int) -> RecordRun {
    var slice = self
    slice.start = start &+ first &* stride
    slice.offset = offset &+ first &* stride
    slice.count = count
    return slice
  }

  /// The time of a record in seconds since 1970, plausible or not.
  /// - Parameters:
  ///   - index: index of the record in the run, from 0.
  ///   - bytes: the buffer named by `window`. Traps if the header is not inside it.
  @inlinable
  public func time(of index: Int, in bytes: RawSpan) -> UInt32 {
    bytes.bigEndianUInt32(at: start &+ index &* stride)
  }

  /// The range of a record's token, as indices in the window; empty for a token without bytes.
  /// - Parameter index: index of the record in the run, from 0.
  @inlinable
  public func token(of index: Int) -> Range<Int> {
    let first = start &+ index &* stride &+ headerLength
    return first..<(first &+ tokenLength)
  }
}

/// Encodes feedback tuples as the server sent them.
public enum FeedbackEncoder {
  /// Appends one tuple to `bytes`.
  /// - Parameters:
  ///   - time: seconds since 1970-01-01T00:00:00Z.
  ///   - token: 0 to 65,535 bytes.
  ///   - bytes: the buffer to append to.
  /// - Returns: false, with nothing appended, if the token is longer than 65,535 bytes.
  @discardableResult
  public static func append(time: UInt32, token: some Collection<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard let length = UInt16(exactly: token.count) else { return false }
    withUnsafeBytes(of: time.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: token)
    return true
  }
}
