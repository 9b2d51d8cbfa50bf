import CLibcrypto

package enum DigestAlgorithm: Int, Sendable {
  case md5, sha1, sha256, sha384

  /// Bytes of a digest.
  var length: Int { [16, 20, 32, 48][rawValue] }

  /// Bytes that the function takes at once, which HMAC pads its key to.
  fileprivate var blockLength: Int { self == .sha384 ? 128 : 64 }

  // Found once: libcrypto takes longer to find a function than to hash a block. They are never changed.
  nonisolated(unsafe) private static let functions = (["MD5", "SHA1", "SHA256", "SHA384"] as [String]).map {
    EVP_MD_fetch(nil, $0, nil)
  }

  /// The digest of the parts, one after the other; nil if libcrypto refuses.
  func digest(_ parts: [[UInt8]]) -> [UInt8]? {
    guard let context = state(after: parts) else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var digest = [UInt8](repeating: 0, count: length)
    return EVP_DigestFinal_ex(context, &digest, nil) == 1 ? digest : nil
  }

  fileprivate func state(after parts: [[UInt8]]) -> OpaquePointer? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    let isRight =
      EVP_DigestInit_ex(context, Self.functions[rawValue], nil) == 1
      && parts.allSatisfy { EVP_DigestUpdate(context, $0, $0.count) == 1 }
    if !isRight { EVP_MD_CTX_free(context) }
    return isRight ? context : nil
  }

  func hmac(key: [UInt8], _ parts: [[UInt8]]) -> [UInt8]? { KeyedDigest(hmac: self, key: key)?.digest(parts) }
}

/// A hash of a hash, each after a block made of the key: HMAC, and the MAC of SSL 3.0. The states after the blocks are
/// kept, so that a message costs nothing but itself.
final class KeyedDigest {
  let length: Int
  private let inner: OpaquePointer
  private let outer: OpaquePointer
  private let work: OpaquePointer
  private let between: UnsafeMutablePointer<UInt8>
  private var isSound = true

  convenience init?(hmac algorithm: DigestAlgorithm, key: [UInt8]) {
    var block = key
    if key.count > algorithm.blockLength {
      guard let digest = algorithm.digest([key]) else { return nil }
      block = digest
    }
    block += [UInt8](repeating: 0, count: max(0, algorithm.blockLength - block.count))
    self.init(algorithm, inner: block.map { $0 ^ 0x36 }, outer: block.map { $0 ^ 0x5c })
  }

  /// RFC 6101, section 5.2.3.1: the padding fills the block with MD5, not with SHA-1.
  convenience init?(ssl3 algorithm: DigestAlgorithm, key: [UInt8]) {
    let count = algorithm == .md5 ? 48 : 40
    self.init(
      algorithm, inner: key + [UInt8](repeating: 0x36, count: count),
      outer: key + [UInt8](repeating: 0x5c, count: count))
  }

  private init?(_ algorithm: DigestAlgorithm, inner innerBlock: [UInt8], outer outerBlock: [UInt8]) {
    guard let inner = algorithm.state(after: [innerBlock]) else { return nil }
    guard let outer = algorithm.state(after: [outerBlock]), let work = EVP_MD_CTX_new() else {
      EVP_MD_CTX_free(inner)
      return nil
    }
    length = algorithm.length
    (self.inner, self.outer, self.work) = (inner, outer, work)
    between = .allocate(capacity: Int(EVP_MAX_MD_SIZE))
  }

  deinit {
    EVP_MD_CTX_free(inner)
    EVP_MD_CTX_free(outer)
    EVP_MD_CTX_free(work)
    between.deallocate()
  }

  func digest(_ parts: [[UInt8]]) -> [UInt8]? {
    begin()
    for part in parts { update(part, part.count) }
    var digest = [UInt8](repeating: 0, count: length)
    return finish(&digest) ? digest : nil
  }

  func begin() { isSound = EVP_MD_CTX_copy_ex(work, inner) == 1 }

  func update(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    if count > 0, EVP_DigestUpdate(work, bytes, count) != 1 { isSound = false }
  }

  /// Writes `length` bytes; false if libcrypto refused anything.
  func finish(_ digest: UnsafeMutablePointer<UInt8>) -> Bool {
    isSound && EVP_DigestFinal_ex(work, between, nil) == 1 && EVP_MD_CTX_copy_ex(work, outer) == 1
      && EVP_DigestUpdate(work, between, length) == 1 && EVP_DigestFinal_ex(work, digest, nil) == 1
  }
}
