import APNsWire
import Basics
import YAML

/// A form of lines: who writes it, its pattern, and samples that are its test (docs/how-to/line-forms.md).
package struct LineForm: Sendable {
  /// A line, and the fields of the push that it is.
  package struct Sample: Sendable {
    package var line: String
    package var fields: [(name: String, value: String)]
  }

  package var name: String
  package var writer: String
  var kind = LogOptions.LogContent.pushes
  /// A text that each of its lines has: others are not matched. It may be empty.
  var literal: [UInt8] = []
  package var pattern: String
  package var samples: [Sample] = []

  /// The form of `--line-pattern`.
  /// - Throws: `PatternError`, if the pattern is none, or names no field.
  package init(pattern: String) throws(PatternError) {
    (name, writer, self.pattern) = ("line-pattern", "--line-pattern", pattern)
    try check()
  }

  /// The names of groups that a pattern may have, for messages.
  private static let groups = LogMapping.fields + ["invalidated_at", "path", "success", "time"]

  private func check() throws(PatternError) {
    let groups = try LinePattern(pattern).groups.map(\.name)
    guard groups.contains(where: { LogNames.standard.meaning(named: $0) != nil }) else {
      throw PatternError(
        message:
          "no group names a field; write (?<token>…), and others of: \(Self.groups.joined(separator: ", "))",
        offset: 0)
    }
  }
}

/// The table of forms that the command has in it, and files like it.
extension LineForm {
  package static var builtInText: String { String(decoding: PackageResources.forms_yml, as: UTF8.self) }

  /// Its message, if it cannot be read, as libyaml or PCRE2 is missing.
  package static let builtIn = Result { () throws(YAMLError) in
    // Tests check them.
    try read(PackageResources.forms_yml, name: "forms.yml", areChecked: true)
  }

  /// Reads a file of forms: a YAML text with the name of each form, and its keys.
  /// - Parameter areChecked: whether the patterns are known to be right.
  /// - Throws: the first mistake, with its line and column.
  package static func read(
    _ bytes: [UInt8], name: String, areChecked: Bool = false
  ) throws(YAMLError) -> [LineForm] {
    let tree = try YAMLText.tree(of: bytes, name: name)
    guard let tree, case .keys(let entries) = tree.content else {
      throw tree?.error("expected the names of forms, found \(tree?.kind ?? "nothing")")
        ?? YAMLError("\(name): is empty; write forms as `apnsift forms` shows them")
    }
    return try entries.map { key, value throws(YAMLError) -> LineForm in
      let form = try LineForm(named: key, value)
      if !areChecked { try form.check(value) }
      return form
    }
  }

  private init(named key: YAMLNode, _ node: YAMLNode) throws(YAMLError) {
    guard let name = key.text, case .keys(let entries) = node.content else {
      throw node.error("expected the keys writer, contains, pattern and samples, found \(node.kind)")
    }
    (self.name, writer, pattern) = (name, name, "")
    for (key, value) in entries {
      switch key.text {
      case "writer": writer = try value.wantedText()
      case "records": kind = try Self.kind(value)
      case "contains": literal = Array(try value.wantedText().utf8)
      case "pattern": pattern = try value.wantedText()
      case "samples": samples = try Self.samples(value)
      default: throw key.error("expected writer, records, contains, pattern or samples, found \(key.kind)")
      }
    }
  }

  private func check(_ node: YAMLNode) throws(YAMLError) {
    guard let pattern = node["pattern"] else { throw node.error("the form \(name) has no pattern") }
    do throws(PatternError) {
      try check()
    } catch {
      let location: Message = error.offset > 0 ? " (byte \(error.offset + 1) of it)" : ""
      throw pattern.error("the pattern of \(name)\(location): \(error.message)")
    }
  }

  private static func kind(_ node: YAMLNode) throws(YAMLError) -> LogOptions.LogContent {
    guard let text = node.text, let kind = LogOptions.LogContent(rawValue: text) else {
      throw node.error("expected pushes or feedback, found \(node.kind)")
    }
    return kind
  }

  private static func samples(_ node: YAMLNode) throws(YAMLError) -> [Sample] {
    guard case .list(let items) = node.content else {
      throw node.error("expected a list of samples, found \(node.kind)")
    }
    return try items.map { item throws(YAMLError) -> Sample in
      guard case .keys(let entries) = item.content, let line = item["line"] else {
        throw item.error("expected a sample with the key line, and the fields of its push")
      }
      let others = entries.filter { $0.key.text != "line" }
      let fields = try others.map { key, value throws(YAMLError) -> (name: String, value: String) in
        guard let name = key.text, Sample.names.contains(name) else {
          throw key.error("expected line or \(Sample.names.joined(separator: ", ")), found \(key.kind)")
        }
        return (name, try value.wantedText())
      }
      return Sample(line: try line.wantedText(), fields: fields)
    }
  }
}

extension YAMLNode {
  fileprivate func wantedText() throws(YAMLError) -> String {
    guard let text, !isNothing else { throw error("expected a text, found \(kind)") }
    return text
  }
}

/// The samples of forms are read as lines of a log.
extension LineForm.Sample {
  /// Fields, by the names of the columns of pushes.
  static let names = ["token", "status", "reason", "timestamp_ms", "timestamp", "apns_id", "topic"]

  /// What is read of the line: the fields of each push, and what reads it.
  private func read(_ options: LogOptions) -> [(fields: [String: String], reader: String)] {
    let decoder = LogDecoder(options)
    let bytes = Array((line + "\n").utf8)
    var found: [(fields: [String: String], reader: String)] = []
    while let step = decoder.next(in: bytes.span.bytes) {
      guard case .record(.push) = step else { continue }
      var fields = decoder.withTexts { Self.texts(of: decoder.fields, in: $0) }
      fields["timestamp"] = decoder.report.map { "\($0.time)" }
      found.append((fields, decoder.counts.first?.reader ?? ""))
    }
    return found
  }

  private static func texts(of fields: PushFields, in texts: RawSpan) -> [String: String] {
    var found: [String: String] = [:]
    found["token"] = fields[.token].map { Hex.string($0.map { texts.byte(at: $0) }) }
    found["status"] = fields.status.map { "\($0)" }
    found["timestamp_ms"] = fields.timestamp.map { "\($0)" }
    for (name, field) in [("reason", PushFields.Text.reason), ("apns_id", .apnsID), ("topic", .topic)] {
      found[name] = fields[field].map { String(decoding: $0.map { texts.byte(at: $0) }, as: UTF8.self) }
    }
    return found
  }

  /// Whether the form reads its line as it says; else what is read.
  /// - Parameter forms: those that a log is read with, in their order.
  package func message(of form: LineForm, among forms: [LineForm]) -> Message? {
    var options = LogOptions()
    (options.hasBuiltInForms, options.kind) = (false, form.kind)
    options.forms = forms.filter { $0.kind == form.kind }
    let found = read(options)
    guard let first = found.first else { return "the pattern does not match, or what it finds is no push" }
    if first.reader != form.name { return "\(first.reader) reads the line first" }
    if found.count > 1 { return "the line has \(found.count) pushes, and the sample names one" }
    for name in Self.names {
      let (wanted, value) = (fields.first { $0.name == name }?.value, first.fields[name])
      guard wanted != value else { continue }
      return "\(name) is \(value ?? "missing"), expected \(wanted ?? "none")"
    }
    return nil
  }
}
