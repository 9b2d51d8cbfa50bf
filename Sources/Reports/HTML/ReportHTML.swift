import Mustache

/// Makes the page of a report: one HTML file that needs nothing else, no script and no network.
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

  /// The style sheet, which stands in the page.
  static var style: String { String(decoding: PackageResources.report_css, as: UTF8.self) }
}
