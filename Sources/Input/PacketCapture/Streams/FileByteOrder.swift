/// The byte order of a capture file or section: that of the machine which wrote it.
enum FileByteOrder: Sendable {
  case little, big

  // The unsigned integers at `index` (bytes, from 0). They trap outside the span, so callers check the length first.
  @inline(__always)
  func uint16(in bytes: RawSpan, at index: Int) -> UInt16 { integer(bytes, index) }

  @inline(__always)
  func uint32(in bytes: RawSpan, at index: Int) -> UInt32 { integer(bytes, index) }

  @inline(__always)
  func uint64(in bytes: RawSpan, at index: Int) -> UInt64 { integer(bytes, index) }

  @inline(__always)
  private func integer<T: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan, _ index: Int) -> T {
    let raw = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: T.self)
    return self == .little ? T(littleEndian: raw) : T(bigEndian: raw)
  }
}
