import Basics
import Foundation
import TestSupport
import Testing

/// A stream of Tests/Fixtures/apns-vectors.json with its expected contents.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
  /// The members depend on the kind.
  struct Expected: Decodable, Sendable {
    var tuples: [Tuple]?
    /// The error of a client, for a stream that cannot be decoded.
    var error: String?
    /// Hex digits.
    var token: String?
    var payload: String?
    var identifier: Int?
    /// Command 1's.
    var expiry: Int?
    /// Command 2's.
    var expiration: Int?
    var priority: Int?
    var items: [Item]?
    var command: Int?
    var status: Int?
    var statusText: String?
    var validCommand: Bool?
  }
  struct Tuple: Decodable, Sendable {
    var timestamp: Int
    var token: String
  }
  struct Item: Decodable, Sendable {
    var id: Int
    /// Hex digits.
    var data: String
  }

  var id: String
  var kind: String
  var hex: String
  var chunks: [Int]?
  var expected: Expected

  var bytes: [UInt8] { Hex.bytes(hex) ?? [] }
  var testDescription: String { id }

  private struct File: Decodable {
    var vectors: [Vector]
  }

  static let all: [Vector] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let data = try? Fixtures.data("apns-vectors.json") else { return [] }
    return (try? decoder.decode(File.self, from: data).vectors) ?? []
  }()

  /// Ciphertext, which is not decoded.
  static let ciphertext = "feedback-013"
  static let tuples = all.filter { $0.kind == "feedback" && $0.id != ciphertext }
  static let requests = all.filter { $0.kind.hasPrefix("cmd") }
  static let responses = all.filter { $0.kind == "error" }
}
