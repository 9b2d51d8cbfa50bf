import Analysis
import Mustache
import Platform
import TimeZones
import WireBytes

/// The context of report.mustache: all texts as the page shows them. A row's property names must differ from those of
/// the enclosing context, because the template looks there for a name that a row lacks.
struct PageView {
  let style = ReportHTML.style
  let head: ReportHead
  let level: String
  let verdict: String
  let opening: String
  let sentences: [String]
  let tiles: [Tile]
  let isRedacted: Bool
  let masks: Bool
  let making: [Fact]
  let note: [String]
  let hasNote: Bool
  let files: FilesView
  let failures: String
  let hasFailures: Bool
  let given: [Fact]
  let defaults: [Fact]
  let hasGiven: Bool
  let timeline: TimelineView?
  let streams: StreamsView
  let findings: FindingsView
  let doubts: DoubtsView
  let totals: TotalsView
  let commands: [Fact]
  let gateway: GatewayView?
  let pushes: PushesView?
  let readers: ReadersView
  let invalidations: InvalidationsView
  let glossary: [Glossary.Entry]

  /// A key figure at the top of the page.
  struct Tile {
    let figure: String
    let label: String

    init(_ count: Int, _ noun: String, _ plural: String) {
      figure = Figures.grouped(count)
      label = count == 1 ? noun : plural
    }
  }

  /// A name and its value.
  struct Fact {
    let name: String
    let value: String
  }

  init(_ page: ReportPage) {
    let verdict = ReportVerdict(page)
    head = page.head
    level = verdict.level.rawValue
    self.verdict = verdict.word
    opening = verdict.sentences.first ?? ""
    sentences = Array(verdict.sentences.dropFirst())
    tiles = Self.tiles(page)
    isRedacted = page.head.isRedacted
    masks = page.head.hasMaskedText
    making = Self.making(page.head)
    note = page.head.note
    hasNote = !page.head.note.isEmpty
    files = FilesView(page)
    failures = Figures.count(page.failures, "input")
    hasFailures = page.failures > 0
    given = page.head.options.filter { !$0.isDefault }.map { Fact(name: $0.name, value: $0.text) }
    defaults = page.head.options.filter(\.isDefault).map { Fact(name: $0.name, value: $0.text) }
    hasGiven = !given.isEmpty
    timeline = TimelineView(page.invalidations)
    streams = StreamsView(page)
    findings = FindingsView(page)
    doubts = DoubtsView(page)
    totals = TotalsView(page)
    commands = Self.commands(page)
    gateway = GatewayView(page)
    pushes = PushesView(page)
    readers = ReadersView(page)
    invalidations = InvalidationsView(page)
    glossary = Glossary.entries(isRedacted: page.head.isRedacted, localTimes: page.head.clock?.name)
  }

  private static func making(_ head: ReportHead) -> [Fact] {
    [
      head.caseName.map { Fact(name: "Case", value: $0) },
      head.examiner.map { Fact(name: "Examiner", value: $0) },
      head.madeAt.map { Fact(name: "Made", value: $0) },
      Fact(name: "With", value: "apnsift \(head.version)"),
      head.clock.map { Fact(name: "Local times", value: "\($0.name), next to UTC") },
    ].compactMap { $0 }
  }

  private static func tiles(_ page: ReportPage) -> [Tile] {
    let summary = page.summary
    let gateway = summary.gateway
    let lost = summary.skippedBytes + summary.truncatedBytes
    let examined = summary.streamBytes + summary.undecodedBytes
    var tiles = [Tile(examined, "byte examined", "bytes examined")]
    let pushes = summary.pushes.counts.all
    if summary.feedback > 0 || gateway.requests + gateway.responses + pushes == 0 {
      tiles.append(Tile(summary.feedback, "feedback tuple", "feedback tuples"))
    }
    if summary.feedback + pushes > 0 || gateway.requests + gateway.responses == 0 {
      tiles.append(Tile(page.invalidations.dead, "invalidated token", "invalidated tokens"))
    }
    if gateway.requests > 0 { tiles.append(Tile(gateway.requests, "request", "requests")) }
    if gateway.responses > 0 { tiles.append(Tile(gateway.responses, "error response", "error responses")) }
    if pushes > 0 { tiles.append(Tile(pushes, "push", "pushes")) }
    tiles.append(Tile(lost, "byte not readable", "bytes not readable"))
    if summary.undecodedBytes > 0 {
      tiles.append(Tile(summary.undecodedBytes, "byte not decoded", "bytes not decoded"))
    }
    tiles.append(Tile(summary.gapBytes, "byte missing", "bytes missing"))
    tiles.append(Tile(page.flagged.all, "doubtful record", "doubtful records"))
    if page.invalidations.doubtful > 0 {
      tiles.append(Tile(page.invalidations.doubtful, "doubtful token", "doubtful tokens"))
    }
    return tiles
  }

  private static func commands(_ page: ReportPage) -> [Fact] {
    [
      Fact(name: "This page again:", value: page.commands.report),
      Fact(name: "Every record, stream and finding, with its location:", value: page.commands.everything),
    ].filter { !$0.value.isEmpty }
  }
}

/// The timeline in the page.
struct TimelineView {
  let wide: String
  let narrow: String
  let unit: String
  let invalidations: String

  /// More bars could not be distinguished on paper.
  private static let maxBars = 62

  init?(_ invalidations: Invalidations) {
    guard let timeline = Timeline(invalidations.histogram, maxBars: Self.maxBars) else { return nil }
    wide = TimelineSVG(timeline, size: .wide, noun: "invalidation").text
    narrow = TimelineSVG(timeline, size: .narrow, noun: "invalidation").text
    unit = timeline.unit.name
    self.invalidations = Figures.count(timeline.total, "invalidation")
  }
}

/// Renders the report as one self-contained HTML file, without scripts or network access.
package enum ReportHTML {
  package static func bytes(_ page: ReportPage) throws -> [UInt8] {
    Array(try text(page).utf8)
  }

  package static func text(_ page: ReportPage) throws -> String {
    MustacheContentTypes.register(PageText(), named: PageText.name)
    let template = try MustacheTemplate(
      string: String(decoding: PackageResources.report_mustache, as: UTF8.self))
    return template.render(PageView(page))
  }

  /// The style sheet, which is embedded in the page.
  static var style: String { String(decoding: PackageResources.report_css, as: UTF8.self) }
}

/// Escapes every text of the page: `&`, `<`, `>`, both quotes and invisible characters.
///
/// The library escapes by grapheme: a quote followed by a combining mark is not a quote to it, stays as it is, and ends
/// an attribute. This type escapes by Unicode scalar, as a browser parses.
struct PageText: MustacheContentType {
  /// The content type's name in the template.
  static let name = "PAGE"

  func escapeText(_ text: String) -> String { Self.escaped(text) }

  static func escaped(_ text: String) -> String {
    let exact = VisibleText.exact(text)
    guard exact.utf8.contains(where: isSpecial) else { return exact }
    var escaped = String.UnicodeScalarView()
    for scalar in exact.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
    default: false
    }
  }
}
