import CommandTestSupport
import Testing

/// Inputs, mappings and the journal of replays.
extension TestDirectory {
  /// A spool of three dumps with two tuples each.
  func makeSpool() throws {
    for number in 0..<3 { try write(feedback(tuples(2, from: 2 * number)), to: "spool/\(number).bin") }
  }

  /// Compressed bytes that end too early.
  func writeCut(to name: String) throws {
    let whole = try tool("gzip", ["-c"], input: .bytes(feedback(tuples(500, from: 100))))
    try write(whole.prefix(whole.count / 2), to: name)
  }

  /// A log of pushes whose tokens are not valid any more, by topic, each with its token's number.
  func writeLog(_ pushes: [(topic: String?, token: Int)], at time: Int64, to name: String) throws {
    let lines = pushes.map { push in
      let topic = push.topic.map { ",\"topic\":\"\($0)\"" } ?? ""
      return "{\"token\":\"\(hex(token(push.token)))\",\"status\":410,\"reason\":\"Unregistered\","
        + "\"timestamp\":\(time)000\(topic)}\n"
    }
    try write(lines.joined(), to: name)
  }

  /// A mapping of the table `devices`, whose column `token` has hex.
  /// - Parameters:
  ///   - seen: the form of the column `seen` with times of registrations; nil where there is none.
  ///   - gone: the form of the column `gone` with times of invalidations; nil deletes rows.
  ///   - more: further lines.
  func writeMapping(to name: String, seen: String? = nil, gone: String? = nil, _ more: String = "") throws {
    try write(
      """
      table: devices
      token: {column: token, form: hex}
      registered: \(seen.map { "{column: seen, form: \($0)}" } ?? "none")
      action: \(gone.map { "mark\ninvalidated: {column: gone, form: \($0)}" } ?? "delete")
      \(more)
      """, to: name)
  }

  /// The history of the store, as JSON.
  func history(_ options: [String] = []) throws -> [Evidence.Object] {
    try Evidence.objects(apnsift(["store", "history", "--json"] + options).text)
  }
}

extension Outcome {
  /// Whether it ended well, without a word.
  var isSilent: Bool { code == 0 && output.isEmpty && errors.isEmpty }

  /// Its output, an object of JSON, of which these numbers are expected.
  @discardableResult
  func json(
    _ numbers: [String: Int] = [:], at location: SourceLocation = #_sourceLocation
  ) throws -> Evidence.Object {
    let object = try Evidence.object(text)
    for (name, number) in numbers {
      #expect(object[name] as? Int == number, "\(name): \(text)", sourceLocation: location)
    }
    return object
  }
}
