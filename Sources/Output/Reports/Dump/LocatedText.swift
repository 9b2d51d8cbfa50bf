import Analysis
import Basics

extension LocatedBytes {
  /// - Parameter limit: the most bytes shown of a field.
  package func text(_ style: TextStyle, limit: Int) -> String {
    let peers = [labels.client, labels.server].compactMap { $0 }.joined(separator: " to ")
    var facts = ["stream \(labels.stream)", "from the \(direction.rawValue)"]
    facts.append("offset \(offset)" + (bytes.isEmpty ? "" : ", \(Count.of(bytes.count, "byte"))"))
    if let packet { facts.append("packet \(packet)") }
    if let fileOffset { facts.append("file offset \(fileOffset)") }
    let source =
      style.bold(VisibleText.of(labels.source)) + (peers.isEmpty ? "" : "  \(VisibleText.of(peers))")
    let head = "\(source)\n\(facts.joined(separator: ", "))\n\(kind)\n"
    let text = head + remarks.map { "\($0)\n" }.joined()
    if bytes.isEmpty { return text }
    let dump = AnnotatedDump(offset: offset, bytes: bytes, fields: fields, limit: limit).text(style)
    return text + "\n" + (isDecoded ? fileLines + "decoded:\n" : "") + dump
  }

  /// What the file has, of which the bytes are decoded.
  private var fileLines: String {
    guard let fileText else { return "" }
    let lines = fileText.lines
    let more =
      lines.count > Self.mostLines ? "  … \(Count.of(lines.count - Self.mostLines, "more line"))\n" : ""
    return "in the file at offset \(fileText.offset):\n"
      + lines.prefix(Self.mostLines).map { "  \(VisibleText.of($0))\n" }.joined() + more
  }

  private static let mostLines = 40
}

extension RecordLocator {
  /// The results as text.
  /// - Parameter limit: the most bytes shown of a field.
  package func text(_ style: TextStyle, limit: Int) -> String {
    let findings = findings.map { finding in
      let location = finding.offset.map { " at offset \($0)" } ?? ""
      return "\n" + style.yellow("\(finding.code.rawValue)\(location)")
        + ": \(VisibleText.of(finding.message.text))\n"
    }
    return located.map { $0.text(style, limit: limit) }.joined(separator: "\n") + findings.joined()
  }

  /// A summary; nil if there is nothing to show.
  package var sentence: Message? {
    if located.isEmpty, findings.isEmpty { return nil }
    return
      "showed \(Count.of(located.count, "location")) with \(Count.of(findings.count, "finding"))"
      + (more > 0 ? ", \(more) more not shown (--places)" : "")
  }

  package var nothing: Message {
    switch target {
    case .record(let number): "no record \(number): the input has \(Count.of(records, "record"))"
    case .offset(let offset): "no selected stream has bytes at offset \(offset)"
    case .packet(let number): "no packet \(number) with bytes of a selected stream"
    case .token: "no record of this token: the input has \(Count.of(records, "record"))"
    }
  }
}
