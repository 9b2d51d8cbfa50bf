import Generator

/// What the generator makes of a scenario.
struct Generated {
  let bytes: [UInt8]
  let responses: [UInt8]
  let truth: [Substring]
  /// As it counts them itself.
  let count: Int

  private final class Output: GeneratorOutput {
    var bytes: [UInt8] = []
    func write(_ bytes: RawSpan) throws { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
  }

  init(_ kind: Generator.Kind, _ change: (inout Scenario) -> Void = { _ in }) throws {
    var scenario = Scenario()
    change(&scenario)
    let (file, other, truth) = (Output(), Output(), Output())
    count = try Generator.generate(
      kind, scenario, source: "generated", to: file, responses: other, truth: truth)
    (bytes, responses) = (file.bytes, other.bytes)
    self.truth = String(decoding: truth.bytes, as: UTF8.self).split(separator: "\n")
  }

  func lines(_ type: String) -> [Substring] { truth.filter { $0.hasPrefix("{\"type\":\"\(type)\"") } }
}

/// A member of a line of the truth, without quotes; nil if it is null or missing.
func member(_ name: String, _ line: Substring) -> String? {
  guard let value = line.split(separator: "\"\(name)\":", maxSplits: 1).dropFirst().first else { return nil }
  let text =
    value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value.prefix { !",}".contains($0) }
  return text == "null" ? nil : String(text)
}

func number(_ name: String, _ line: Substring) -> Int { member(name, line).flatMap { Int($0) } ?? -1 }
