import Analysis
import ArgumentParser
import Platform
import Reports
import WireBytes

/// `apnsift show`: one place, as an annotated hex dump.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one record or place as hex, with the name of each field.",
    discussion: """
      Reports say of each record and finding at which offset of its stream it stands, and which packet brought it. \
      This shows the bytes there: of a record each field, of anything else the bytes as they are, and what was \
      found wrong with them. Records are numbered from 1 in the order of `export`, packets from 1; offsets are bytes \
      from 0 in one direction of a stream, gaps counted in.

      EXAMPLES
        apnsift show feedback.bin --record 3
        apnsift show feedback.bin --offset 114
        apnsift show capture.pcap --packet 12
        apnsift show gateway.pcap --offset 0 --stream 1 --direction client
      """)

  @OptionGroup var input: InputOptions

  @Option(help: "The record of this number, from 1, in the order of export.")
  var record: Int?

  @Option(help: "The record, or other bytes, at this offset of a stream, in bytes from 0.")
  var offset: Int?

  @Option(help: "What this packet of the capture brought, from 1.")
  var packet: Int?

  @Option(help: "Only this stream, as reports number it.")
  var stream: Int?

  @Option(help: "Only bytes that the client or the server sent. (values: client, server)")
  var direction: DirectionArgument?

  @Option(help: "How many bytes of a field are shown.")
  var limit = 256

  @Option(help: "How many places are shown, where a packet has several, or several streams have the offset.")
  var places = 16

  mutating func validate() throws {
    guard [record, offset, packet].compactMap({ $0 }).count == 1 else {
      throw ValidationError("Say which place: one of --record, --offset and --packet.")
    }
    for (name, value, least) in [
      ("--record", record, 1), ("--packet", packet, 1), ("--offset", offset, 0), ("--stream", stream, 0),
      ("--limit", limit, 1), ("--places", places, 1),
    ] {
      if let value, value < least {
        throw ValidationError("\(name) is \(value): \(least) or more is possible.")
      }
    }
    if record != nil, stream != nil || direction != nil {
      throw ValidationError("--record counts the records of all streams: leave out --stream and --direction.")
    }
  }

  private var target: ShowTarget {
    if let record { return .record(record) }
    if let packet { return .packet(packet) }
    return .offset(offset ?? 0)
  }

  func run() throws {
    let finder = PlaceFinder(
      target, stream: stream, direction: direction?.direction, maxPlaces: places, maxBytes: limit)
    let analyzer = Analyzer(input.analysis, sinks: [finder])
    var examination = Examination(input, hashing: .none, mayRepeat: true)
    try examination.run(analyzer)
    let buffer = OutputBuffer(OutputFile())
    let style = TextStyle(isColoured: OutputFile.isColoured)
    for (index, place) in finder.places.enumerated() {
      try buffer.append((index > 0 ? "\n" : "") + text(place, style))
    }
    for finding in finder.findings { try buffer.append("\n" + text(finding, style)) }
    try buffer.flush()
    let shown =
      "showed \(Count.of(finder.places.count, "place")) with \(Count.of(finder.findings.count, "finding"))"
    let rest = finder.more > 0 ? ", \(finder.more) more not shown (--places)" : ""
    if finder.places.isEmpty, finder.findings.isEmpty { throw Failure(nothing(finder.records)) }
    Messages.say(shown + rest)
    try examination.check(analyzer.summary)
  }

  private func text(_ place: ShownPlace, _ style: TextStyle) -> String {
    let peers = [place.labels.client, place.labels.server].compactMap { $0 }.joined(separator: " to ")
    var facts = ["stream \(place.labels.stream)", "from the \(place.direction.rawValue)"]
    facts.append("offset \(place.offset), \(Count.of(place.bytes.count, "byte"))")
    if let packet = place.packet { facts.append("packet \(packet)") }
    if let fileOffset = place.fileOffset { facts.append("file offset \(fileOffset)") }
    var text =
      style.bold(VisibleText.of(place.labels.source)) + (peers.isEmpty ? "" : "  \(VisibleText.of(peers))")
      + "\n"
    text += "\(facts.joined(separator: ", "))\n\(place.kind)\n"
    text += place.remarks.map { "\($0)\n" }.joined() + "\n"
    return text
      + AnnotatedDump(offset: place.offset, bytes: place.bytes, fields: place.fields, limit: limit).text(
        style)
  }

  private func text(_ finding: Finding, _ style: TextStyle) -> String {
    let place = finding.offset.map { " at offset \($0)" } ?? ""
    return style.yellow("\(finding.code.rawValue)\(place)") + ": \(VisibleText.of(finding.message))\n"
  }

  private func nothing(_ records: Int) -> String {
    switch target {
    case .record(let number): "there is no record \(number): the input has \(Count.of(records, "record"))"
    case .offset(let offset): "no stream that was asked for has bytes at offset \(offset)"
    case .packet(let number):
      "packet \(number) brought no bytes of a stream that was asked for, or there is none"
    }
  }
}

/// Who sent bytes, as an argument.
struct DirectionArgument: ExpressibleByArgument {
  var direction: Direction

  init?(argument: String) {
    guard let direction = Direction(rawValue: argument) else { return nil }
    self.direction = direction
  }
}
