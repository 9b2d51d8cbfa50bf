import Basics
import PacketCapture
import ProviderLogs

package enum Recognition: Equatable, Sendable {
  case format(InputFormat)
  /// A known format that is not supported: its name and the remedy.
  case foreign(kind: Message, remedy: Message)
  /// A further file of a disk image, which is read with the first one; its number, from 2.
  case imageSegment(Int)
  /// An archive that is not read, or a compression inside another one: both may well contain inputs.
  case packed(Message)
  /// A disk image or memory, in which records are searched.
  case image(Message)
  /// A list that has no records.
  case known(Message)
  /// A file of another kind, in which records may be compressed or encoded.
  case unsearched(Message)
  case nothing
}

/// Detects one format by the head of a file: up to `FormatProbes.headLength` bytes of its decompressed content;
/// `isWhole` if there are no more.
package struct FormatProbe: Sendable {
  var result: Recognition
  var matches: @Sendable (_ head: [UInt8], _ isWhole: Bool) -> Bool

  package init(
    _ result: Recognition, _ matches: @escaping @Sendable (_ head: [UInt8], _ isWhole: Bool) -> Bool
  ) {
    self.result = result
    self.matches = matches
  }
}

/// The table of probes, in order of precedence. File names are ignored.
package enum FormatProbes {
  /// Size of the head, in bytes.
  package static let headLength = 64 << 10

  private static func notExtracted(_ format: String) -> Recognition {
    .packed("is \(Message.archive(format)), which is not searched inside: extract its files")
  }

  /// The beginnings of files that are not read.
  private static let signatures: [(magic: String, result: Recognition)] =
    [
      ("SQLite format 3\0", .foreign(kind: "an SQLite database", remedy: "use --store to name a store")),
      (
        #"{"schema":"apnsift/1""#,
        .foreign(kind: "a JSON document of apnsift", remedy: "use its inputs, or an export with -t ndjson")
      ),
      // They reach into a tuple's length, which none has.
      ("Rar!\u{1a}\u{7}", notExtracted("RAR")), ("MSCF\0\0\0\0", notExtracted("CAB")),
    ]
    + captureFiles.map { magic, program in
      (magic, .foreign(kind: "a capture of \(program)", remedy: "convert it: editcap -F pcap FILE NEW.pcap"))
    }

  /// The beginnings of capture files that editcap of Wireshark reads. None is a tuple of a plausible time.
  private static let captureFiles: [(magic: String, program: Message)] = [
    ("GMBU", "Microsoft Network Monitor"), ("RTSS\0\u{1}", "Microsoft Network Monitor"),
    ("RTSS\u{1}\u{1}", "Microsoft Network Monitor"), ("XCP\00", "NetXRay or Sniffer"),
    ("TRSNIFF data", "Sniffer"), ("\u{7f}ver", "OmniPeek"), ("iptrace ", "iptrace"),
    ("ObserverPktBuf", "Observer"), ("\u{5}VNF", "Visual UpTime"),
    ("\0\0\u{2}\0\u{12}\u{5}\0\u{10}", "Tektronix K12"),
  ]

  private static func dump(_ head: TextHead, _ content: [FormatProbe]) -> Recognition? {
    guard head.isText else { return nil }
    let proof = OffsetProof.result(of: head)
    if case .layout = proof { return file(in: head, .hex) ?? .format(.dump(.hex)) }
    let hasRecords = { isDump(hex: head.bytes, isWhole: head.isWhole, content) }
    if let kind = UnreadableDump.kind(of: head, proof, hasRecords: hasRecords) { return kind }
    guard head.isHex || head.isBase64 else { return nil }
    let format: DumpFormat = head.isHex ? .hex : .base64
    return file(in: head, format) ?? .format(.dump(format))
  }

  /// What a text is whose bytes are those of a capture, or compressed, rather than of a stream.
  private static func file(in head: TextHead, _ format: DumpFormat) -> Recognition? {
    var decoder = format.textDecoder(head: head.bytes, isWhole: head.isWhole, maxExpansion: 0)
    var text = DecodedText()
    _ = decoder?.read(head.bytes.span.bytes, from: 0, into: &text)
    guard CaptureRecords.recognises(text.bytes.span.bytes) != nil || Compression(of: text.bytes[...]) != nil
    else { return nil }
    return .foreign(
      kind: "a text whose \(format.rawValue) digits are a capture or compressed data",
      remedy: "make a file of them: xxd -r TEXT > FILE (-r -p for hex without offsets), base64 -d TEXT > FILE"
    )
  }

  /// Detects the format of the content that begins with `head`; `inside` is the compression it was decompressed from.
  /// `content` are probes for raw bytes, provided by the caller, since sources know no protocol. An empty file is an
  /// empty dump. Of bytes that are read as they are stored, the content matters only if they seem to be of another kind.
  package static func recognise(
    _ head: [UInt8], isWhole: Bool, inside compression: String? = nil, content: [FormatProbe],
    lines: LogOptions = LogOptions(), isStored: Bool = false
  ) -> Recognition {
    if head.isEmpty { return .format(.dump(.raw)) }
    if let compression, let inner = Compression(of: head[...]) {
      return .packed(
        "is \(inner.rawValue)-compressed inside a \(compression) file: only one layer is decompressed; "
          + "remove one: \(compression) -dc FILE | apnsift inspect -")
    }
    if CaptureRecords.recognises(head.span.bytes) != nil { return .format(.capture) }
    let text = TextHead(head, isWhole: isWhole)
    if HexLists.isChecksums(text) { return .known("a list of checksums") }
    // A session of TLS has hex dumps in it.
    if let keys = KeyFiles.kind(of: head) { return .known(keys) }
    if let known = signatures.first(where: { head.starts(with: $0.magic.utf8) }) { return known.result }
    // Exports contain lines of hex, so they are tried before hex dumps.
    if let format = ExportFormat.recognise(text, lines: lines) { return .format(.export(format)) }
    // A dump in lines of 32 bytes looks like tokens.
    if HexLists.isTokens(text), !isDump(hex: head, isWhole: isWhole, content) {
      return .known("a list of tokens without times")
    }
    if HexLists.isTimedTokens(text) { return UnreadableDump.tokens }
    // Lines of a log may be hex.
    let logs = content.filter { $0.result == .format(.providerLog) }
    for probe in logs where probe.matches(head, isWhole) { return probe.result }
    if let dump = dump(text, content) { return dump }
    // Stream data that tshark saved.
    if case .mark = GapMark.match(at: 0, in: head.span.bytes) { return .format(.dump(.raw)) }
    let kind = isStored ? kind(of: head) : nil
    if kind == .nothing { return .nothing }
    for probe in content where probe.matches(head, isWhole) { return probe.result }
    return kind ?? self.kind(of: head)
  }

  /// What has no records, or has them among other content.
  private static func kind(of head: [UInt8]) -> Recognition {
    if let image = DiskImages.kind(of: head) { return .image(image) }
    if UTF16Text(head: head) != nil { return .unsearched("UTF-16 text") }
    return KnownFileTypes.description(of: head).map { .unsearched(.verbatim($0)) } ?? .nothing
  }

  /// Whether the second half of the head is one line of text: it may be the first of a log, whose other lines show that.
  static func endsInLongLine(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(headLength)
    return head.prefix(512).allSatisfy { 0x09...0xf4 ~= $0 } && !head.suffix(headLength / 2).contains(0x0a)
  }

  /// Whether the bytes of hex text have content that a probe knows.
  private static func isDump(hex head: [UInt8], isWhole: Bool, _ content: [FormatProbe]) -> Bool {
    var text = EncodedText()
    head.withUnsafeBytes { text.decode(.hex, from: EncodedText.Position(index: 0), to: $0.count, in: $0) }
    let bytes = text.bytes
    return content.contains { $0.matches(bytes, isWhole) }
  }
}

/// The format of an input, as named by `--from`.
package enum InputFormat: Equatable, Sendable {
  /// The bytes of one stream, raw or as text.
  case dump(DumpFormat)
  /// Packets: pcap or pcapng.
  case capture
  /// Streams written by another tool.
  case export(ExportFormat)
  case providerLog
  /// Bytes of any kind, in which tuples are searched.
  case carve

  package static let all: [(name: String, format: InputFormat)] =
    DumpFormat.allCases.map { ($0.rawValue, .dump($0)) } + [("capture", .capture)]
    + ExportFormat.allCases.map { ($0.rawValue, .export($0)) }
    + [(InputFormat.providerLog.name, .providerLog), (InputFormat.carve.name, .carve)]

  package var isDump: Bool { if case .dump = self { true } else { false } }

  package var name: String {
    switch self {
    case .dump(let format): format.rawValue
    case .capture: "capture"
    case .export(let format): format.rawValue
    case .providerLog: "provider-log"
    case .carve: "carve"
    }
  }
}
