/// The packet that something came from: enough to find it in the examined file, or in the capture that the file was
/// made from. Connections keep many of these, 32 bytes each.
package struct PacketReference: Equatable, BitwiseCopyable, Sendable {
  // Readers of captures make one for each packet, and writers read it: their modules have the code, too.
  @usableFromInline var storedNumber: UInt64
  @usableFromInline var seconds: Int64
  @usableFromInline var fraction: UInt64
  @usableFromInline var storedOriginal: UInt32
  /// Index from 0 of the input, if several are read as one capture; else 0.
  package var input: UInt16
  /// `noTime` without a time.
  @usableFromInline var digits: UInt8

  @usableFromInline static var noTime: UInt8 { .max }

  @inlinable @inline(__always)
  package init(number: Int?, original: Int? = nil, time: CaptureTime? = nil, input: UInt16 = 0) {
    storedNumber = UInt64(clamping: number ?? 0)
    storedOriginal = UInt32(clamping: original ?? 0)
    seconds = time?.seconds ?? 0
    fraction = time?.fraction ?? 0
    digits = time?.digits ?? Self.noTime
    self.input = input
  }

  /// Its number in the examined file, from 1; nil in an export, which has no packets.
  @inlinable @inline(__always) package var number: Int? {
    storedNumber == 0 ? nil : Int(clamping: storedNumber)
  }

  /// Its number in the capture that the file was made from, from 1; nil if unknown.
  @inlinable @inline(__always) package var original: Int? {
    get { storedOriginal == 0 ? nil : Int(storedOriginal) }
    set { storedOriginal = UInt32(clamping: newValue ?? 0) }
  }

  /// Nil if the format has no time (simple packet blocks of pcapng, most exports).
  @inlinable @inline(__always) package var time: CaptureTime? {
    get { digits == Self.noTime ? nil : CaptureTime(seconds: seconds, fraction: fraction, digits: digits) }
    set {
      seconds = newValue?.seconds ?? 0
      fraction = newValue?.fraction ?? 0
      digits = newValue?.digits ?? Self.noTime
    }
  }

  /// For messages.
  package var name: Message { .packet(number, original: original) }
}
