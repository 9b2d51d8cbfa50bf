import APNsWire
import Analysis
import Basics
import PacketCapture
import StreamInputs

/// What a column of CSV, or a member of a JSON record, has, from columns.txt.
package struct ColumnEntry: Sendable {
  package enum ValueType: Sendable {
    /// A definition of docs/schemas/apnsift-1.ndjson.schema.json, such as `offset`.
    case named(String)
    case integer(ClosedRange<Int>)
    case text
    /// One of these words.
    case words([String])
    /// A list, in CSV separated by semicolons, in JSON an array.
    case flags
    case itemIDs
    case hex
  }

  package var type: ValueType
  /// Whether it may be empty in CSV and null in JSON.
  package var isOptional = false
  /// With units and base.
  package var meaning = ""
}

/// The columns of one kind of record.
package protocol RecordColumn: LocalTimeColumn {
  /// As `--records` names the kind, and as the member `type` of JSON does.
  static var kind: (records: String, type: String) { get }
}

extension RecordColumn {
  package var entry: ColumnEntry {
    let kinds = ColumnEntry.kinds
    return kinds[Self.kind.records]?[rawValue] ?? kinds["shared"]?[rawValue] ?? ColumnEntry(type: .text)
  }
}

extension FeedbackColumn: RecordColumn {
  package static let kind = (records: "feedback", type: "feedback")
}

extension RequestColumn: RecordColumn {
  package static let kind = (records: "requests", type: "request")
}

extension ResponseColumn: RecordColumn {
  package static let kind = (records: "responses", type: "response")
}

extension PushColumn: RecordColumn {
  package static let kind = (records: "pushes", type: "push")
}

extension StreamColumn: RecordColumn {
  package static let kind = (records: "streams", type: "stream")
}

extension FindingColumn: RecordColumn {
  package static let kind = (records: "findings", type: "finding")
}

extension InputColumn: RecordColumn {
  package static let kind = (records: "inputs", type: "input")
}

extension ColumnEntry {
  /// The entries of columns.txt by kind and column. A test finds a column without one.
  fileprivate static let kinds: [String: [String: ColumnEntry]] = {
    var kinds: [String: [String: ColumnEntry]] = [:]
    var kind = ""
    for line in String(decoding: PackageResources.columns_txt, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      let names = parts[0].split(separator: " ").map(String.init)
      if line.hasPrefix("#") { continue }
      guard parts.count == 2, names.count == 2 else {
        kind = String(line)
        continue
      }
      kinds[kind, default: [:]][names[0]] = ColumnEntry(
        type: ValueType(names[1].filter { $0 != "?" }), isOptional: names[1].hasSuffix("?"),
        meaning: String(parts[1].dropFirst()))
    }
    return kinds
  }()

  /// How Arrow has it.
  var arrowType: ArrowType {
    switch type {
    case .integer: .int64
    case .text, .words: .utf8
    case .flags: .utf8List
    case .itemIDs: .int64List
    case .hex: .binary
    case .named(let name):
      switch name {
      case "count", "identifier", "offset", "packet", "seconds", "status", "stream": .int64
      case "captureTime", "time": .timestamp
      case "token": .binary
      default: .utf8
      }
    }
  }
}

extension ColumnEntry.ValueType {
  /// Words that the program defines.
  private static let words = [
    "COMPRESSION": Compression.allCases.map(\.rawValue) + [InputReport.imageName, UTF16Text.name],
    "CONFIDENCE": Confidence.allCases.map(\.rawValue),
    "FILE-KIND": FileStatus.Kind.allCases.map(\.rawValue),
    "FORM": Carving.Form.allCases.map(\.rawValue),
    "FORMAT": InputFormat.all.map(\.name) + ArchiveFormat.allCases.map(\.rawValue),
    "PROTOCOL": StreamProtocol.allCases.map(\.rawValue),
    "PUSH-OUTCOME": PushOutcome.allCases.map(\.rawValue),
    "TOKEN-KIND": TokenKind.allCases.map(\.rawValue),
    "VERDICT": InputRecord.Verdict.allCases.map(\.rawValue),
  ]

  /// As columns.txt writes it.
  fileprivate init(_ text: String) {
    let ends = text.split(separator: ".").compactMap { Int($0) }
    if ends.count == 2 {
      self = .integer(ends[0]...max(ends[0], ends[1]))
    } else if text.contains("|") {
      self = .words(text.split(separator: "|").map(String.init))
    } else if let words = Self.words[text] {
      self = .words(words)
    } else {
      self = ["text": .text, "flags": .flags, "item-ids": .itemIDs, "hex": .hex][text] ?? .named(text)
    }
  }
}
