import Basics

/// The keys that signed the tokens of providers (docs/spec/pushes.md#provider-tokens). Signatures are not kept.
package struct ProviderKeys: Equatable, Sendable {
  package struct Key: Equatable, Sendable {
    /// `kid` and `iss` of its tokens; nil if they have none.
    package var id: String?
    package var team: String?
    package fileprivate(set) var pushes = 0
    /// When its tokens were issued, in seconds since 1970: ascending, each once.
    fileprivate var issued: [Int] = []

    /// The number of tokens, as far as they have different times.
    package var tokens: Int { issued.count }

    /// Seconds; nil unless there are several tokens.
    package var shortestInterval: Int? { zip(issued.dropFirst(), issued).map { $0 &- $1 }.min() }
  }

  private static let mostKeys = 100
  /// The most tokens of a key that are counted.
  package static let mostTokens = 10_000
  private static let longestName = 64

  package var keys: [Key] = []
  /// Pushes with another token: it cannot be read, or there are too many keys.
  package private(set) var others = 0

  package init() {}

  mutating func countPush(of key: Int?) {
    if let key { keys[key].pushes &+= 1 } else { others &+= 1 }
  }

  /// Adds a token, unless it is known.
  /// - Parameter authorization: the value of the header field.
  /// - Returns: the index of its key; nil if the token cannot be read, or there are too many keys.
  mutating func add(_ authorization: [UInt8]) -> Int? {
    let parts = authorization.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, case let words = parts[0].split(separator: UInt8(ascii: " ")), words.count == 2,
      words[0].map({ $0 | 0x20 }).elementsEqual("bearer".utf8),
      let header = Self.object(in: words[1]), let claims = Self.object(in: parts[1])
    else { return nil }
    let (id, team) = (Self.name(header["kid"]), Self.name(claims["iss"]))
    let known = keys.firstIndex { $0.id == id && $0.team == team }
    guard let index = known ?? (keys.count < Self.mostKeys ? keys.count : nil) else { return nil }
    if known == nil { keys.append(Key(id: id, team: team)) }
    if let time = claims["iat"]?.intValue, keys[index].issued.count < Self.mostTokens {
      let next = keys[index].issued.firstIndex { $0 >= time } ?? keys[index].issued.count
      if next == keys[index].issued.count || keys[index].issued[next] != time {
        keys[index].issued.insert(time, at: next)
      }
    }
    return index
  }

  private static func object(in text: ArraySlice<UInt8>) -> JSONValue? {
    var bytes = [UInt8](repeating: 0, count: text.count)
    let count = text.withUnsafeBytes { text in
      bytes.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.flatMap { Base64.decode(text, to: $0) }
      }
    }
    return count.flatMap { try? JSONReader.value(of: bytes[..<$0]) }
  }

  private static func name(_ value: JSONValue?) -> String? {
    value?.stringValue.flatMap { $0.utf8.count <= longestName ? $0 : nil }
  }
}
