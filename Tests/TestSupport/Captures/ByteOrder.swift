/// How a file or a header lays out its numbers.
package enum ByteOrder: CaseIterable, Sendable {
  case little, big

  /// The low `count` bytes of a number.
  package func bytes(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return self == .little ? little : little.reversed()
  }
}

/// Numbers as nearly every protocol has them: network byte order.
func be16(_ value: some BinaryInteger) -> [UInt8] { ByteOrder.big.bytes(value, 2) }
func be32(_ value: some BinaryInteger) -> [UInt8] { ByteOrder.big.bytes(value, 4) }

/// The parts of a header in a row.
func join(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

/// Zeros up to the next multiple of `unit`.
func padding(of count: Int, to unit: Int) -> [UInt8] {
  [UInt8](repeating: 0, count: (unit - count % unit) % unit)
}

/// The Internet checksum (RFC 1071).
func internetChecksum(_ bytes: [UInt8]) -> UInt16 {
  var sum: UInt64 = 0
  for (index, byte) in bytes.enumerated() { sum += UInt64(byte) << (index % 2 == 0 ? 8 : 0) }
  while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
  return ~UInt16(sum)
}

/// The frame check sequence of IEEE 802, in the order of the wire.
func frameCheckSequence(_ bytes: [UInt8]) -> [UInt8] {
  var register: UInt32 = ~0
  for byte in bytes {
    register ^= UInt32(byte)
    for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xedb8_8320 : register >> 1 }
  }
  return ByteOrder.little.bytes(~register, 4)
}
