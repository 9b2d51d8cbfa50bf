/// The wire format as all readers share it (docs/spec/protocol.md#feedback-tuples): `time u32 | token length u16 | token`,
/// big-endian. The module imports none of our modules, so that the readers are independent of our decoder.
@usableFromInline
enum Tuple {
  /// Bytes of time and token length.
  @usableFromInline static var header: Int { 6 }
  /// The token length that the readers of fixed records expect.
  @usableFromInline static var usualToken: Int { 32 }
  /// Bytes of a tuple with such a token.
  @usableFromInline static var usual: Int { 38 }

  @inlinable @inline(__always)
  static func time(in bytes: RawSpan, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable @inline(__always)
  static func tokenLength(in bytes: RawSpan, at offset: Int) -> UInt16 {
    UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset &+ 4, as: UInt16.self))
  }
}

/// The common part of `cookbook` and `java`: any 38 bytes are a record, the last 32 of them the token, the first
/// 4 a signed time.
@usableFromInline
enum FixedRecord {
  /// Reports the 38 bytes at `index` of `bytes`, which the reader read from `offset` of the stream on.
  /// - Parameter short: the error if fewer bytes arrived.
  @inlinable @inline(__always)
  static func report<Receiver: RecordReceiver>(
    _ bytes: RawSpan, at index: Int, from offset: Int, short: ReaderError? = nil, to receiver: inout Receiver
  ) {
    let time = Int32(bitPattern: Tuple.time(in: bytes, at: index))
    let length = Int(Tuple.tokenLength(in: bytes, at: index))
    let error =
      if let short { short } else if length != Tuple.usualToken {
        ReaderError.lengthIgnored(length: length)
      } else { time < 0 ? ReaderError.signedTime : .none }
    let token = index &+ Tuple.header
    receiver.receive(
      Emission(time: Int64(time), offset: offset, error: error),
      token: bytes.extracting(token..<(token &+ Tuple.usualToken)))
  }

  /// Overwrites the beginning of `buffer` with the bytes of `range`, at most 38.
  @inlinable @inline(__always)
  static func copy(_ bytes: RawSpan, _ range: Range<Int>, to buffer: inout InlineArray<38, UInt8>) {
    var target = buffer.mutableSpan
    target.withUnsafeMutableBytes { target in
      bytes.extracting(range).withUnsafeBytes { target.copyMemory(from: $0) }
    }
  }
}
