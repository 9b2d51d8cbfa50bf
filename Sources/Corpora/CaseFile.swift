import Messages
import Platform
import StreamInputs
import YAML
import Yams

/// Parses a `case.yml`.
package enum CaseFile {
  /// Limit of chunk sizes, which are kept in memory.
  private static let maxChunks = 100_000

  package static func description(in file: Input) throws(YAMLError) -> CaseDescription {
    let name = file.name
    let bytes: [UInt8]
    do {
      bytes = try InputFile.content(of: file, limit: YAMLText.maxSize)
    } catch {
      throw YAMLError(.about(name, error.message))
    }
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLError(.about(name, .caseDescriptionTooLarge(YAMLText.maxSize)))
    }
    return try description(of: bytes, name: name)
  }

  /// - Parameter name: how messages name the file.
  package static func description(of bytes: [UInt8], name: String) throws(YAMLError) -> CaseDescription {
    guard let root = try YAMLText.tree(of: bytes, name: name) else {
      throw YAMLError(.about(name, .caseDescriptionEmpty))
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

    mutating func read(_ root: Node) throws(YAMLError) {
      guard case .mapping(let entries) = root else {
        throw mistake(root, .caseKeysExpected(found: kind(root)))
      }
      for (key, value) in entries { try read(key, value) }
      for key in CaseDescription.Key.allCases where key.isRequired && !seen.contains(key) {
        throw mistake(root, .caseKeyMissing(key.rawValue))
      }
    }

    private mutating func read(_ key: Node, _ value: Node) throws(YAMLError) {
      let names = CaseDescription.Key.allCases.map(\.rawValue)
      guard case .scalar(let scalar) = key else {
        throw mistake(key, .caseKeyExpected(known: names, found: kind(key)))
      }
      guard let known = CaseDescription.Key(rawValue: scalar.string) else {
        let name = scalar.string.shortened
        throw mistake(
          key, .unknownCaseKey(name, known: names, nearest: Spelling.nearest(to: name, of: names)))
      }
      guard seen.insert(known).inserted else {
        throw mistake(key, .caseKeyTwice(known.rawValue))
      }
      switch known {
      case .shows: description.shows = try text(value, known)
      case .origin: description.origin = try text(value, known)
      case .options: description.options = try words(value, known)
      case .covers: description.covers = try words(value, known)
      case .chunks: description.chunks = try sizes(value)
      }
    }

    private func text(_ node: Node, _ key: CaseDescription.Key) throws(YAMLError) -> String {
      guard case .scalar(let scalar) = node, scalar.string.contains(where: { !$0.isWhitespace }) else {
        throw mistake(node, .caseTextExpected(key.rawValue, found: kind(node)))
      }
      return scalar.string
    }

    private func words(_ node: Node, _ key: CaseDescription.Key) throws(YAMLError) -> [String] {
      var words: [String] = []
      for item in try items(node, key) {
        guard case .scalar(let scalar) = item else {
          throw mistake(item, .caseWordExpected(key.rawValue, found: kind(item)))
        }
        words.append(scalar.string)
      }
      return words
    }

    private func sizes(_ node: Node) throws(YAMLError) -> [Int] {
      var sizes: [Int] = []
      for item in try items(node, .chunks) {
        guard case .scalar(let scalar) = item, let size = Int(scalar.string), size > 0 else {
          throw mistake(item, .caseChunkExpected(found: kind(item)))
        }
        guard sizes.count < CaseFile.maxChunks else {
          throw mistake(item, .tooManyCaseChunks(CaseFile.maxChunks))
        }
        sizes.append(size)
      }
      return sizes
    }

    private func items(_ node: Node, _ key: CaseDescription.Key) throws(YAMLError) -> Node.Sequence {
      guard case .sequence(let items) = node else {
        throw mistake(node, .caseListExpected(key.rawValue, found: kind(node)))
      }
      return items
    }

    // MARK: - Mistakes

    private func mistake(_ node: Node, _ problem: Message) -> YAMLError {
      YAMLError(.about(YAMLText.location(in: name, node.mark), problem))
    }

    private func kind(_ node: Node) -> String { YAMLText.kind(node) }
  }
}

/// The contents of a `case.yml`.
package struct CaseDescription: Equatable, Sendable {
  /// The purpose of the case, in a sentence.
  package var shows = ""
  /// The source of its bytes, and their licence.
  package var origin = ""
  /// Options of `export`, one word per element.
  package var options: [String] = []
  /// Chunk sizes of a dump in bytes, used in turn and repeated; empty means chunks of 4096 bytes. The chunks of a
  /// capture are its segments.
  package var chunks: [Int] = []
  /// Labels of the rules and faults that the case covers.
  package var covers: [String] = []

  package init() {}

  /// The keys of the file, in the order of the documentation.
  package enum Key: String, CaseIterable, Sendable {
    case shows, origin, options, chunks, covers

    package var isRequired: Bool { self == .shows || self == .origin }
  }
}

/// The files of a case.
package enum CaseFiles {
  package static let description = "case.yml"
  package static let expectation = "expected.ndjson"
  /// The prefix of input names.
  package static let inputPrefix = "input."
}

/// A directory of a corpus that is a complete or incomplete case, with the files that it has.
package struct CaseDirectory: Sendable {
  /// The path relative to the directory on the command line.
  package var name: String
  /// The path as bytes, NUL-terminated, because a name need not be UTF-8.
  package var path: [CChar]
  package var hasDescription = false
  package var hasExpectation = false
  /// Names of the files that begin with `input.`, NUL-terminated and in byte order.
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

/// Why a case cannot be verified, with a remedy.
package struct CaseError: Error {
  package var message: Message
  package init(_ message: Message) { self.message = message }
}

extension CaseDirectory {
  /// One of its files. Pipes are refused, because they might block.
  package func input(_ name: String) throws(CaseError) -> Input { try input(name, Array(name.utf8CString)) }

  /// - Parameter file: the NUL-terminated name as bytes.
  package func input(_ name: String, _ file: [CChar]) throws(CaseError) -> Input {
    let path = path(of: file)
    guard let kind = DirectoryEntry.kind(of: path, followingLinks: true) else {
      throw CaseError(.cannotOpen(name, SystemError.text()))
    }
    guard kind == S_IFREG else {
      throw CaseError(.caseFileNotRegular(name))
    }
    return Input(name, path: path)
  }
}
