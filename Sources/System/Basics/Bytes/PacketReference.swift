/// The packet that something came from: enough to find it in the examined file, or in the capture that the file was
/// made from. Connections keep many of these, 32 bytes each.
package struct PacketReference: Equatable, BitwiseCopyable, Sendable {
  private var storedNumber: UInt64
  private var seconds: Int64
  private var fraction: UInt64
  private var storedOriginal: UInt32
  /// Index from 0 of the input, if several are read as one capture; else 0.
  package var input: UInt16
  /// `noTime` without a time.
  private var digits: UInt8

  private static let noTime: UInt8 = .max

  package init(number: Int?, original: Int? = nil, time: CaptureTime? = nil, input: UInt16 = 0) {
    storedNumber = UInt64(clamping: number ?? 0)
    storedOriginal = UInt32(clamping: original ?? 0)
    seconds = time?.seconds ?? 0
    fraction = time?.fraction ?? 0
    digits = time?.digits ?? Self.noTime
    self.input = input
  }

  /// Its number in the examined file, from 1; nil in an export, which has no packets.
  package var number: Int? { storedNumber == 0 ? nil : Int(clamping: storedNumber) }

  /// Its number in the capture that the file was made from, from 1; nil if unknown.
  package var original: Int? {
    get { storedOriginal == 0 ? nil : Int(storedOriginal) }
    set { storedOriginal = UInt32(clamping: newValue ?? 0) }
  }

  /// Nil if the format has no time (simple packet blocks of pcapng, most exports).
  package var time: CaptureTime? {
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
