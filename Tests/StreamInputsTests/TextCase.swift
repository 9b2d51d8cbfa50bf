import Testing

/// A text and its decoding, in the form of `Decoding.summary`.
struct TextCase: Sendable, CustomTestStringConvertible {
  var name: String
  var text: String
  var expected: String
  var testDescription: String { name }
}
