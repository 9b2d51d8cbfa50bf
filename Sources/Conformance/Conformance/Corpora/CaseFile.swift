import Basics
import StreamInputs
import YAML

/// Parses a `case.yml`.
package enum CaseFile {
  package static func description(in file: Input) throws(YAMLError) -> CaseDescription {
    let name = file.name
    let bytes: [UInt8]
    do {
      bytes = try InputFile.content(of: file, limit: YAMLText.maxSize)
    } catch {
      throw YAMLError(.about(name, error.message))
    }
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLError(
        .about(name, "the description is larger than \(ByteSize.text(YAMLText.maxSize)); shorten it"))
    }
    return try description(of: bytes, name: name)
  }

  /// - Parameter name: how messages name the file.
  package static func description(of bytes: [UInt8], name: String) throws(YAMLError) -> CaseDescription {
    guard let root = try YAMLText.tree(of: bytes, name: name) else {
      throw YAMLError(.about(name, "is empty; it needs the keys shows and origin, see docs/corpora.md"))
    }
    guard case .keys(let entries) = root.content else {
      throw root.error("expected the keys shows and origin, found \(root.kind); see docs/corpora.md")
    }
    var description = CaseDescription()
    for (key, value) in entries { try description.read(key, value) }
    for (key, text, remedy) in [
      ("shows", description.shows, "describe in a sentence what the case shows"),
      ("origin", description.origin, "state the source of its bytes"),
    ] where text.isEmpty {
      throw root.error("expected the key \(key), found none; \(remedy)")
    }
    return description
  }
}

extension CaseDescription {
  fileprivate mutating func read(_ key: YAMLNode, _ value: YAMLNode) throws(YAMLError) {
    let names = CaseKey.allCases.map(\.rawValue)
    guard let name = key.text else {
      throw key.error("expected one of \(names.joined(separator: ", ")), found \(key.kind); write a key")
    }
    guard let known = CaseKey(rawValue: name) else {
      let nearest = Spelling.nearest(to: name.shortened, of: names)
      throw key.error(
        "expected one of \(names.joined(separator: ", ")), found '\(name.shortened)'; the nearest is "
          + "\(nearest)")
    }
    switch known {
    case .shows: shows = try text(value, known)
    case .origin: origin = try text(value, known)
    case .options: options = try words(value, known)
    case .covers: covers = try words(value, known)
    case .chunks: chunks = try sizes(value)
    }
  }

  private func text(_ node: YAMLNode, _ key: CaseKey) throws(YAMLError) -> String {
    guard let text = node.text, text.contains(where: { !$0.isWhitespace }) else {
      throw node.error(
        "expected a text for \(key.rawValue), found \(node.kind); write \(key.rawValue): and a sentence")
    }
    return text
  }

  private func words(_ node: YAMLNode, _ key: CaseKey) throws(YAMLError) -> [String] {
    try items(node, key).map { item throws(YAMLError) in
      guard let word = item.text else {
        throw item.error(
          "expected a word of \(key.rawValue), found \(item.kind); write a list of words, as in [one, two]")
      }
      return word
    }
  }

  private func sizes(_ node: YAMLNode) throws(YAMLError) -> [Int] {
    try items(node, .chunks).enumerated().map { index, item throws(YAMLError) in
      guard let size = item.text.flatMap({ Int($0) }), size > 0 else {
        throw item.error(
          "expected a size of 1 byte or more, found \(item.kind); write chunks as in [38, 100]")
      }
      guard index < Self.maxChunks else {
        throw item.error(
          "expected at most \(Self.maxChunks) sizes, found more; they are repeated in turn: shorten the list")
      }
      return size
    }
  }

  private func items(_ node: YAMLNode, _ key: CaseKey) throws(YAMLError) -> [YAMLNode] {
    guard case .list(let items) = node.content else {
      throw node.error(
        "expected a list for \(key.rawValue), found \(node.kind); write \(key.rawValue): [one, two], "
          + "or one line with - for each")
    }
    return items
  }
}

/// The contents of a `case.yml`.
package struct CaseDescription: Equatable, Sendable {
  /// Limit of chunk sizes, which are kept in memory.
  private static let maxChunks = 100_000

  /// The purpose of the case, in a sentence.
  package var shows = ""
  /// The source of its bytes, and their licence.
  package var origin = ""
  /// Options of `export`, one word per element.
  package var options: [String] = []
  /// Chunk sizes of a dump in bytes, used in turn and repeated; empty means chunks of 4096 bytes. The chunks of a
  /// capture are its segments.
  package var chunks: [Int] = []
  /// Labels of the rules and errors that the case covers.
  package var covers: [String] = []

  /// The keys of the file, in the order of the documentation.
  package enum CaseKey: String, CaseIterable, Sendable { case shows, origin, options, chunks, covers }
}

package enum CaseFiles {
  package static let description = "case.yml"
  package static let expectation = "expected.ndjson"
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

  /// The NUL-terminated path of one of its files.
  package func path(of file: [CChar]) -> [CChar] { DirectoryEntry.path(of: file, in: path) }
  package func path(of file: String) -> [CChar] { path(of: Array(file.utf8CString)) }

  /// One of its files. Pipes are refused, because they might block.
  /// - Parameter file: the NUL-terminated name as bytes; nil for those of `name`.
  package func input(_ name: String, _ file: [CChar]? = nil) throws(CommandError) -> Input {
    let path = path(of: file ?? Array(name.utf8CString))
    guard let kind = DirectoryEntry.kind(of: path, followingLinks: true) else {
      throw CommandError(.cannotOpen(name, SystemError.text()))
    }
    guard kind == S_IFREG else {
      throw CommandError("\(name) is not a regular file; put the bytes into a file")
    }
    return Input(name, path: path)
  }
}
