import Basics
import Testing

@Suite("JSON of expectations")
struct JSONReaderTests {
  private func canonical(_ text: String) throws -> String {
    try JSONReader.value(of: Array(text.utf8)[...]).canonical.text
  }

  @Test(
    "values, in canonical form",
    arguments: [
      (#" { "b" : 1 , "a" : [ ] } "#, #"{"a":[],"b":1}"#),
      (#"{"a":{"d":null,"c":true},"B":false}"#, #"{"B":false,"a":{"c":true,"d":null}}"#),
      (#"[1,-0.5e+10,0,9007199254740993]"#, #"[1,-0.5e+10,0,9007199254740993]"#),
      (#""\u0041\n\/\ud83d\ude00""#, "\"A\\n/😀\""),
      (#""\u0007 é""#, "\"\\u0007 é\""),
      ("\"\u{7f}\"", #""\u007f""#),
    ])
  func values(_ text: String, _ expected: String) throws {
    #expect(try canonical(text) == expected)
  }

  @Test("canonically equivalent texts are different")
  func lookalikes() throws {
    // é as one character, and as e with an accent: Swift's `==` treats them as equal.
    let (composed, decomposed) = (try canonical("\"\u{e9}\""), try canonical("\"e\u{301}\""))
    #expect(!composed.utf8.elementsEqual(decomposed.utf8))
  }

  @Test(
    "the offset of errors",
    arguments: [
      ("", 0), ("{", 1), ("{\"a\"}", 4), ("{\"a\":1,}", 7), ("[1 2]", 3), ("01", 1), ("1.", 2), ("-", 1),
      ("tru", 0), ("nul", 0), ("\"a", 2), ("\"\\x\"", 2), (#""\u12g4""#, 5), (#""\ud800""#, 7),
      (#""\ud800\u0041""#, 7), ("\"\n\"", 1), ("{} {}", 3), (#"{"a":1,"a":2}"#, 7), ("'a'", 0), ("NaN", 0),
    ])
  func errors(_ text: String, _ offset: Int) {
    let error = #expect(throws: JSONError.self, "\(text)") { try canonical(text) }
    #expect(error?.offset == offset, "\(text): \(error?.message.text ?? "")")
  }

  @Test("other bytes than UTF-8 are refused")
  func otherBytes() {
    #expect(throws: JSONError.self) { try JSONReader.value(of: [0x22, 0xff, 0x22]) }
  }

  @Test("depth is bounded")
  func depth() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try canonical(deep) }
    #expect(try canonical(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).count == 128)
  }
}
