struct Column {
  let title: HTML
  /// The label of its cells where a phone shows each row as a card.
  let label: HTML?
  /// The class of its cells.
  let style: HTML?
  fileprivate let isNumber: Bool

  /// - Parameter label: nil repeats the title.
  static func text(_ title: HTML, label: HTML? = nil, style: HTML? = nil) -> Column {
    Column(title: title, label: label ?? title, style: style, isNumber: false)
  }

  static func number(_ title: HTML) -> Column {
    Column(title: title, label: title, style: "number", isNumber: true)
  }

  fileprivate var head: HTML { #"<th scope="col"\#(if: isNumber, #" class="number""#)>\#(title)</th>"# }

  fileprivate func cell(_ content: HTML) -> HTML {
    let label = label.map { #" data-label="\#($0)""# as HTML }
    return #"<td\#(label)\#(style.map { #" class="\#($0)""# })>\#(content)</td>"#
  }
}

/// Elements that several sections have.
extension HTML {
  static func table(_ columns: [Column], style: HTML = "cards", rows: some Sequence<[HTML]>) -> HTML {
    table(columns, style: style, groups: ["<tbody>\n\(rows.lazy.map { row($0, columns) })</tbody>\n"])
  }

  static func table(_ columns: [Column], style: HTML = "cards", groups: [HTML]) -> HTML {
    """
    <table class="\(style)">
    <thead><tr>\(columns.map(\.head))</tr></thead>
    \(groups)</table>

    """
  }

  static func row(_ cells: [HTML], _ columns: [Column]) -> HTML {
    "<tr>\(zip(columns, cells).map { $0.cell($1) })</tr>\n"
  }

  /// A table of figures, without cards.
  static func account(_ titles: [HTML], rows: [[String]], sums: [[String]] = []) -> HTML {
    let columns = titles.enumerated().map { index, title in
      Column(title: title, label: nil, style: index > 0 ? "number" : nil, isNumber: index > 0)
    }
    let cells = { (row: [String]) in zip(columns, row).map { $0.cell("\($1)") } }
    let body =
      rows.map { "<tr>\(cells($0))</tr>\n" as HTML } + sums.map { "<tr class=\"sum\">\(cells($0))</tr>\n" }
    return table(columns, style: "account", groups: ["<tbody>\n\(body)</tbody>\n"])
  }

  static func paragraph(_ style: HTML, _ content: HTML) -> HTML {
    #"<p class="\#(style)">\#(content)</p>\#n"#
  }

  /// A sentence instead of the content of a section.
  static func empty(_ sentence: HTML) -> HTML { paragraph("empty", sentence) }

  static func token(_ name: String) -> HTML { #"<span class="token">\#(name)</span>"# }

  static func small(_ text: String?) -> HTML? { text.map { "<small>\($0)</small>" } }

  /// Nil without texts.
  static func small(_ texts: [String], separator: String) -> HTML? {
    small(texts.isEmpty ? nil : texts.joined(separator: separator))
  }

  /// Names and their values in a `dl`; a fact without a value is left out.
  static func facts(_ facts: [(name: String, value: String?)], separator: HTML = "") -> [HTML] {
    facts.compactMap { name, value in value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>\(separator)" } }
  }

  /// A command, and what it prints.
  static func command(_ purpose: HTML, _ command: String) -> HTML {
    #"<p class="cut">\#(purpose)</p><pre class="command">\#(command)</pre>\#n"#
  }

  /// The same with several commands.
  static func commands(_ purpose: HTML, _ commands: [String]) -> HTML {
    let lines = commands.map { "\($0)\n" as HTML }
    return #"<p class="cut">\#(purpose)</p><pre class="command">\#(lines)</pre>\#n"#
  }
}
