import Foundation
import TestSupport
import Testing

/// The public captures of Tests/Fixtures/captures, as their manifest lists them.
struct CaptureFixture: Sendable, CustomTestStringConvertible {
  var name: String
  var packets: Int
  /// Result of libpcap 1.10.3 when the manifest was made.
  var libpcap: String

  var testDescription: String { name }
  var bytes: [UInt8] { get throws { Array(try Fixtures.data("captures/\(name)")) } }

  private struct Manifest: Decodable {
    struct File: Decodable {
      struct Reference: Decodable { var packets: Int }
      var file: String
      var reference: Reference
      var libpcap: String

      enum CodingKeys: String, CodingKey {
        case file, reference
        case libpcap = "libpcap_1_10_3"
      }
    }
    var files: [File]
  }

  static let all: [CaptureFixture] = {
    guard let data = try? Fixtures.data("captures/manifest.json"),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: data)
    else { return [] }
    return manifest.files.map {
      CaptureFixture(name: $0.file, packets: $0.reference.packets, libpcap: $0.libpcap)
    }
  }()
}
