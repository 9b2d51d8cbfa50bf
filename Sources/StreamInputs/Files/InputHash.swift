import CLibcrypto
import Platform
import WireBytes

/// SHA-256 of bytes as they come, by the system's libcrypto: it uses the processor's instructions for it
/// and costs no build time (docs/decisions/0001-sha256-from-libcrypto.md).
package struct InputHash: ~Copyable {
  /// Nil where libcrypto has no memory or no SHA-256 to offer: then there is no digest, which reports show
  /// as null.
  private let context: OpaquePointer?

  package init() {
    let context = EVP_MD_CTX_new()
    if EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 {
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

  /// The digest of all bytes so far as 64 lowercase hex digits.
  package consuming func hexDigest() -> String? {
    guard let context else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return nil }
    return Hex.string(digest.prefix(Int(length)))
  }
}

extension InputHash {
  /// The digest of a regular file as it lies on disk; nil of anything else, which cannot be read twice, and of what
  /// cannot be read.
  package static func digest(of input: Input) -> String? {
    // Asked first: opening a pipe takes it from who reads it next.
    guard let path = input.path, DirectoryEntry.isRegularFile(path),
      var file = try? StoredFile(input, hashes: true)
    else { return nil }
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while block.withUnsafeMutableBytes({ file.read(into: $0) }) > 0 {}
    return file.fault == nil ? file.takeDigest() : nil
  }
}
