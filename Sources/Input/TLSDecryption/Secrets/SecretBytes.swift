/// Bytes that no description, dump or mirror shows.
package struct SecretBytes: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var description: String { "secret" }
  package var debugDescription: String { "secret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which file a secret came from, by the number that the caller gave it, and the line from 1; 0 where it has none.
package struct SecretOrigin: Hashable, Comparable, Sendable {
  var file: Int
  package var line: Int

  package init(file: Int, line: Int) {
    self.file = file
    self.line = line
  }

  package static func < (one: SecretOrigin, other: SecretOrigin) -> Bool {
    (one.file, one.line) < (other.file, other.line)
  }
}

/// The 32 bytes that a hello brings.
package struct HelloRandom: Hashable, Sendable {
  private let words: SIMD4<UInt64>

  /// Nil unless there are 32 bytes.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words = SIMD4<UInt64>()
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = words
  }

  var bytes: [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) } }
}
