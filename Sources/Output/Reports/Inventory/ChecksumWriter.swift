import Analysis
import Basics

/// Writes the SHA-256 of files as sha256sum(1) does, which verifies them with `-c`.
package final class ChecksumWriter: EvidenceSink {
  private let output: OutputBuffer
  /// Inputs without a line: pipes and the like, which cannot be read again.
  package private(set) var leftOut = 0

  package init(_ output: OutputBuffer) { self.output = output }

  package var needs: EvidenceNeeds { .inventory }

  package func inputEnded(_ input: InputRecord) throws {
    guard let digest = input.digests[.sha256] else { return }
    guard let path = input.path, input.isFile else {
      leftOut += 1
      return
    }
    try output.append(Self.line(digest, path: path.dropLast().map { UInt8(bitPattern: $0) }))
  }

  /// A line for the file at `path`. If its name has a backslash or a line end, they are escaped, and the line begins
  /// with a backslash.
  static func line(_ digest: String, path: [UInt8]) -> [UInt8] {
    let name = escaped(path)
    let mark = name.count > path.count ? "\\" : ""
    return Array("\(mark)\(digest)  ".utf8) + name + [UInt8(ascii: "\n")]
  }

  static func escaped(_ path: [UInt8]) -> [UInt8] {
    path.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "\\"): Array("\\\\".utf8)
      case UInt8(ascii: "\n"): Array("\\n".utf8)
      case UInt8(ascii: "\r"): Array("\\r".utf8)
      default: [byte]
      }
    }
  }
}

extension InputRecord {
  /// Whether it is a regular file, or a link to one: it can be read again.
  var isFile: Bool { status?.kind == .file || status?.kind == .link && status?.size != nil }
}
