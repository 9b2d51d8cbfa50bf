import ArgumentParser
import Basics
import TokenStores

/// As `500`, or `25%` of all live tokens.
extension InvalidationLimit: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
  package var defaultValueDescription: String { text }
}

/// An offset as an argument: decimal, or hex with 0x.
struct OffsetArgument: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    let isHex = argument.lowercased().hasPrefix("0x")
    let digits = isHex ? argument.dropFirst(2) : argument[...]
    guard digits.first?.isHexDigit == true, let bytes = Int(digits, radix: isHex ? 16 : 10) else {
      return nil
    }
    self.bytes = bytes
  }
}

/// Reads a token as an argument, in any form.
@Sendable func tokenArgument(_ text: String) throws -> [UInt8] {
  guard let token = TokenText.bytes(text) else { throw ValidationError("tokens are \(TokenText.forms)") }
  return token
}
