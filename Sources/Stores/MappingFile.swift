import PacketCapture
import Platform
import StreamInputs
import WireBytes
import YAML
import Yams

/// A mapping file: YAML, and small.
package enum MappingFile {
  /// What the file says.
  /// - Parameter path: a path, or `-` for standard input.
  package static func draft(at path: String) throws -> MappingDraft {
    do {
      return try draft(of: InputFile.content(of: Input(path), limit: YAMLText.maxSize), name: path)
    } catch let fault as InputFault {
      throw Failure("\(path): \(fault.message); it was to be read as --mapping")
    }
  }

  /// - Parameter name: how messages name the text.
  package static func draft(of bytes: [UInt8], name: String) throws(YAMLMistake) -> MappingDraft {
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLMistake(
        "\(name): expected a mapping of at most \(ByteSize.text(YAMLText.maxSize)), found more; name the file that maps a table"
      )
    }
    var nodes = MappingNodes(name: name)
    guard let root = try YAMLText.tree(of: bytes, name: name) else {
      throw YAMLMistake(
        "\(name): expected keys such as \(MappingSection.table.example), found nothing; docs/stores.md (Your own "
          + "table) has an example")
    }
    try nodes.read(root)
    return nodes.draft
  }
}

/// Reads the tree of a mapping file into a draft.
///
/// It takes the text of a scalar as it stands there: `no`, `0` and `false` are values of somebody's column.
struct MappingNodes {
  /// The file's name, as messages begin.
  let name: String
  private(set) var draft = MappingDraft()

  init(name: String) { self.name = name }

  mutating func read(_ root: Node) throws(YAMLMistake) {
    draft.start = place(root)
    guard case .mapping(let entries) = root else {
      throw YAMLMistake(
        "\(place(root)): expected keys such as \(MappingSection.table.example), found \(YAMLText.kind(root)); "
          + "docs/stores.md (Your own table) has an example")
    }
    for (key, value) in entries {
      let name = try text(of: key)
      guard let section = MappingSection(rawValue: name) else {
        throw unknown(name, at: key, of: MappingSection.allCases.map(\.rawValue))
      }
      guard draft.sections.updateValue(place(value), forKey: section) == nil else {
        throw YAMLText.duplicate(name, at: place(key))
      }
      try read(value, as: section)
    }
  }

  private mutating func read(_ node: Node, as section: MappingSection) throws(YAMLMistake) {
    switch node {
    case .mapping(let entries) where !section.parts.isEmpty: try read(entries, as: section)
    case .scalar(let scalar) where !YAMLText.isNothing(scalar):
      try read(MappingValue(text: scalar.string, place: place(node)), as: section)
    default: throw wrongKind(node, section)
    }
  }

  /// What a section is where a single text stands in it.
  private mutating func read(_ value: MappingValue, as section: MappingSection) throws(YAMLMistake) {
    switch section {
    case .table: try draft.setTable(value)
    case .app: draft[.app] = value
    case .action: draft[.action] = value
    case .environment: draft[.environmentColumn] = value
    case .registered where value.text == MappingChoices.none: draft[.registered] = value
    case .registered, .token, .invalidated, .flag:
      throw YAMLMistake(
        "\(value.place): expected keys below \(section.rawValue), found '\(value.text.shortened)'; write "
          + section.example + (section == .registered ? ", or registered: none" : ""))
    }
  }

  private mutating func read(
    _ entries: Node.Mapping, as section: MappingSection
  ) throws(YAMLMistake) {
    for (key, value) in entries {
      let name = try text(of: key)
      guard let part = section.parts.first(where: { $0.part == name }) else {
        throw unknown("\(section.rawValue).\(name)", at: key, of: section.parts.map(\.rawValue))
      }
      guard draft[part] == nil else { throw YAMLText.duplicate(part.rawValue, at: place(key)) }
      guard case .scalar(let scalar) = value, !YAMLText.isNothing(scalar) else {
        throw YAMLMistake(
          "\(place(value)): expected \(part.expectation) for \(part.rawValue), found \(YAMLText.kind(value)); write "
            + section.example)
      }
      draft[part] = MappingValue(text: scalar.string, place: place(value))
    }
  }

  // MARK: - Places and mistakes

  private func text(of key: Node) throws(YAMLMistake) -> String {
    guard case .scalar(let scalar) = key else {
      throw YAMLMistake(
        "\(place(key)): expected a key, found \(YAMLText.kind(key)); write keys as in \(MappingSection.table.example)"
      )
    }
    return scalar.string
  }

  private func place(_ node: Node) -> String { YAMLText.place(in: name, node.mark) }

  private func unknown(_ key: String, at node: Node, of keys: [String]) -> YAMLMistake {
    YAMLMistake(
      "\(place(node)): expected one of \(keys.joined(separator: ", ")), found '\(key.shortened)'; the nearest is "
        + "\(Spelling.nearest(to: key.shortened, of: keys))")
  }

  private func wrongKind(_ node: Node, _ section: MappingSection) -> YAMLMistake {
    let expected = section.parts.isEmpty ? "a single text" : "a text or keys"
    return YAMLMistake(
      "\(place(node)): expected \(expected) for \(section.rawValue), found \(YAMLText.kind(node)); write "
        + section.example)
  }
}
