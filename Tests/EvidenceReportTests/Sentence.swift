import Analysis
import EvidenceReport
import Testing

/// A sentence of the page, or a part of one that no condition divides, and a page that has it.
struct Sentence: CustomTestStringConvertible, Sendable {
  typealias Change = @Sendable (inout ReportPage) -> Void

  let text: String
  let change: Change

  var testDescription: String { text }

  /// Fails unless the sentence is in one element of the page, begins there or after another one, and ends likewise.
  func expect() {
    let html = ReportPage.html { page in
      (page.decodedStreams, page.isAudited) = (1, true)
      change(&page)
    }
    #expect(Self.texts(html).contains { holds($0) }, "\(text)")
  }

  private func holds(_ element: String) -> Bool {
    guard let found = element.firstRange(of: text) else { return false }
    let (before, after) = (element[..<found.lowerBound], element[found.upperBound...])
    return (before.isEmpty || before.hasSuffix(" ")) && (after.isEmpty || after.hasPrefix(" "))
  }

  /// The texts of the elements that hold no others but emphasis and links.
  private static func texts(_ html: String) -> [String] {
    html.replacing(/<\/?(a|b|strong|code|small)( [^>]*)?>/, with: "").replacing(/<[^>]*>/, with: "\n")
      .replacing("&#39;", with: "'").replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
      .split(separator: "\n").map(String.init)
  }
}

extension ReportPage {
  /// A page of one input.
  static func html(_ change: (inout ReportPage) -> Void) -> String {
    var page = ReportPage(ReportHead(title: "A title", version: "1.2.3"))
    page.inputs = [InputSummary(source: "a.bin", format: "raw", bytes: 380, sha256: "00ff")]
    change(&page)
    return ReportHTML.text(page)
  }
}
