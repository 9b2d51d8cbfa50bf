/// The byte order of a capture file, or of a section of it: that of the machine which wrote it.
enum FileByteOrder: Sendable {
  case little, big

  /// The unsigned 16-bit integer at `index` (bytes, from 0). Traps outside the span, so callers judge the
  /// length first.
  @inline(__always)
  func uint16(in bytes: RawSpan, at index: Int) -> UInt16 {
    let raw = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt16.self)
    return self == .little ? UInt16(littleEndian: raw) : UInt16(bigEndian: raw)
  }

  /// The unsigned 32-bit integer at `index`. Traps outside the span.
  @inline(__always)
  func uint32(in bytes: RawSpan, at index: Int) -> UInt32 {
    let raw = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self)
    return self == .little ? UInt32(littleEndian: raw) : UInt32(bigEndian: raw)
  }

  /// The unsigned 64-bit integer at `index`. Traps outside the span.
  @inline(__always)
  func uint64(in bytes: RawSpan, at index: Int) -> UInt64 {
    let raw = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
    return self == .little ? UInt64(littleEndian: raw) : UInt64(bigEndian: raw)
  }
}
