import Analysis
import ArgumentParser
import Platform
import Reports

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
  var direction: Direction?

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
      target, stream: stream, direction: direction, maxPlaces: places, maxBytes: limit)
    var examination = input.examination(hashing: .none, mayRepeat: true)
    try examination.run([finder])
    let buffer = OutputBuffer(OutputFile())
    try buffer.append(finder.text(TextStyle(isColoured: OutputFile.isColoured), limit: limit))
    try buffer.flush()
    guard let done = finder.sentence else { throw Failure(finder.nothing) }
    Messages.say(done)
    try input.check(examination)
  }
}

extension Direction: ExpressibleByArgument {}
