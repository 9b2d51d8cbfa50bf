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
