import Testing

/// One line, or a few, and what is read of them.
struct LogCase: CustomTestStringConvertible, Sendable {
  var name: String
  var log: String
  var steps: [String]
  var mapping: String?

  init(_ name: String, _ log: String, _ steps: String..., mapping: String? = nil) {
    (self.name, self.log, self.steps, self.mapping) = (name, log, steps, mapping)
  }

  var testDescription: String { name }
}
