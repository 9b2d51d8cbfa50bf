/// Finds similar words.
package enum Spelling {
  package static func nearest(to word: String, of names: [String]) -> String {
    names.min { distance(word, $0) < distance(word, $1) } ?? "inspect"
  }

  /// The Levenshtein distance: insertions, deletions and substitutions that turn `left` into `right`.
  package static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in right.indices {
        let change = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[right.count]
  }
}

extension String {
  /// Without characters at the end that satisfy `condition`.
  package func trimming(_ condition: (Character) -> Bool) -> Substring {
    self[..<(lastIndex { !condition($0) }.map(index(after:)) ?? startIndex)]
  }

  /// The first 80 characters, for messages: a file may have texts of any length.
  package var shortened: String { count > 80 ? prefix(80) + "…" : self }
}
