import Platform

/// Finds duplicate inputs. Their records are still counted: the examiner decides whether two dumps are one.
///
/// Memory: some 200 bytes an input.
package struct RepeatedInputs {
  /// The first input of each content, by SHA-256, and of each file.
  private var byDigest: [String: String] = [:]
  private var byFile: [FileIdentity: String] = [:]
  /// Sizes in bytes that several inputs share.
  private let sharedSizes: Set<Int>

  /// - Parameter inputs: all inputs to be read.
  package init(_ inputs: [Input]) {
    var seen: Set<Int> = []
    var shared: Set<Int> = []
    for size in inputs.lazy.compactMap(\.size) where !seen.insert(size).inserted {
      shared.insert(size)
    }
    sharedSizes = shared
  }

  /// Whether another input has the same size, so that its digest is worth the time. Only regular files have a known
  /// size.
  package func mayBeCopy(_ input: Input) -> Bool {
    input.size.map { sharedSizes.contains($0) } ?? false
  }

  /// The name of the first input with the same bytes as this one, which was read; nil if there is none. Empty inputs
  /// are not duplicates.
  package mutating func first(like input: Input, digest: String?, bytes: Int) -> String? {
    guard bytes > 0 else { return nil }
    let file = input.path.flatMap { FileIdentity(at: $0) }.flatMap { $0.isRegular ? $0 : nil }
    // A file read twice has the same bytes, unless another program writes to it: digests are more reliable.
    let first = digest.map { byDigest[$0] } ?? file.flatMap { byFile[$0] }
    if let digest, byDigest[digest] == nil { byDigest[digest] = input.name }
    if let file, byFile[file] == nil { byFile[file] = input.name }
    return first
  }
}
