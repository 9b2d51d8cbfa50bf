import Foundation

/// What readers that were written from the articles, not from our models, made of a stream (Tests/Fixtures/readers.json).
package struct ReaderFixture: Decodable, Sendable, CustomStringConvertible {
  package struct Result: Decodable, Sendable {
    /// Reported records as `time,token`.
    package var said: [String]
    package var outcome: String
    package var correct: Int
    package var missed: Int
    package var difference: Int?
  }

  /// In hex.
  package var stream: String
  /// Offset and token length of each true tuple.
  package var tuples: [[Int]]
  package var ends: [Int]?
  package var sizes: [Int]?
  package var readers: [String: Result]

  package var bytes: [UInt8] { TestHex.bytes(stream) }
  package var description: String { "\(stream) at \(ends ?? sizes ?? [])" }

  package static let all: [ReaderFixture] = ReaderFixtures.stored?.feedback ?? []
}

/// The same of a stream of error responses under `php`.
package struct ResponseFixture: Decodable, Sendable, CustomStringConvertible {
  package var stream: String
  /// Offset, status and identifier of each true response.
  package var responses: [[Int]]
  package var ends: [Int]
  package var said: [String]
  package var correct: Int
  package var missed: Int
  package var difference: Int?

  package var bytes: [UInt8] { TestHex.bytes(stream) }
  package var description: String { "\(stream) at \(ends)" }

  package static let all: [ResponseFixture] = ReaderFixtures.stored?.responses ?? []
}

private struct ReaderFixtures: Decodable {
  var feedback: [ReaderFixture]
  var responses: [ResponseFixture]

  static let stored = try? JSONDecoder().decode(Self.self, from: Fixtures.data("readers.json"))
}
