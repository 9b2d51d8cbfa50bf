import Yams

/// Reads the tree of a mapping file into a draft.
///
/// It takes the text of a scalar as it stands there: `no`, `0` and `false` are values of somebody's column.
struct MappingNodes {
  /// The file's name, as messages begin.
  let name: String
  private(set) var draft = MappingDraft()

  init(name: String) { self.name = name }

  mutating func read(_ root: Node) throws(MappingError) {
    draft.start = place(root)
    guard case .mapping(let entries) = root else {
      throw MappingError(
        "\(place(root)): expected keys such as \(MappingSection.table.example), found \(Self.kind(root)); "
          + "docs/stores.md (Your own table) has an example")
    }
    for (key, value) in entries {
      let name = try text(of: key)
      guard let section = MappingSection(rawValue: name) else {
        throw unknown(name, at: key, of: MappingSection.allCases.map(\.rawValue))
      }
      guard draft.sections.updateValue(place(value), forKey: section) == nil else {
        throw Self.duplicate(name, at: place(key))
      }
      try read(value, as: section)
    }
  }

  private mutating func read(_ node: Node, as section: MappingSection) throws(MappingError) {
    switch node {
    case .mapping(let entries) where !section.parts.isEmpty: try read(entries, as: section)
    case .scalar(let scalar) where !Self.isNothing(scalar):
      try read(MappingValue(text: scalar.string, place: place(node)), as: section)
    default: throw wrongKind(node, section)
    }
  }

  /// What a section is where a single text stands in it.
  private mutating func read(_ value: MappingValue, as section: MappingSection) throws(MappingError) {
    switch section {
    case .table: try draft.setTable(value)
    case .app: draft[.app] = value
    case .action: draft[.action] = value
    case .environment: draft[.environmentColumn] = value
    case .registered where value.text == MappingChoices.none: draft[.registered] = value
    case .registered, .token, .invalidated, .flag:
      throw MappingError(
        "\(value.place): expected keys below \(section.rawValue), found '\(value.text.shortened)'; write "
          + section.example + (section == .registered ? ", or registered: none" : ""))
    }
  }

  private mutating func read(
    _ entries: Node.Mapping, as section: MappingSection
  ) throws(MappingError) {
    for (key, value) in entries {
      let name = try text(of: key)
      guard let part = section.parts.first(where: { $0.part == name }) else {
        throw unknown("\(section.rawValue).\(name)", at: key, of: section.parts.map(\.rawValue))
      }
      guard draft[part] == nil else { throw Self.duplicate(part.rawValue, at: place(key)) }
      guard case .scalar(let scalar) = value, !Self.isNothing(scalar) else {
        throw MappingError(
          "\(place(value)): expected \(part.expectation) for \(part.rawValue), found \(Self.kind(value)); write "
            + section.example)
      }
      draft[part] = MappingValue(text: scalar.string, place: place(value))
    }
  }

  // MARK: - Places and mistakes

  private func text(of key: Node) throws(MappingError) -> String {
    guard case .scalar(let scalar) = key else {
      throw MappingError(
        "\(place(key)): expected a key, found \(Self.kind(key)); write keys as in \(MappingSection.table.example)"
      )
    }
    return scalar.string
  }

  private func place(_ node: Node) -> String { Self.place(in: name, node.mark) }

  static func place(in name: String, _ mark: Mark?) -> String {
    mark.map { "\(name): line \($0.line), column \($0.column)" } ?? name
  }

  static func duplicate(_ key: String, at place: String) -> MappingError {
    MappingError("\(place): expected each key once, found '\(key.shortened)' again; leave one of them out")
  }

  private func unknown(_ key: String, at node: Node, of keys: [String]) -> MappingError {
    MappingError(
      "\(place(node)): expected one of \(keys.joined(separator: ", ")), found '\(key.shortened)'; the nearest is "
        + "\(CommandNames.nearest(to: key.shortened, of: keys))")
  }

  private func wrongKind(_ node: Node, _ section: MappingSection) -> MappingError {
    let expected = section.parts.isEmpty ? "a single text" : "a text or keys"
    return MappingError(
      "\(place(node)): expected \(expected) for \(section.rawValue), found \(Self.kind(node)); write "
        + section.example)
  }

  /// A key with nothing behind it. An empty text is written in quotes.
  private static func isNothing(_ scalar: Node.Scalar) -> Bool {
    scalar.string.isEmpty && scalar.style == .plain
  }

  static func kind(_ node: Node) -> String {
    switch node {
    case .scalar(let scalar): isNothing(scalar) ? "nothing" : "'\(scalar.string.shortened)'"
    case .mapping: "keys"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}
