import Basics
import CLibcrypto

/// The raw value is the number of bytes of a digest.
package enum DigestKind: Int, CaseIterable, Sendable {
  case sha256 = 32
  /// For lists of hashes only: files with the same SHA-1 or MD5 can be made.
  case sha1 = 20
  case md5 = 16
}

package typealias DigestKinds = Set<DigestKind>

/// Digests of a file's bytes on disk, in lowercase hex; without those that were not requested, and empty if the file cannot
/// be read in full.
package typealias FileDigests = [DigestKind: String]

/// Incremental hash by the system's libcrypto: it uses the processor's instructions for it, and costs no build time, unlike
/// swift-crypto, which compiles BoringSSL.
package final class InputHash {
  /// Nil if libcrypto is out of memory or lacks the algorithm: then there is no digest, and reports have null.
  private let context: OpaquePointer?

  package init(_ kind: DigestKind = .sha256) {
    let context = EVP_MD_CTX_new()
    let function =
      switch kind {
      case .sha256: EVP_sha256()
      case .sha1: EVP_sha1()
      case .md5: EVP_md5()
      }
    if EVP_DigestInit_ex(context, function, nil) == 1 {
      self.context = context
    } else {
      EVP_MD_CTX_free(context)
      self.context = nil
    }
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Several digests of the same bytes, in one pass.
  static func all(_ kinds: DigestKinds) -> [DigestKind: InputHash] {
    Dictionary(uniqueKeysWithValues: kinds.map { ($0, InputHash($0)) })
  }

  package func update(_ bytes: RawSpan) {
    if let context { bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) } }
  }

  /// The digest of all bytes in lowercase hex, once.
  package func hexDigest() -> String? {
    guard let context else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return nil }
    return Hex.string(digest.prefix(Int(length)))
  }
}

/// A file that was read for its digests: its length is in bytes.
package typealias HashedFile = (digests: FileDigests, bytes: Int)

extension FileDigests {
  package static func of(_ input: Input, _ kinds: DigestKinds) -> HashedFile? {
    of(input, kinds) { _ in }
  }

  /// The digests of a regular file on disk, and its length; nil for anything else, which cannot be read twice, and for
  /// unreadable files.
  /// - Parameter progress: called now and then with the number of bytes read.
  package static func of(
    _ input: Input, _ kinds: DigestKinds, progress: (_ done: Int) throws -> Void
  ) rethrows -> HashedFile? {
    // Checked first: opening a pipe would take its data from the next reader.
    guard let path = input.path, DirectoryEntry.isRegularFile(path),
      var file = try? StoredFile(input, digests: kinds)
    else { return nil }
    try file.readToEnd(progress: progress)
    return file.error == nil ? (file.takeDigests(), file.bytesRead) : nil
  }
}
