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
