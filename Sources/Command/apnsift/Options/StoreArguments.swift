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

/// A token as an argument, in any form.
struct TokenArgument: ExpressibleByArgument {
  var bytes: [UInt8]

  init?(argument: String) {
    guard let bytes = TokenText.bytes(argument) else { return nil }
    self.bytes = bytes
  }
}
