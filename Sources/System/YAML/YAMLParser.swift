import Basics
import CLibyaml

/// libyaml, loaded for the first text in YAML; nil if it is missing.
let loadedLibyaml = SharedLibrary(
  Libyaml(), libyaml_find, linux: ["libyaml-0.so.2"], macOS: ["lib/libyaml-0.2.dylib"]
).functions

/// Makes a tree of libyaml's events. It parses one text.
final class YAMLParser {
  /// The tree is built, and read, by recursion.
  private static let maxDepth = 1000

  private let libyaml: Libyaml
  private let name: String
  /// libyaml keeps its address.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  /// The nodes with a name for aliases.
  private var anchors: [String: YAMLNode] = [:]
  private var aliases = 0

  init(_ libyaml: Libyaml, name: String) throws(YAMLError) {
    self.libyaml = libyaml
    self.name = name
    parser.initialize(to: yaml_parser_t())
    guard libyaml.yaml_parser_initialize(parser) == 1 else { throw parserError }
  }

  deinit {
    libyaml.yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Nil if the text is empty.
  func tree(of bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
    try bytes.withUnsafeBufferPointer { input throws(YAMLError) in
      guard let start = input.baseAddress else { return nil }
      libyaml.yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      libyaml.yaml_parser_set_input_string(parser, start, input.count)
      return try document()
    }
  }

  private func document() throws(YAMLError) -> YAMLNode? {
    _ = try next { $0.type }
    guard try next({ $0.type }) != YAML_STREAM_END_EVENT else { return nil }
    let root = try node(depth: 0)
    _ = try next { $0.type }
    try next { event throws(YAMLError) in
      guard event.type == YAML_STREAM_END_EVENT else {
        throw error("a second document begins here; write each to a file of its own", event.start_mark)
      }
    }
    return root
  }

  // MARK: - Events

  private func next<Result>(_ use: (yaml_event_t) throws(YAMLError) -> Result) throws(YAMLError) -> Result {
    var event = yaml_event_t()
    guard libyaml.yaml_parser_parse(parser, &event) == 1 else { throw parserError }
    defer { libyaml.yaml_event_delete(&event) }
    return try use(event)
  }

  /// Nil at the end of a list, or of keys.
  private func node(depth: Int) throws(YAMLError) -> YAMLNode? {
    try next { event throws(YAMLError) in
      guard depth <= Self.maxDepth else { throw unreadable("nested too deeply", event.start_mark) }
      switch event.type {
      case YAML_ALIAS_EVENT: return try target(of: event)
      case YAML_SCALAR_EVENT: return scalar(event)
      case YAML_SEQUENCE_START_EVENT:
        return keep(.list(try items(depth: depth + 1)), event.data.sequence_start.anchor, event)
      case YAML_MAPPING_START_EVENT:
        return keep(.keys(try entries(depth: depth + 1)), event.data.mapping_start.anchor, event)
      default: return nil
      }
    }
  }

  private func target(of alias: yaml_event_t) throws(YAMLError) -> YAMLNode {
    aliases += 1
    guard aliases <= YAMLText.maxIndirections else {
      throw error(.yamlTooManyAliases(limit: YAMLText.maxIndirections), alias.start_mark)
    }
    guard let name = alias.data.alias.anchor, let node = anchors[String(cString: name)] else {
      throw unreadable("found undefined alias", alias.start_mark)
    }
    return node
  }

  private func scalar(_ event: yaml_event_t) -> YAMLNode {
    let scalar = event.data.scalar
    let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
    let isNothing = bytes.isEmpty && scalar.style == YAML_PLAIN_SCALAR_STYLE
    return keep(.text(String(decoding: bytes, as: UTF8.self)), scalar.anchor, event, isNothing: isNothing)
  }

  private func items(depth: Int) throws(YAMLError) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while let item = try node(depth: depth) { items.append(item) }
    return items
  }

  private func entries(depth: Int) throws(YAMLError) -> [(key: YAMLNode, value: YAMLNode)] {
    var entries: [(key: YAMLNode, value: YAMLNode)] = []
    while let key = try node(depth: depth), let value = try node(depth: depth) {
      entries.append((key, value))
    }
    try checkDuplicates(entries.map(\.key))
    return entries
  }

  /// The message names the first of them in the order of texts.
  private func checkDuplicates(_ keys: [YAMLNode]) throws(YAMLError) {
    let repeated = Dictionary(grouping: keys, by: \.text).compactMap { $1.count > 1 ? $0 : nil }
    guard let text = repeated.min(), let first = keys.first(where: { $0.text == text }) else { return }
    throw first.error("duplicate key '\(text.shortened)'; remove one of the two")
  }

  /// - Parameter anchor: the name by which later aliases mean the node; nil if it has none.
  private func keep(
    _ content: YAMLNode.Content, _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ event: yaml_event_t,
    isNothing: Bool = false
  ) -> YAMLNode {
    let node = YAMLNode(content: content, isNothing: isNothing, position: position(event.start_mark))
    if let anchor { anchors[String(cString: anchor)] = node }
    return node
  }

  // MARK: - Errors

  /// libyaml counts from 0.
  private func position(_ mark: yaml_mark_t) -> YAMLPosition {
    YAMLPosition(name: name, line: mark.line + 1, column: mark.column + 1)
  }

  private func error(_ problem: Message, _ mark: yaml_mark_t) -> YAMLError { position(mark).error(problem) }

  /// - Parameter problem: as libyaml words it.
  private func unreadable(_ problem: String, _ mark: yaml_mark_t) -> YAMLError {
    error("cannot be read as YAML: \(problem) (texts with special characters need quotes)", mark)
  }

  /// Why the last call failed: libyaml has words for all but a lack of memory.
  private var parserError: YAMLError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
    return unreadable(problem.shortened, parser.pointee.problem_mark)
  }
}
