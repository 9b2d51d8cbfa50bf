import Platform
import StreamInputs
import WireBytes
import YAML
import Yams

/// A `case.yml`: YAML, and small.
package enum CaseFile {
  /// More sizes of chunks are a fault: they are held in memory.
  private static let maxChunks = 100_000

  /// What the file says.
  package static func description(in file: Input) throws(YAMLMistake) -> CaseDescription {
    let name = file.name
    let bytes: [UInt8]
    do {
      bytes = try InputFile.content(of: file, limit: YAMLText.maxSize)
    } catch {
      throw YAMLMistake("\(name): \(error.message)")
    }
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLMistake(
        "\(name): expected a description of at most \(ByteSize.text(YAMLText.maxSize)), found more; shorten it"
      )
    }
    return try description(of: bytes, name: name)
  }

  /// - Parameter name: how messages name the file.
  package static func description(of bytes: [UInt8], name: String) throws(YAMLMistake) -> CaseDescription {
    guard let root = try YAMLText.tree(of: bytes, name: name) else {
      throw YAMLMistake(
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

    mutating func read(_ root: Node) throws(YAMLMistake) {
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

    private mutating func read(_ key: Node, _ value: Node) throws(YAMLMistake) {
      let names = CaseDescription.Key.allCases.map(\.rawValue)
      guard case .scalar(let scalar) = key else {
        throw mistake(key, "one of \(names.joined(separator: ", "))", kind(key), "write a key")
      }
      guard let known = CaseDescription.Key(rawValue: scalar.string) else {
        throw mistake(
          key, "one of \(names.joined(separator: ", "))", "'\(scalar.string.shortened)'",
          "the nearest is \(Spelling.nearest(to: scalar.string.shortened, of: names))")
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

    private func text(_ node: Node, _ key: CaseDescription.Key) throws(YAMLMistake) -> String {
      guard case .scalar(let scalar) = node, scalar.string.contains(where: { !$0.isWhitespace }) else {
        throw mistake(node, "a text for \(key.rawValue)", kind(node), "write \(key.rawValue): and a sentence")
      }
      return scalar.string
    }

    private func words(_ node: Node, _ key: CaseDescription.Key) throws(YAMLMistake) -> [String] {
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

    private func sizes(_ node: Node) throws(YAMLMistake) -> [Int] {
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

    private func items(_ node: Node, _ key: CaseDescription.Key) throws(YAMLMistake) -> Node.Sequence {
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
    ) -> YAMLMistake {
      YAMLMistake(
        "\(YAMLText.place(in: name, node.mark)): expected \(expected), found \(found); \(remedy)")
    }

    private func kind(_ node: Node) -> String { YAMLText.kind(node) }
  }
}

/// What `case.yml` says of a case.
package struct CaseDescription: Equatable, Sendable {
  /// What the case shows, in a sentence.
  package var shows = ""
  /// Where its bytes come from, and under which licence they are.
  package var origin = ""
  /// Options of `export`, word by word.
  package var options: [String] = []
  /// Sizes in bytes of the reads in which a dump came, used in turn and again from the top; without any, reads
  /// are of 4096 bytes. Captures have their segments.
  package var chunks: [Int] = []
  /// Labels of the rules and faults that it covers.
  package var covers: [String] = []

  package init() {}

  /// The keys of the file, in the order in which they are explained.
  package enum Key: String, CaseIterable, Sendable {
    case shows, origin, options, chunks, covers

    package var isRequired: Bool { self == .shows || self == .origin }
  }
}

/// The files of a case.
package enum CaseFiles {
  package static let description = "case.yml"
  package static let expectation = "expected.ndjson"
  /// What names of inputs begin with.
  package static let inputPrefix = "input."
}

/// A directory of a corpus that is a case, or is to be one, with the parts that it has.
package struct CaseDirectory: Sendable {
  /// The path relative to the directory that was named.
  package var name: String
  /// The path as the system takes it, NUL-terminated: not every name is UTF-8.
  package var path: [CChar]
  package var hasDescription = false
  package var hasExpectation = false
  /// Names, NUL-terminated and in byte order, of the files whose name begins with `input.`.
  package var inputs: [[CChar]] = []

  package init(name: String, path: [CChar]) {
    self.name = name
    self.path = path
  }

  /// The NUL-terminated path of one of its files.
  package func path(of file: [CChar]) -> [CChar] {
    path.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + file
  }

  package func path(of file: String) -> [CChar] { path(of: Array(file.utf8CString)) }
}

/// Why a case cannot be verified: one sentence without its full stop, that says what to do.
package struct BrokenCase: Error {
  package var message: String
  package init(_ message: String) { self.message = message }
}

extension CaseDirectory {
  /// One of its files, which is no pipe: that might never end, or never begin.
  package func input(_ name: String) throws(BrokenCase) -> Input { try input(name, Array(name.utf8CString)) }

  /// - Parameter file: the NUL-terminated name as the system has it.
  package func input(_ name: String, _ file: [CChar]) throws(BrokenCase) -> Input {
    let path = path(of: file)
    guard let kind = DirectoryEntry.kind(of: path, followingLinks: true) else {
      throw BrokenCase("expected the file \(name), found that it cannot be opened: \(SystemError.text())")
    }
    guard kind == S_IFREG else {
      throw BrokenCase("expected \(name) to be a file, found something else; put the bytes into a file")
    }
    return Input(name, path: path)
  }
}
