/// The wire as all readers share it (docs/spec/protocol.md#feedback-tuples): `time u32 | token length u16 | token`,
/// big-endian. The module imports nothing of ours, so that no reader can be right by our decoder's code.
@usableFromInline
enum Tuple {
  /// Bytes of time and token length.
  @usableFromInline static var header: Int { 6 }
  /// The length of token that the readers of fixed records expect.
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

/// What `cookbook` and `java` have in common: 38 bytes are a record whatever is in them, their last 32 the
/// token, their first 4 a signed time.
@usableFromInline
enum FixedRecord {
  /// Reports the 38 bytes at `place` of `bytes`, which the reader took from `offset` of the stream on.
  /// - Parameter short: the fault where fewer bytes came than that.
  @inlinable @inline(__always)
  static func report<Receiver: EmissionReceiver>(
    _ bytes: RawSpan, at place: Int, from offset: Int, short: ReaderFault? = nil, to receiver: inout Receiver
  ) {
    let time = Int32(bitPattern: Tuple.time(in: bytes, at: place))
    let length = Int(Tuple.tokenLength(in: bytes, at: place))
    let fault =
      if let short { short } else if length != Tuple.usualToken {
        ReaderFault.lengthIgnored(length: length)
      } else { time < 0 ? ReaderFault.signedTime : .none }
    let token = place &+ Tuple.header
    receiver.receive(
      Emission(time: Int64(time), offset: offset, fault: fault),
      token: bytes.extracting(token..<(token &+ Tuple.usualToken)))
  }

  /// Overwrites the beginning of `buffer` with the bytes of `place`, at most 38.
  @inlinable @inline(__always)
  static func copy(_ bytes: RawSpan, _ place: Range<Int>, to buffer: inout InlineArray<38, UInt8>) {
    var target = buffer.mutableSpan
    target.withUnsafeMutableBytes { target in
      bytes.extracting(place).withUnsafeBytes { target.copyMemory(from: $0) }
    }
  }
}
