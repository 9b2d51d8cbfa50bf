/// Finds bytes among others in one pass, however both repeat (Knuth, Morris and Pratt): a token of zeros in a stream of
/// zeros takes no longer than any other.
package struct PatternSearch {
  private let pattern: [UInt8]
  /// For each length of a match from 1, the longest shorter one that it ends in.
  private let shorter: [Int]

  package init(_ pattern: [UInt8]) {
    var shorter = [Int](repeating: 0, count: pattern.count)
    var matched = 0
    for place in pattern.indices.dropFirst() {
      while matched > 0, pattern[matched] != pattern[place] { matched = shorter[matched - 1] }
      if pattern[matched] == pattern[place] { matched += 1 }
      shorter[place] = matched
    }
    self.pattern = pattern
    self.shorter = shorter
  }

  /// The first place from `start` on that the pattern begins at and that is wanted.
  package func first(in bytes: [UInt8], from start: Int, where isWanted: (Int) -> Bool) -> Int? {
    guard start <= bytes.count else { return nil }
    guard !pattern.isEmpty else { return (start...bytes.count).first(where: isWanted) }
    var matched = 0
    for place in start..<bytes.count {
      while matched > 0, pattern[matched] != bytes[place] { matched = shorter[matched - 1] }
      if pattern[matched] == bytes[place] { matched += 1 }
      guard matched == pattern.count else { continue }
      let begin = place + 1 - matched
      if isWanted(begin) { return begin }
      matched = shorter[matched - 1]
    }
    return nil
  }
}
