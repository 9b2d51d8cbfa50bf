import Analysis
import Platform
import WireBytes

extension ShownPlace {
  /// - Parameter limit: how many bytes of a field are shown.
  package func text(_ style: TextStyle, limit: Int) -> String {
    let peers = [labels.client, labels.server].compactMap { $0 }.joined(separator: " to ")
    var facts = ["stream \(labels.stream)", "from the \(direction.rawValue)"]
    facts.append("offset \(offset), \(Count.of(bytes.count, "byte"))")
    if let packet { facts.append("packet \(packet)") }
    if let fileOffset { facts.append("file offset \(fileOffset)") }
    let source =
      style.bold(VisibleText.of(labels.source)) + (peers.isEmpty ? "" : "  \(VisibleText.of(peers))")
    let head = "\(source)\n\(facts.joined(separator: ", "))\n\(kind)\n"
    let dump = AnnotatedDump(offset: offset, bytes: bytes, fields: fields, limit: limit)
    return head + remarks.map { "\($0)\n" }.joined() + "\n" + dump.text(style)
  }
}

extension PlaceFinder {
  /// All that was found, as text.
  /// - Parameter limit: how many bytes of a field are shown.
  package func text(_ style: TextStyle, limit: Int) -> String {
    let findings = findings.map { finding in
      let place = finding.offset.map { " at offset \($0)" } ?? ""
      return "\n" + style.yellow("\(finding.code.rawValue)\(place)")
        + ": \(VisibleText.of(finding.message))\n"
    }
    return places.map { $0.text(style, limit: limit) }.joined(separator: "\n") + findings.joined()
  }

  /// What was done; nil where there is nothing to show.
  package var sentence: String? {
    if places.isEmpty, findings.isEmpty { return nil }
    return "showed \(Count.of(places.count, "place")) with \(Count.of(findings.count, "finding"))"
      + (more > 0 ? ", \(more) more not shown (--places)" : "")
  }

  /// Why there is nothing to show.
  package var nothing: String {
    switch target {
    case .record(let number): "there is no record \(number): the input has \(Count.of(records, "record"))"
    case .offset(let offset): "no stream that was asked for has bytes at offset \(offset)"
    case .packet(let number):
      "packet \(number) brought no bytes of a stream that was asked for, or there is none"
    }
  }
}
