import Basics
import TLSDecryption
import Testing

/// Published vectors of the primitives.
@Suite struct VectorTests {
  private func hex(_ bytes: [UInt8]?) -> String { bytes.map { Hex.string($0) } ?? "nil" }
  private func bytes(_ text: String) -> [UInt8] { Hex.bytes(text.filter { $0 != " " }) ?? [] }

  private func keystream(skipping count: Int, _ length: Int) -> [UInt8] {
    let rc4 = RC4(key: Array(UInt8(1)...16))
    rc4.skip(count)
    let zeros = [UInt8](repeating: 0, count: length)
    var output = zeros
    output.withUnsafeMutableBufferPointer { output in
      zeros.withUnsafeBufferPointer { input in
        if let input = input.baseAddress, let output = output.baseAddress {
          rc4.apply(input, output, count: length)
        }
      }
    }
    return output
  }

  /// RFC 6229, section 2, key of 128 bits.
  @Test(arguments: [
    (0, "9ac7cc9a609d1ef7b2932899cde41b975248c4959014126a6e8a84f11d1a9e1c"),
    (240, "065902e4b620f6cc36c8589f66432f2bd39d566bc6bce3010768151549f3873f"),
    (4096, "a36a4c301ae8ac13610ccbc12256cacc"),
  ])
  func rc4(_ offset: Int, _ expected: String) {
    #expect(hex(keystream(skipping: offset, expected.count / 2)) == expected)
  }

  /// "Test vectors for TLS 1.2 PRF", mailing list of the IETF's TLS group, 2009; and Python's hmac.
  @Test func prf12() {
    #expect(
      hex(
        PseudoRandom.tls12(
          .sha256, secret: bytes("9bbe436ba940f017b17652849a71db35"), label: "test label",
          seed: bytes("a0ba9f936cda311827a6f796ffd5198c"), length: 100))
        == "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7"
        + "077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66")
    #expect(
      hex(
        PseudoRandom.tls12(
          .sha384, secret: bytes("b80b733d6ceefcdc71566ea48e5567df"), label: "test label",
          seed: bytes("cd665cf6a8447dd6ff8b27555edb7465"), length: 148)
      ).hasPrefix(
        "7b0c18e9ced410ed1804f2cfa34a336a1c14dffb4900bb5fd7942107e81c83cde9ca0faa60be9fe34f82b1233c9146a0"))
  }

  /// The vector of GnuTLS's and libgcrypt's tests; and Python's hmac.
  @Test func prf10() {
    #expect(
      hex(
        PseudoRandom.tls10(
          secret: [UInt8](repeating: 0xab, count: 48), label: "PRF Testvector",
          seed: [UInt8](repeating: 0xcd, count: 64), length: 104)
      ).hasPrefix(
        "d3d4d1e349b5d515044666d51de32bab258cb521b6b053463e354832fd976754443bcf9a296519bc289abcbc1187e4eb"))
  }

  /// RFC 8448, section 3: the server's handshake secret, the client's application secret and its record.
  @Test func tls13() throws {
    let suite = CipherSuite(0x1301)
    let handshake = KeyDerivation.keys(
      traffic: bytes("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38"), suite)
    #expect(hex(handshake?.key) == "3fce516009c21727d0f2e4e86ee403bc")
    #expect(hex(handshake?.iv) == "5d313eb2671276ee13000b30")
    let keys = try #require(
      KeyDerivation.keys(
        traffic: bytes("9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5"), suite))
    #expect(hex(keys.key) == "17422dda596ed5d9acd890e3c63f5051")
    let opener = try #require(RecordOpener(version: .tls13, suite: suite, encryptThenMAC: false, keys: keys))
    let fragment = bytes(
      """
      a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a6292a297\
      7014bd1e3deae63aeebb21694915e4
      """)
    #expect(open(fragment, opener, sequence: 0) == Array(0..<50))
    #expect(open(fragment, opener, sequence: 1) == nil)
  }

  private func open(_ fragment: [UInt8], _ opener: RecordOpener, sequence: UInt64) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: fragment.count)
    let opened = output.withUnsafeMutableBufferPointer { output in
      fragment.withUnsafeBufferPointer { fragment in
        fragment.baseAddress.flatMap { input in
          output.baseAddress.flatMap {
            opener.open(
              Fragment(type: 23, start: input, count: fragment.count), at: RecordPosition(sequence: sequence),
              to: $0)
          }
        }
      }
    }
    return opened.map { Array(output.prefix($0.opened.count)) }
  }

  @Test func suitesAreNamed() {
    #expect(CipherSuite(0x002f).name == "TLS_RSA_WITH_AES_128_CBC_SHA")
    guard case .cbc(let cbc) = CipherSuite(0x002f).cipher, case .aead(let ccm) = CipherSuite(0xc0a0).cipher
    else {
      Issue.record("unexpected ciphers")
      return
    }
    #expect(cbc.keyLength == 16 && cbc.blockLength == 16)
    #expect(ccm.keyLength == 16 && ccm.tagLength == 8)
    #expect(CipherSuite(0xc030).prf == .sha384)
    #expect(CipherSuite(0x0096).cipher == nil && CipherSuite(0x0096).name == "TLS_RSA_WITH_SEED_CBC_SHA")
    #expect(CipherSuite(0x0003).cipher == nil && CipherSuite(0xfefe).name == "0xFEFE")
  }
}
