import PacketCapture

/// What a file is, by its content.
package enum Recognition: Equatable, Sendable {
  case format(InputFormat)
  /// Something known that this version does not read: what it is, and what to do.
  case foreign(kind: String, remedy: String)
  /// An archive or compression that is not looked through, likewise: what is in it may well be inputs.
  case packed(kind: String, remedy: String)
  case nothing
}

/// A test for one kind of content, on its head: up to `FormatProbes.headLength` bytes of its beginning,
/// decompressed; `isWhole` says that it is all of it.
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

/// The table of probes, asked from the top; the first that matches decides. File names play no part.
package enum FormatProbes {
  /// Bytes of a file's beginning that decide what it is.
  package static let headLength = 64 << 10

  static let captures = FormatProbe(.format(.capture)) { head, _ in
    CaptureRecords.recognises(head.span.bytes) != nil
  }

  static let foreign: [FormatProbe] = [
    magic(Array("SQLite format 3\0".utf8), "an SQLite database", "a store is named with --store")
  ]

  static let text: [FormatProbe] = [
    FormatProbe(
      .foreign(
        kind: "the output of od, or of hexdump without -C",
        remedy: "make the text with xxd or hexdump -C, which tell the order of the bytes")
    ) { head, _ in OffsetWords.begin(head) },
    FormatProbe(.format(.dump(.hex))) { HexLayout(of: $0, isWhole: $1) != nil },
    FormatProbe(.format(.dump(.base64))) { Base64Decoder.recognises($0.span.bytes, isWhole: $1) },
  ]

  /// A file that begins with tshark's mark of a gap holds what tshark saved of a stream.
  static let marked = FormatProbe(.format(.dump(.raw))) { head, _ in
    if case .mark = GapMark.match(at: 0, in: head.span.bytes) { true } else { false }
  }

  private static func magic(_ bytes: [UInt8], _ kind: String, _ remedy: String) -> FormatProbe {
    FormatProbe(.foreign(kind: kind, remedy: remedy)) { head, _ in head.starts(with: bytes) }
  }

  /// What the file is whose content begins with `head`, which was decompressed where it lay `inside` a
  /// compression. `content` are probes for raw bytes, which only the caller can tell, since sources know no
  /// protocol. An empty file is a dump of nothing.
  package static func recognise(
    _ head: [UInt8], isWhole: Bool, inside compression: Compression? = nil, content: [FormatProbe]
  ) -> Recognition {
    if head.isEmpty { return .format(.dump(.raw)) }
    if let compression, let inner = Compression(of: head[...]) {
      return .packed(
        kind: "\(inner.rawValue)-compressed inside a \(compression.rawValue) file",
        remedy: "one layer is read; take one off first: \(compression.rawValue) -dc FILE | apnsift inspect -")
    }
    if let packing = Packing(of: head) {
      let place = compression.map { " inside a \($0.rawValue) file" } ?? ""
      return .packed(
        kind: "\(packing.kind)\(place), which is not read", remedy: packing.remedy(inside: compression))
    }
    for probe in [captures] + foreign where probe.matches(head, isWhole) { return probe.result }
    // Exports hold lines of hex, and some nothing else.
    if let format = ExportFormat.recognise(head: head, isWhole: isWhole) { return .format(.export(format)) }
    for probe in text + [marked] + content where probe.matches(head, isWhole) { return probe.result }
    return .nothing
  }
}

/// How an input is stored, as `--from` names it.
package enum InputFormat: Equatable, Sendable {
  /// The bytes of one stream, as they are or as text.
  case dump(DumpFormat)
  /// Packets: pcap or pcapng.
  case capture
  /// What another tool wrote of streams.
  case export(ExportFormat)

  /// All of them, by name.
  package static let all: [(name: String, format: InputFormat)] =
    DumpFormat.allCases.map { ($0.rawValue, .dump($0)) } + [("capture", .capture)]
    + ExportFormat.allCases.map { ($0.rawValue, .export($0)) }

  package var isDump: Bool {
    if case .dump = self { true } else { false }
  }

  package var name: String {
    switch self {
    case .dump(let format): format.rawValue
    case .capture: "capture"
    case .export(let format): format.rawValue
    }
  }
}
