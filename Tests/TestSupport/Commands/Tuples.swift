import TestSupport

/// A feedback tuple as docs/spec/protocol.md#feedback-tuples has it, made without the code that is tested.
package struct Tuple: Hashable {
  /// Seconds since 1970.
  package var time: UInt32
  package var token: [UInt8]

  package init(_ time: UInt32, _ token: [UInt8]) {
    self.time = time
    self.token = token
  }

  package var bytes: [UInt8] { Tuples.of(token, time: time) }
}

/// The stream of tuples in a row.
package func feedback(_ tuples: some Sequence<Tuple>) -> [UInt8] { tuples.flatMap(\.bytes) }

/// Lowercase hex.
package func hex(_ bytes: some Sequence<UInt8>) -> String { TestHex.text(bytes) }

package typealias FixedGenerator = SeededGenerator

/// A token of `length` bytes without zeros in a row, different for every `number`.
package func token(_ number: Int, length: Int = 32) -> [UInt8] {
  var generator = FixedGenerator(seed: UInt64(number))
  return (0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) }
}

/// `count` sound tuples, a minute apart.
package func tuples(_ count: Int, from first: Int = 0, at start: UInt32 = 1_400_000_000) -> [Tuple] {
  (first..<first + count).map { Tuple(start + UInt32($0) * 60, token($0)) }
}
