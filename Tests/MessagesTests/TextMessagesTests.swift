import Basics
import Testing

@Test("Messages about JSON and YAML", arguments: Golden.json + Golden.yaml)
func textMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let json: [Golden] = [
    Golden(.jsonExpected("a value", found: 0x27), "expected a value, found the byte 0x27"),
    Golden(.jsonExpected("a closing quote", found: nil), "expected a closing quote, found the end"),
  ]

  static let yaml: [Golden] = [
    Golden(.yamlNotUTF8(byte: 0xff), "the byte 0xff is not UTF-8; save the file as UTF-8"),
    Golden(.yamlControlCharacter([7]), "control character 0x07; remove it"),
    Golden(.yamlControlCharacter([0xef, 0xbb, 0xbf]), "control character 0xefbbbf; remove it"),
    Golden(
      .yamlTooManyAliases(limit: 10), "more than 10 aliases or directives; write them out"),
    Golden(
      .notYAML("did not find expected key"),
      "cannot be read as YAML: did not find expected key (texts with special characters need quotes)"),
    Golden(
      .yamlTooDeep,
      "cannot be read as YAML: nested too deeply (texts with special characters need quotes)"),
    Golden(
      .yamlExpected(keys: true, for: "", found: "a list", example: "table: devices"),
      "expected keys, found a list; write it as in table: devices"),
    Golden(
      .yamlExpected(keys: false, for: "token.form", found: "keys", example: "table: devices"),
      "expected a single text for token.form, found keys; write it as in table: devices"),
  ]
}
