/// The format of a token in a column or a field.
package enum TokenForm: String, CaseIterable, Sendable {
  /// The bytes themselves.
  case bytes
  case hex
  case upperHex = "upper-hex"
  /// Lowercase hex in groups of four bytes: `0a1b2c3d 4e5f6071`.
  case spacedHex = "spaced-hex"
  /// As in the description of `NSData`: `<0a1b2c3d 4e5f6071>`.
  case bracketedHex = "bracketed-hex"
  case base64
}
