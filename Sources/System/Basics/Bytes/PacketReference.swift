/// The packet that something came from: enough to find it in the examined file, or in the capture that the file was
/// made from. Connections keep many of these, 32 bytes each, and optional ones have no more.
public struct PacketReference: Equatable, BitwiseCopyable, Sendable {
  @usableFromInline var storedNumber: UInt64
  @usableFromInline var seconds: Int64
  @usableFromInline var fraction: UInt64
  @usableFromInline var storedOriginal: UInt32
  /// Index from 0 of the input, if several are read as one capture; else 0.
  public var input: UInt16
  @usableFromInline var digits: UInt8
  @usableFromInline var hasTime: Bool

  @inlinable @inline(__always)
  public init(number: Int?, original: Int? = nil, time: CaptureTime? = nil, input: UInt16 = 0) {
    storedNumber = UInt64(clamping: number ?? 0)
    storedOriginal = UInt32(clamping: original ?? 0)
    (seconds, fraction, digits) = (time?.seconds ?? 0, time?.fraction ?? 0, time?.digits ?? 0)
    hasTime = time != nil
    self.input = input
  }

  /// Its number in the examined file, from 1; nil in an export, which has no packets.
  @inlinable public var number: Int? { storedNumber == 0 ? nil : Int(clamping: storedNumber) }

  /// Its number in the capture that the file was made from, from 1; nil if unknown.
  @inlinable public var original: Int? {
    get { storedOriginal == 0 ? nil : Int(storedOriginal) }
    set { storedOriginal = UInt32(clamping: newValue ?? 0) }
  }

  /// Nil if the format has no time (simple packet blocks of pcapng, most exports).
  @inlinable public var time: CaptureTime? {
    get { hasTime ? CaptureTime(seconds: seconds, fraction: fraction, digits: digits) : nil }
    set { self = PacketReference(number: number, original: original, time: newValue, input: input) }
  }

  /// For messages.
  package var name: Message { .packet(number, original: original) }
}
