import Foundation

/// A public capture of Tests/Fixtures/captures, and what an independent reassembly found in it (manifest.json).
package struct CaptureFixture: Decodable, Sendable, CustomStringConvertible {
  package struct Reference: Decodable, Sendable {
    package var packets: Int
    package var directions: [Direction]
  }

  package struct Direction: Decodable, Equatable, Sendable {
    package var src: String
    package var dst: String
    package var firstPacket: Int
    package var synSeen: Bool
    package var bytes: Int
    package var sha256: String
    package var gapsOffsetLen: [[Int]]
    package var duplicateBytes: Int
    package var conflictingBytes: Int
  }

  private struct Manifest: Decodable { var files: [CaptureFixture] }

  package var file: String
  package var reference: Reference
  /// Result of libpcap 1.10.3 when the manifest was made.
  package var libpcap1103: String

  package var description: String { file }
  package var bytes: [UInt8] { get throws { Array(try Fixtures.data("captures/\(file)")) } }

  package static let all: [CaptureFixture] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = try? Fixtures.data("captures/manifest.json")
    return data.flatMap { try? decoder.decode(Manifest.self, from: $0).files } ?? []
  }()
}
