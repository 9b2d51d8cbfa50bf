import APNsWire
import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports
import TokenStores

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a record or other bytes as hex, field by field.",
    usage: "apnsift show [<options>] <input> ...",
    discussion: """
      Reports and exports give the stream offset and packet of each record and finding. This command shows the bytes \
      there: the fields of a record, or plain bytes, and the findings about them. Records are numbered from 1 in the \
      order of `export`, and packets from 1. Offsets are bytes from 0 in one direction of a stream, including gaps.

      EXAMPLES
        apnsift show feedback.bin --record 3
        apnsift show feedback.bin --offset 0x72
        apnsift show capture.pcap --packet 12
        apnsift show gateway.pcap --offset 0 --stream 1 --direction client
        apnsift show evidence/ --token TOKEN
        apnsift show evidence/ --token TOKEN --store sqlite:tokens.sqlite

      With --store, --token also shows the rows of the token in that store, and each replay in its journal that changed \
      one, with the record that decided.
      """)

  @Option(help: .init("Record number, from 1, in the order of export.", valueName: "NUMBER"))
  var record: Int?

  @Option(help: .init("Stream offset in bytes, decimal or hex (0x44e).", valueName: "OFFSET"))
  var offset: OffsetArgument?

  @Option(help: .init("Packet number in the capture, from 1.", valueName: "NUMBER"))
  var packet: Int?

  @Option(
    help: .init("All records of this token: \(TokenText.forms).", valueName: "TOKEN"),
    transform: tokenArgument)
  var token: [UInt8]?

  @Option(help: .init("Only this stream, numbered from 0.", valueName: "NUMBER"))
  var stream: Int?

  @Option(help: .init("Only bytes of the client or the server.", valueName: "SIDE"))
  var direction: Direction?

  @Option(help: .init("Bytes to show of a field.", valueName: "BYTES"))
  var limit = 256

  @Option(name: .customLong("places"), help: .init("Matches to show.", valueName: "COUNT"))
  var maxLocations = 16

  @OptionGroup var local: LocalTimeOptions
  @OptionGroup var color: ColorOptions
  @OptionGroup var store: StoreFileOptions
  @OptionGroup var journal: JournalOptions
  @OptionGroup var input: InputOptions

  mutating func validate() throws {
    guard [record, offset?.bytes, packet, token?.count].compactMap({ $0 }).count == 1 else {
      throw ValidationError("give one of --record, --offset, --packet and --token")
    }
    for (name, value, least) in [
      ("--record", record, 1), ("--packet", packet, 1), ("--stream", stream, 0),
      ("--limit", limit, 1), ("--places", maxLocations, 1),
    ] {
      if let value { try checkRange(name, value, least...Int.max) }
    }
    if !usesStore && journal.url != nil || usesStore && token == nil {
      throw ValidationError("--store, --mapping and --journal are for --token: a store has tokens, not bytes")
    }
    if record != nil, stream != nil || direction != nil {
      throw ValidationError("--record counts the records of all streams: leave out --stream and --direction")
    }
  }

  private var target: ShowTarget {
    if let record { return .record(record) }
    if let packet { return .packet(packet) }
    if let token { return .token(token) }
    return .offset(offset?.bytes ?? 0)
  }

  /// Whether a store is asked about the token.
  private var usesStore: Bool { store.location.store != nil || store.mapping != nil }

  func run() throws {
    // Before a large input is read.
    let history = try token.flatMap { token in
      usesStore ? try TokenHistory(of: token, in: store.location(journal: journal.url).openForReading()) : nil
    }
    let finder = RecordLocator(
      target, stream: stream, direction: direction, maxLocations: maxLocations, maxBytes: limit)
    finder.clock = local.clock
    var examination = try input.examination(hashing: .none, mayRepeat: true)
    try examination.run([finder])
    let buffer = OutputBuffer(OutputFile())
    let style = TextStyle(isColoured: OutputFile.isColoured)
    let found = finder.text(style, limit: limit)
    try buffer.append(found)
    if let history { try buffer.append((found.isEmpty ? "" : "\n") + history.text(style)) }
    try buffer.flush()
    guard let done = finder.sentence else {
      guard let history, !history.isEmpty else { throw CommandError(finder.nothing) }
      Console.say(finder.nothing)
      return try input.check(examination)
    }
    Console.note(done)
    try input.check(examination)
  }
}

extension Direction: ExpressibleByArgument {}
