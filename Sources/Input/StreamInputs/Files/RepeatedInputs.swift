import Basics

/// Finds duplicate inputs. Their records are still counted: the examiner decides whether two dumps are one.
///
/// Memory: some 100 bytes an input.
package struct RepeatedInputs: Sendable {
  /// A SHA-256: a text of 64 digits takes three times the memory.
  private struct Digest: Hashable, Sendable {
    let words: SIMD4<UInt64>

    init?(_ hex: String) {
      guard let bytes = Hex.bytes(hex), bytes.count == 32 else { return nil }
      words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
  }

  /// The first input of each content, by SHA-256, and of each file without one.
  private var byDigest: [Digest: String] = [:]
  private var byFile: [FileIdentity: String] = [:]
  /// Sizes in bytes that several inputs share.
  private let sharedSizes: Set<Int>

  package init(_ inputs: [Input]) {
    var seen: Set<Int> = []
    sharedSizes = Set(inputs.compactMap(\.size).filter { !seen.insert($0).inserted })
  }

  /// Whether another input has the same size, so that its digest is worth the time. Only regular files have a known
  /// size.
  package func mayBeCopy(_ input: Input) -> Bool { input.size.map { sharedSizes.contains($0) } ?? false }

  /// The name of the first input with the same bytes as this one, which was read; nil if there is none. Empty inputs
  /// are not duplicates.
  package mutating func first(like input: Input, digest: String?, bytes: Int) -> String? {
    guard bytes > 0 else { return nil }
    // A file read twice has the same bytes, unless another program writes to it: digests are more reliable.
    if let digest = digest.flatMap({ Digest($0) }) { return Self.first(&byDigest, digest, input.name) }
    guard let file = input.path.flatMap({ FileIdentity(at: $0) }), file.isRegular else { return nil }
    return Self.first(&byFile, file, input.name)
  }

  /// The name known for `key`; else nil, and `name` is known from now on.
  private static func first<Key>(_ names: inout [Key: String], _ key: Key, _ name: String) -> String? {
    if let known = names[key] { return known }
    names[key] = name
    return nil
  }
}
