import APNsWire
import Testing

@Suite("docs/spec/decoding-rules.md#ciphertext")
struct CiphertextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var head: [UInt8]
    var isCiphertext: Bool
    var testDescription: String { "\(head)" }
  }

  /// "14 to 17, 03, 00 to 04 (hex)".
  static let cases: [Case] = [
    ([0x13, 0x03, 0x01], false), ([0x14, 0x03, 0x01], true), ([0x15, 0x03, 0x01], true),
    ([0x16, 0x03, 0x01], true), ([0x17, 0x03, 0x01], true), ([0x18, 0x03, 0x01], false),
    ([0x17, 0x03, 0x00], true), ([0x17, 0x03, 0x04], true), ([0x17, 0x03, 0x05], false),
    ([0x17, 0x02, 0x01], false), ([0x17, 0x04, 0x01], false), ([0x17, 0x03, 0xff], false),
    ([0x17, 0x03], false), ([0x17], false), ([], false), ([0x17, 0x03, 0x03, 0xff, 0xff], true),
  ].map { Case(head: $0.0, isCiphertext: $0.1) }

  @Test(arguments: cases)
  func begins(_ example: Case) {
    #expect(Ciphertext.begins(example.head) == example.isCiphertext)
  }
}
