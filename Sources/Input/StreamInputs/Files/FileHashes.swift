import Basics
import CLibcrypto
import PacketCapture

/// Digests to compute of a file.
package struct DigestKinds: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let sha256 = DigestKinds(rawValue: 1)
  /// For lists of hashes only: files with the same SHA-1 or MD5 can be made.
  package static let sha1 = DigestKinds(rawValue: 2)
  package static let md5 = DigestKinds(rawValue: 4)
}

/// Digests of a file's bytes on disk, in lowercase hex; nil if one was not requested, or the file cannot be read in
/// full.
package struct FileDigests: Equatable, Sendable {
  package var sha256: String?
  package var sha1: String?
  package var md5: String?

  package init(sha256: String? = nil, sha1: String? = nil, md5: String? = nil) {
    (self.sha256, self.sha1, self.md5) = (sha256, sha1, md5)
  }
}

/// Incremental hash by the system's libcrypto: it uses the processor's instructions for it and costs no build time
/// (docs/decisions/0001-sha256-from-libcrypto.md).
package struct InputHash: ~Copyable {
  package enum Algorithm { case sha256, sha1, md5 }

  /// Nil if libcrypto is out of memory or lacks the algorithm: then there is no digest, and reports have null.
  private let context: OpaquePointer?

  package init(_ algorithm: Algorithm = .sha256) {
    let context = EVP_MD_CTX_new()
    let function =
      switch algorithm {
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

  deinit {
    EVP_MD_CTX_free(context)
  }

  package mutating func update(_ bytes: RawSpan) {
    guard let context else { return }
    bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes so far in lowercase hex.
  package consuming func hexDigest() -> String? {
    guard let context else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return nil }
    return Hex.string(digest.prefix(Int(length)))
  }
}

/// Several digests of the same bytes, in one pass.
struct FileHashes: ~Copyable {
  private var sha256: InputHash?
  private var sha1: InputHash?
  private var md5: InputHash?

  init(_ kinds: DigestKinds) {
    sha256 = kinds.contains(.sha256) ? InputHash(.sha256) : nil
    sha1 = kinds.contains(.sha1) ? InputHash(.sha1) : nil
    md5 = kinds.contains(.md5) ? InputHash(.md5) : nil
  }

  mutating func update(_ bytes: RawSpan) {
    sha256?.update(bytes)
    sha1?.update(bytes)
    md5?.update(bytes)
  }

  /// The digests of all bytes so far, once.
  mutating func take() -> FileDigests {
    FileDigests(
      sha256: sha256.take()?.hexDigest(), sha1: sha1.take()?.hexDigest(), md5: md5.take()?.hexDigest())
  }
}

/// A file that was read for its digests: its length is in bytes.
package typealias HashedFile = (digests: FileDigests, bytes: Int)

extension FileDigests {
  package static func of(_ input: Input, _ kinds: DigestKinds) -> HashedFile? {
    of(input, kinds, progress: { _ in })
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
    return file.fault == nil ? (file.takeDigests(), file.bytesRead) : nil
  }
}
