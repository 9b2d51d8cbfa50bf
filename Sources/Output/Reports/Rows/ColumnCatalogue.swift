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
    case texts
    case itemIDs
    case hex
  }

  package var name: String
  package var type = ValueType.text
  /// Whether it may be empty in CSV and null in JSON.
  package var isOptional = false
  /// With units and base.
  package var meaning = ""

  /// Whether it is a local time, which only --time-zone adds.
  package static func isLocal(_ name: String) -> Bool { name.hasSuffix("_local") }

  /// Whether it follows from others, and is only written if it is named.
  package static func isDerived(_ name: String) -> Bool { name == "stream_offset" || name == "token_kind" }
}

extension ExportedKind {
  /// The kinds with columns of their own.
  package static let tables = allCases.filter { $0.table == $0 }

  /// The kind that has its columns.
  package var table: ExportedKind {
    switch self {
    case .resend: .requests
    case .resendPushes: .pushes
    case .feedback, .requests, .responses, .pushes, .broadcasts, .channels, .streams, .findings, .tokens,
      .inputs:
      self
    }
  }

  /// What of today's service its rows are; nil for other kinds.
  package var service: ServiceRequest.Kind? {
    switch table {
    case .pushes: .push
    case .broadcasts: .broadcast
    case .channels: .channel
    case .feedback, .requests, .responses, .streams, .findings, .tokens, .inputs, .resend, .resendPushes: nil
    }
  }

  /// The member `type` of its JSON objects.
  package var type: String {
    switch table {
    case .feedback: "feedback"
    case .pushes: "push"
    case .requests, .responses, .broadcasts, .channels, .streams, .findings, .tokens, .inputs, .resend,
      .resendPushes:
      String(table.rawValue.dropLast())
    }
  }

  /// In their order.
  package var columnNames: [String] {
    switch table {
    case .feedback: FeedbackColumn.allCases.map(\.name)
    case .requests, .resend: RequestColumn.allCases.map(\.name)
    case .responses: ResponseColumn.allCases.map(\.name)
    case .pushes, .resendPushes: PushColumn.columns(.push).map(\.name)
    case .broadcasts: PushColumn.columns(.broadcast).map(\.name)
    case .channels: PushColumn.columns(.channel).map(\.name)
    case .streams: StreamColumn.allCases.map(\.name)
    case .findings: FindingColumn.allCases.map(\.name)
    case .tokens: TokenColumn.allCases.map(\.name)
    case .inputs: InputColumn.allCases.map(\.name)
    }
  }

  /// In their order, as columns.txt describes them.
  package var columns: [ColumnEntry] {
    columnNames.map { name in
      let kinds = [table.rawValue, "shared"]
      return kinds.lazy.compactMap { ColumnEntry.kinds[$0]?[name] }.first ?? ColumnEntry(name: name)
    }
  }

  /// The names of all columns but those that follow from others.
  package func names(hasLocalTimes: Bool) -> [String] {
    columnNames.filter { !ColumnEntry.isDerived($0) && (hasLocalTimes || !ColumnEntry.isLocal($0)) }
  }

  /// The default columns of a table. A payload may be personal data.
  package var standard: [String] {
    let all = names(hasLocalTimes: false)
    return switch table {
    case .feedback:
      [
        "source", "stream", "offset", "packet", "captured_at", "timestamp", "time", "token_length", "token",
        "flags",
      ]
    case .pushes: all.filter { $0 != "payload" }
    case .inputs: all.filter { $0 != "md5" }
    case .requests, .responses, .broadcasts, .channels, .streams, .findings, .tokens, .resend, .resendPushes:
      all
    }
  }

  package static let carvedColumns = [
    "source", "stream", "offset", "file_offset", "form", "chain", "chain_length", "confidence", "time",
    "token", "flags", "fs_path", "fs_inode", "fs_state",
  ]
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
        name: names[0], type: ValueType(names[1].filter { $0 != "?" }), isOptional: names[1].hasSuffix("?"),
        meaning: String(parts[1].dropFirst()))
    }
    return kinds
  }()

  /// Whether its values are numbers, or null.
  package var isNumber: Bool { if case .int64 = arrowType { true } else { false } }

  /// Whether records are looked up by it: a token, or a time in UTC.
  package var isLookedUp: Bool {
    if case .named(let name) = type { ["captureTime", "time", "token"].contains(name) } else { false }
  }

  var arrowType: ArrowType {
    switch type {
    case .integer: .int64
    case .text, .words: .utf8
    case .flags, .texts: .utf8List
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
    "COMPRESSION": Compression.allCases.map(\.rawValue) + [EWFImage.name, UTF16Text.name],
    "CONFIDENCE": Confidence.allCases.map(\.rawValue),
    "FILE_STATE": FileOwner.State.allCases.map(\.rawValue),
    "FILE-KIND": FileStatus.Kind.allCases.map(\.rawValue),
    "ENVIRONMENT": PushEnvironment.allCases.map(\.rawValue),
    "FORM": Carving.CarvedForm.allCases.map(\.rawValue),
    "FORMAT": InputFormat.all.map(\.name) + ArchiveFormat.allCases.map(\.rawValue),
    "OPERATION": ServiceRequest.operations.map(\.rawValue),
    "PROTOCOL": StreamProtocol.allCases.map(\.rawValue),
    "PUSH-OUTCOME": PushOutcome.allCases.map(\.rawValue),
    "TOKEN-KIND": TokenKind.allCases.map(\.rawValue),
    "VERDICT": InputRecord.ReadStatus.allCases.map(\.rawValue),
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
      self =
        ["text": .text, "texts": .texts, "flags": .flags, "item-ids": .itemIDs, "hex": .hex][text]
        ?? .named(text)
    }
  }
}
