/// The grammar of RFC 8259, rule by rule, over bytes that are valid UTF-8: it shares no code with the library. Foundation's
/// parser is no model: it refuses lone surrogates and large numbers, which the grammar has, and takes trailing commas, which
/// it has not.
struct PlainJSON {
  private let text: [UInt8]
  private var index = 0

  /// Whether the text is one value with white space around it.
  static func isValue(_ text: [UInt8]) -> Bool {
    guard String(validating: text, as: UTF8.self) != nil else { return false }
    var json = PlainJSON(text: text)
    return json.value() && json.index == text.count
  }

  private init(text: [UInt8]) { self.text = text }

  private var next: Character? { index < text.count ? Character(Unicode.Scalar(text[index])) : nil }

  /// Takes the next character if it is one of `choices`.
  private mutating func take(_ choices: String) -> Bool {
    guard let next, choices.contains(next) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: String) -> Bool { word.allSatisfy { take(String($0)) } }

  private mutating func space() { while take(" \t\n") || takeReturn() {} }

  /// A carriage return and a line feed would be one character of a `String`.
  private mutating func takeReturn() -> Bool {
    guard index < text.count, text[index] == 0x0d else { return false }
    index += 1
    return true
  }

  /// A value with white space around it. Nesting has no limit, so the ends of the arrays and objects around the next value
  /// are in a list.
  private mutating func value() -> Bool {
    var ends: [String] = []
    while true {
      space()
      if take("{") {
        space()
        if !take("}") {
          guard name() else { return false }
          ends.append("}")
          continue
        }
      } else if take("[") {
        space()
        if !take("]") {
          ends.append("]")
          continue
        }
      } else if !scalar() {
        return false
      }
      space()
      while let end = ends.last, take(end) {
        ends.removeLast()
        space()
      }
      guard let end = ends.last else { return true }
      guard take(","), end == "]" || name() else { return false }
    }
  }

  private mutating func scalar() -> Bool {
    switch next {
    case "\"": string()
    case "t": take(word: "true")
    case "f": take(word: "false")
    case "n": take(word: "null")
    default: number()
    }
  }

  private mutating func name() -> Bool {
    space()
    guard string() else { return false }
    space()
    return take(":")
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while index < text.count {
      if take("\"") { return true }
      if take("\\") {
        if take("u") {
          for _ in 0..<4 where !take("0123456789abcdefABCDEF") { return false }
        } else if !take("\"\\/bfnrt") {
          return false
        }
      } else if text[index] < 0x20 {
        return false
      } else {
        index += 1
      }
    }
    return false
  }

  private mutating func digits() -> Bool {
    guard take("0123456789") else { return false }
    while take("0123456789") {}
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0"), !digits() { return false }
    if take("."), !digits() { return false }
    guard take("eE") else { return true }
    _ = take("+-")
    return digits()
  }
}
