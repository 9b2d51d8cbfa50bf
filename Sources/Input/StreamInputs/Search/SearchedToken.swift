import Basics
import PacketCapture

/// A token to search for, or its first hex digits.
package struct SearchedToken: Equatable, Sendable {
  /// Eight digits are found by chance once in 4 GiB of random bytes, seven would be in each 256 MiB.
  package static let digitCounts = 8...1024
  /// An even number of digits from here on is a whole token.
  static let wholeDigits = 32

  /// With an odd number of digits, the low half of the last one is 0.
  let bytes: [UInt8]
  let digits: Int

  /// The token that `text` is, in one of its forms.
  /// - Throws: an `InputError` with the column of the first byte that does not fit.
  package init(_ text: some Collection<UInt8>) throws(InputError) {
    let text = Array(text)
    let blank = text.prefix(while: ASCII.isBlank).count
    let word = text[blank..<(text.lastIndex { !ASCII.isBlank($0) }.map { $0 + 1 } ?? blank)]
    let even = word.count & 1 == 0 ? Array(word) : word + [UInt8(ascii: "0")]
    let hex = word.isEmpty ? nil : even.withUnsafeBytes { Hex.bytes($0) }
    guard let decoded = hex ?? TokenText.bytes(String(decoding: word, as: UTF8.self)) else {
      let wrong = word.firstIndex { Hex.value(ofDigit: $0) == nil && !"<> ".utf8.contains($0) }
      let found = wrong.map { "; found \(characterName(text[$0]))" } ?? ""
      throw InputError("expected \(Self.expected)\(found)", column: (wrong ?? blank) + 1)
    }
    (bytes, digits) = (decoded, hex == nil ? 2 * decoded.count : word.count)
    guard Self.digitCounts.contains(digits) else {
      throw InputError(
        "the token has \(Count.of(digits, "hex digit")); expected \(Self.digitCounts.lowerBound) to "
          + "\(Self.digitCounts.upperBound)", column: blank + 1)
    }
  }

  private static let expected: Message =
    "a token (\(TokenText.forms)), or its first \(digitCounts.lowerBound) hex digits or more"
}

/// The tokens of a search, by their numbers of digits, each once.
package struct SearchedTokens: Sendable {
  /// Tokens of one length, sorted, in one buffer.
  struct Group: Sendable {
    let digits: Int
    /// The index of its first token among all.
    fileprivate(set) var first = 0
    fileprivate(set) var bytes: [UInt8] = []

    var width: Int { (digits + 1) / 2 }
    var count: Int { bytes.count / width }
    var isWhole: Bool { digits >= SearchedToken.wholeDigits && digits & 1 == 0 }
    /// Whether they are long enough to be found by a few of their bytes.
    var isLong: Bool { digits >= SearchedToken.wholeDigits }

    /// The index among all tokens of the one whose bytes are at `bytes`; nil if it is not searched for.
    func index(of token: UnsafeRawPointer) -> Int? {
      bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return nil }
        var range = 0..<count
        while !range.isEmpty {
          let middle = range.lowerBound + range.count / 2
          let order = memcmp(base + middle * width, token, width)
          if order == 0 { return first + middle }
          range = order < 0 ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
      }
    }

    /// Sorts the tokens, and leaves copies out.
    fileprivate mutating func sort() {
      let width = width
      bytes = bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return [] }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(bytes.count)
        var last: UnsafeRawPointer?
        let starts = stride(from: 0, to: bytes.count, by: width).map { base + $0 }
        for token in starts.sorted(by: { memcmp($0, $1, width) < 0 }) {
          if let last, memcmp(last, token, width) == 0 { continue }
          sorted.append(contentsOf: UnsafeRawBufferPointer(start: token, count: width))
          last = token
        }
        return sorted
      }
    }
  }

  /// By their digits, ascending.
  private(set) var groups: [Group] = []
  package private(set) var count = 0
  /// The bytes of tokens that were added, by their digits.
  private var added: [Int: [UInt8]] = [:]

  package init(_ tokens: [SearchedToken] = []) {
    for token in tokens { add(token) }
    sort()
  }

  /// Adds a token; `sort` has to follow.
  private mutating func add(_ token: SearchedToken) { added[token.digits, default: []] += token.bytes }

  private mutating func sort() {
    for (digits, bytes) in added.sorted(by: { $0.key < $1.key }) {
      var group = Group(digits: digits, first: count, bytes: bytes)
      group.sort()
      groups.append(group)
      count += group.count
    }
    added = [:]
  }

  private func group(of index: Int) -> Group? { groups.last { $0.first <= index } }

  /// The token in hex, and whether it is whole.
  package func text(_ index: Int) -> (digits: String, isWhole: Bool) {
    guard let group = group(of: index) else { return ("", false) }
    let start = (index - group.first) * group.width
    let digits = Hex.string(group.bytes[start..<start + group.width]).prefix(group.digits)
    return (String(digits), group.isWhole)
  }

  /// The tokens of a list, one a line; `#` begins a comment.
  /// - Parameter memory: bytes that they may need.
  /// - Throws: a `CommandError` that names the list, and the line and column of what is no token.
  package init(_ list: Input, memory: Int) throws {
    do {
      var reader = try LineReader(list)
      var line: [UInt8] = []
      var needed = 0
      while try reader.next(into: &line) {
        let text = line.prefix { $0 != UInt8(ascii: "#") }
        if text.allSatisfy(ASCII.isBlank) { continue }
        do throws(InputError) {
          let token = try SearchedToken(text)
          // Twice while they are sorted.
          needed += TokenMatcher.bytesPerToken + 2 * token.bytes.count
          add(token)
        } catch {
          throw InputError(error.message, line: reader.lineNumber, column: error.column)
        }
        guard needed <= memory else {
          throw InputError(
            "its tokens need more than \(ByteSize.text(memory)) of memory: raise --memory, or give a part "
              + "of the list", line: reader.lineNumber)
        }
      }
    } catch let error as InputError {
      throw CommandError(.about(list.name, error.located))
    }
    sort()
    if count == 0 { throw CommandError(.about(list.name, "no tokens; expected one a line")) }
  }
}
