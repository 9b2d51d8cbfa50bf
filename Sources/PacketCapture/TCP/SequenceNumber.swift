/// A TCP sequence number: arithmetic on it is modulo 2^32 (RFC 9293, section 3.4).
package struct SequenceNumber: Hashable, Sendable {
  package var value: UInt32

  package init(_ value: UInt32) {
    self.value = value
  }

  package static func + (number: SequenceNumber, count: Int) -> SequenceNumber {
    SequenceNumber(number.value &+ UInt32(truncatingIfNeeded: count))
  }

  /// How far `self` lies behind `other`, in bytes: -2^31 to 2^31 - 1. Which of two numbers is the later one
  /// is told by the shorter way round.
  package func distance(from other: SequenceNumber) -> Int {
    Int(Int32(bitPattern: value &- other.value))
  }
}
