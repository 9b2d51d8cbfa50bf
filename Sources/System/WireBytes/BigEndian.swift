/// Loads of integers in network byte order (big-endian).
extension RawSpan {
  /// The unsigned 16-bit big-endian integer at `offset` (in bytes, from 0). Traps outside the span, so
  /// callers check the length first.
  @inlinable @inline(__always)
  public func bigEndianUInt16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The unsigned 32-bit big-endian integer at `offset` (in bytes, from 0). Traps outside the span.
  @inlinable @inline(__always)
  public func bigEndianUInt32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The byte at `offset` (from 0). Traps outside the span.
  @inlinable @inline(__always)
  public func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}

/// The same loads without bounds checks, for loops that have checked their whole range.
extension RawSpan {
  @inlinable @inline(__always)
  public func uncheckedBigEndianUInt16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }

  @inlinable @inline(__always)
  public func uncheckedBigEndianUInt32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  @inlinable @inline(__always)
  public func uncheckedByte(at offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }
}
