import Foundation

/// A recorded TLS connection of Tests/Fixtures/tls, as its README describes the files.
package struct FlowFile: Sendable {
  /// A line each.
  package let lines: [(key: String, value: String)]

  package static let directory = Fixtures.url("tls")

  package init(_ name: String) {
    let content = (try? String(contentsOf: Self.directory.appending(path: name), encoding: .utf8)) ?? ""
    lines = content.split(separator: "\n").compactMap { line in
      line.firstIndex(of: ":").map { colon in
        (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
      }
    }
  }

  /// The names of all, or of those in a folder.
  package static func names(in folder: String = ".") -> [String] {
    let directory = directory.appending(path: folder).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasSuffix(".flow") }.sorted().map { "\(folder)/\($0)" }
  }

  package func values(_ key: String) -> [String] { lines.filter { $0.key == key }.map(\.value) }

  /// Hex as bytes.
  package func bytes(_ key: String) -> [UInt8] { values(key).flatMap { TestHex.bytes($0) } }

  /// What was sent, in its order: by the client (key `c`), or the server (`s`).
  package func chunks(_ prefix: String = "") -> [(isClient: Bool, bytes: [UInt8])] {
    lines.filter { $0.key == "\(prefix)c" || $0.key == "\(prefix)s" }
      .map { ($0.key.hasSuffix("c"), TestHex.bytes($0.value)) }
  }
}
