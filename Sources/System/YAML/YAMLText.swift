import Basics

/// Small YAML files.
package enum YAMLText {
  /// The maximum size of a file, in bytes.
  package static let maxSize = 1 << 20
  /// The maximum number of aliases (`*name`), and of directives (`%TAG`). A file needs none; with many of them, a small
  /// file expands to a huge tree, or takes long.
  static let maxIndirections = 10

  /// U+FEFF may begin a file, and is not part of its text.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Parses a YAML text; nil if it is empty. Time and memory are bounded by its length.
  /// - Parameter name: how messages name the text.
  package static func tree(of bytes: [UInt8], name: String) throws(YAMLError) -> YAMLNode? {
    // The parser would treat the first line as indented.
    let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    try check(bytes, name)
    guard let libyaml = loadedLibyaml else {
      throw YAMLError(
        .about(
          name, "cannot be read as YAML: libyaml cannot be loaded; install libyaml-0-2 (elsewhere: libyaml)"))
    }
    return try YAMLParser(libyaml, name: name).tree(of: bytes)
  }

  /// The text must be UTF-8, without characters that YAML does not allow, and have few directives: the parser compares
  /// each with all before it.
  private static func check(_ bytes: [UInt8], _ name: String) throws(YAMLError) {
    let span = bytes.span.bytes
    var position = YAMLPosition(name: name)
    var previous: Unicode.Scalar = "\n"
    var directives = 0
    var index = 0
    while index < bytes.count {
      let length = UTF8Text.characterLength(at: index, before: bytes.count, in: span)
      let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
      guard let character = text.unicodeScalars.first else {
        throw position.error("the byte 0x\(Hex.string([bytes[index]])) is not UTF-8; save the file as UTF-8")
      }
      guard isAllowed(character) else {
        throw position.error("control character 0x\(Hex.string(Array(text.utf8))); remove it")
      }
      if character == "%", position.column == 1 { directives += 1 }
      guard directives <= maxIndirections else {
        throw position.error(.yamlTooManyAliases(limit: maxIndirections))
      }
      position.pass(character, after: previous)
      previous = character
      index += length
    }
  }

  /// Whether a character is printable in YAML 1.2 (section 5.1).
  private static func isAllowed(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0x09, 0x0a, 0x0d, 0x85: true
    case ..<0x20, 0x7f..<0xa0, 0xfeff, 0xfffe, 0xffff: false
    default: true
    }
  }
}
