import Corpus
import StreamInputs
import WireBytes
import Yams

/// A `case.yml`: YAML, and small.
enum CaseFile {
  /// More sizes of chunks are a fault: they are held in memory.
  private static let maxChunks = 100_000

  /// What the file says.
  static func description(in file: Input) throws(MappingError) -> CaseDescription {
    let name = file.name
    let bytes: [UInt8]
    do {
      bytes = try InputFile.content(of: file, limit: MappingFile.maxSize)
    } catch {
      throw MappingError("\(name): \(error.message)")
    }
    guard bytes.count <= MappingFile.maxSize else {
      throw MappingError(
        "\(name): expected a description of at most \(ByteSize.text(MappingFile.maxSize)), found more; shorten it"
      )
    }
    return try description(of: bytes, name: name)
  }

  /// - Parameter name: how messages name the file.
  static func description(of bytes: [UInt8], name: String) throws(MappingError) -> CaseDescription {
    guard let root = try MappingFile.tree(of: bytes, name: name) else {
      throw MappingError(
        "\(name): expected the keys shows and origin, found nothing; docs/corpora.md has an example")
    }
    var nodes = CaseNodes(name: name)
    try nodes.read(root)
    return nodes.description
  }

  /// Reads the tree of a `case.yml`.
  private struct CaseNodes {
    let name: String
    var description = CaseDescription()
    private var seen: Set<CaseDescription.Key> = []

    init(name: String) { self.name = name }

    mutating func read(_ root: Node) throws(MappingError) {
      guard case .mapping(let entries) = root else {
        throw mistake(root, "the keys shows and origin", kind(root), "docs/corpora.md has an example")
      }
      for (key, value) in entries { try read(key, value) }
      for key in CaseDescription.Key.allCases where key.isRequired && !seen.contains(key) {
        throw mistake(
          root, "the key \(key.rawValue)", "none",
          key == .shows ? "say in a sentence what the case shows" : "say where its bytes come from")
      }
    }

    private mutating func read(_ key: Node, _ value: Node) throws(MappingError) {
      let names = CaseDescription.Key.allCases.map(\.rawValue)
      guard case .scalar(let scalar) = key else {
        throw mistake(key, "one of \(names.joined(separator: ", "))", kind(key), "write a key")
      }
      guard let known = CaseDescription.Key(rawValue: scalar.string) else {
        throw mistake(
          key, "one of \(names.joined(separator: ", "))", "'\(scalar.string.shortened)'",
          "the nearest is \(CommandNames.nearest(to: scalar.string.shortened, of: names))")
      }
      guard seen.insert(known).inserted else {
        throw mistake(key, "each key once", "'\(known.rawValue)' again", "leave one of them out")
      }
      switch known {
      case .shows: description.shows = try text(value, known)
      case .origin: description.origin = try text(value, known)
      case .options: description.options = try words(value, known)
      case .covers: description.covers = try words(value, known)
      case .chunks: description.chunks = try sizes(value)
      }
    }

    private func text(_ node: Node, _ key: CaseDescription.Key) throws(MappingError) -> String {
      guard case .scalar(let scalar) = node, scalar.string.contains(where: { !$0.isWhitespace }) else {
        throw mistake(node, "a text for \(key.rawValue)", kind(node), "write \(key.rawValue): and a sentence")
      }
      return scalar.string
    }

    private func words(_ node: Node, _ key: CaseDescription.Key) throws(MappingError) -> [String] {
      var words: [String] = []
      for item in try items(node, key) {
        guard case .scalar(let scalar) = item else {
          throw mistake(
            item, "a word of \(key.rawValue)", kind(item), "write a list of words, as in [one, two]")
        }
        words.append(scalar.string)
      }
      return words
    }

    private func sizes(_ node: Node) throws(MappingError) -> [Int] {
      var sizes: [Int] = []
      for item in try items(node, .chunks) {
        guard case .scalar(let scalar) = item, let size = Int(scalar.string), size > 0 else {
          throw mistake(item, "a size of 1 byte or more", kind(item), "write chunks as in [38, 100]")
        }
        guard sizes.count < CaseFile.maxChunks else {
          throw mistake(
            item, "at most \(CaseFile.maxChunks) sizes", "more", "they are used in turn: shorten the list")
        }
        sizes.append(size)
      }
      return sizes
    }

    private func items(_ node: Node, _ key: CaseDescription.Key) throws(MappingError) -> Node.Sequence {
      guard case .sequence(let items) = node else {
        throw mistake(
          node, "a list for \(key.rawValue)", kind(node),
          "write \(key.rawValue): [one, two], or a line - each")
      }
      return items
    }

    // MARK: - Mistakes

    private func mistake(
      _ node: Node, _ expected: String, _ found: String, _ remedy: String
    ) -> MappingError {
      MappingError(
        "\(MappingNodes.place(in: name, node.mark)): expected \(expected), found \(found); \(remedy)")
    }

    private func kind(_ node: Node) -> String { MappingNodes.kind(node) }
  }
}
