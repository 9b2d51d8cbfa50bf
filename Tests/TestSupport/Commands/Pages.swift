import Foundation
import Testing

/// A report's page with accessors for tests.
package struct Page {
  package let html: String

  package init(html: String) { self.html = html }

  /// The page without tags.
  package var text: String {
    html.replacing(/<style>[\s\S]*<\/style>/, with: "").replacing(/<[^>]*>/, with: " ")
  }

  /// The section with that id, including tags; empty if there is none.
  package func section(_ id: String) -> String {
    guard let start = html.range(of: "<section id=\"\(id)\">") else { return "" }
    let rest = html[start.lowerBound...]
    return String(rest[..<(rest.range(of: "</section>")?.lowerBound ?? rest.endIndex)])
  }

  /// The text of the elements of a class.
  package func texts(_ element: String, _ name: String, in part: String? = nil) -> [String] {
    elements(element, name, in: part).map { $0.replacing(/<[^>]*>/, with: "") }
  }

  /// The contents of the elements of a class, including tags; none contains another of its kind.
  package func elements(_ element: String, _ name: String, in part: String? = nil) -> [String] {
    let pattern = "<\(element)[^>]* class=\"\(name)\">([\\s\\S]*?)</\(element)>"
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    let text = part ?? html
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  /// The figures in the sentences of a class, which are worded elsewhere.
  package func figures(_ element: String, _ name: String, in part: String? = nil) -> [[String]] {
    texts(element, name, in: part).map(figuresOf)
  }

  /// The figures in the paragraphs without a class.
  package func figuresOfParagraphs(in part: String) -> [[String]] {
    part.matches(of: /<p>([^<]*)<\/p>/).map { figuresOf(String($0.output.1)) }
  }

  /// The bytes in excerpts, by their offset; nil is one that is masked.
  package func shownBytes(of part: String) -> [(offset: Int, bytes: [UInt8?])] {
    part.matches(of: /<span class="offset">(\d+)<\/span><span class="bytes">([\s\S]*?)<\/span>/).map {
      match in
      let digits = match.output.2.replacing(/<[^>]*>/, with: " ").split(separator: " ")
      return (Int(match.output.1) ?? -1, digits.map { UInt8($0, radix: 16) })
    }
  }

  /// Runs of at least `length` hex digits in lower case, ignoring punctuation and tags between digits.
  package func digitRuns(atLeast length: Int) -> [[UInt8]] {
    [html, text].flatMap { text in
      text.lowercased().utf8.filter { $0 >= 0x80 || isLetterOrDigit($0) }
        .split { !isHexDigit($0) }.filter { $0.count >= length }.map(Array.init)
    }
  }
}

/// The numbers in a text, as it writes them.
package func figuresOf(_ text: String) -> [String] {
  text.matches(of: /\d+(?:[,.]\d+)*/).map { String($0.output) }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  isHexDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
}

extension TestDirectory {
  /// Makes a report with these arguments; fails if the command fails.
  package func report(_ arguments: [String], code: Int32 = 0, input: StandardInput = .nothing) throws -> Page
  {
    let outcome = try apnsift(["report"] + arguments, input: input)
    #expect(outcome.code == code, "\(arguments): \(outcome.errors)")
    return Page(html: outcome.text)
  }
}
