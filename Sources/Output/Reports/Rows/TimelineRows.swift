import Basics

/// Writes a line for each time of a record (docs/formats.md#timelines).
package final class TimelineRows: RowTable {
  package enum Form: Sendable { case timesketch, bodyfile }

  private struct Event {
    /// The index of the column with the time.
    var time: Int
    /// What the time is of.
    var description: String
    var sentence: [Part]
  }

  private enum Part {
    case text(String)
    /// The first of these columns that has a value.
    case value(of: [Int])
  }

  private static let location = "({source}, stream {stream}, offset {offset})"

  /// The times of a kind of record: the column, what the time is of, and the sentence that says what happened.
  private static let events: [ExportedKind: [(column: String, description: String, sentence: String)]] = [
    .feedback: [
      ("time", "Token invalidated", "Token {token} was invalidated \(location)"),
      ("captured_at", "Packet captured", "Feedback of token {token} was captured \(location)"),
    ],
    .requests: [
      ("captured_at", "Packet captured", "Request for token {token} was captured: {outcome} \(location)")
    ],
    .responses: [
      ("captured_at", "Packet captured", "Error {status} for token {token} was captured \(location)")
    ],
    .pushes: [
      ("time", "Token invalidated", "Token {token|token_text} was invalidated \(location)"),
      (
        "captured_at", "Packet captured",
        "Push to token {token|token_text} was captured: {outcome} \(location)"
      ),
      ("logged_at", "Line logged", "Push to token {token|token_text} was logged: {outcome} \(location)"),
    ],
    .broadcasts: [
      (
        "captured_at", "Packet captured",
        "Broadcast to channel {channel_id} of {app} was captured: {outcome} \(location)"
      )
    ],
    .channels: [
      (
        "captured_at", "Packet captured",
        "Request ({operation}) for channels of {app} was captured: status {status} \(location)"
      )
    ],
    .streams: [
      ("started_at", "Stream started", "Stream {stream} ({protocol}) of {source} started"),
      ("ended_at", "Stream ended", "Stream {stream} ({protocol}) of {source} ended"),
    ],
    .inputs: [("modified_at", "File modified", "File {source} was modified")],
    .tokens: [
      ("first_seen", "Token first seen", "Token {token} was first seen"),
      ("last_seen", "Token last seen", "Token {token} was last seen"),
      ("invalidated_at", "Token invalidated", "Token {token} was invalidated \(location)"),
    ],
  ]

  /// The kinds with times.
  package static let kinds = Set(events.keys)

  /// Members of Timesketch's own with other values.
  private static let taken: Set = ["message", "timestamp"]

  private let form: Form
  private let output: OutputBuffer
  private let type: String
  private let events: [Event]
  /// The index of the column with the flags; nil if there is none.
  private let flags: Int?
  /// The text before the value of each column; nil for those that are left out.
  private let keys: [String?]

  /// - Parameter output: gets values in the style of JSON.
  init(_ form: Form, _ kind: ExportedKind, _ names: [String], _ output: OutputBuffer) {
    (self.form, self.output, type) = (form, output, kind.type)
    events = (Self.events[kind] ?? []).compactMap { event in
      names.firstIndex(of: event.column).map {
        Event(time: $0, description: event.description, sentence: Self.parts(of: event.sentence, names))
      }
    }
    flags = names.firstIndex(of: "flags")
    keys = names.map { Self.taken.contains($0) ? nil : ",\"\($0)\":" }
  }

  /// - Parameter sentence: with names of columns in braces.
  private static func parts(of sentence: String, _ names: [String]) -> [Part] {
    sentence.split(separator: "{").flatMap { part -> [Part] in
      let (name, text) =
        part.firstIndex(of: "}").map { (part[..<$0], part[part.index(after: $0)...]) } ?? ("", part)
      let columns = name.split(separator: "|").compactMap { names.firstIndex(of: String($0)) }
      return (columns.isEmpty ? [] : [.value(of: columns)]) + [.text(String(text))]
    }
  }

  package func append(_ row: [RowValue]) throws {
    for event in events {
      guard let time = row[event.time].time else { continue }
      switch form {
      case .timesketch: try appendObject(row, event, time)
      case .bodyfile:
        let seconds = time.seconds
        try output.append("0|apnsift: ")
        try appendSentence(row, event)
        // All four times: mactime prints a line in the year 0 for those that are 0.
        try output.append("|0|0|0|0|0|\(seconds)|\(seconds)|\(seconds)|\(seconds)\n")
      }
    }
  }

  private func appendObject(_ row: [RowValue], _ event: Event, _ time: CaptureTime) throws {
    let microseconds = time.microseconds
    let fraction = UInt64(clamping: microseconds &- time.seconds &* 1_000_000)
    let exact = CaptureTime(seconds: time.seconds, fraction: fraction, digits: 6)
    try output.append("{\"message\":\"")
    try appendSentence(row, event)
    try output.append("\",\"datetime\":\"")
    // The Z is overwritten.
    try output.extend(CaptureTime.maxTextLength) { max(exact.write(to: $0) - 1, 0) }
    try output.append("+00:00\",\"timestamp\":\(microseconds),\"timestamp_desc\":\"\(event.description)\"")
    try output.append(",\"data_type\":\"apnsift:\(type)\"")
    for (index, key) in keys.enumerated() where !row[index].isNothing {
      guard let key else { continue }
      try output.append(key)
      try output.append(row[index].bytes)
    }
    try output.append("}\n")
  }

  private func appendSentence(_ row: [RowValue], _ event: Event) throws {
    for part in event.sentence {
      switch part {
      case .text(let text): try output.append(text)
      case .value(let columns):
        guard let index = columns.first(where: { !row[$0].isNothing }) else {
          try output.append("unknown")
          continue
        }
        try append(inner: row[index].bytes)
      }
    }
    guard let flags else { return }
    let names = row[flags].bytes.filter { !"[]\"".utf8.contains($0) }
    if !names.isEmpty { try output.append("; \(String(decoding: names, as: UTF8.self))") }
  }

  /// Appends a value of JSON without its quotes. In a body file, `|` separates fields.
  private func append(inner value: UnsafeRawBufferPointer) throws {
    let isText = value.first == UInt8(ascii: "\"")
    let text = isText ? UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast()) : value
    guard form == .bodyfile else { return try output.append(text) }
    let fields = text.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    for (index, field) in fields.enumerated() {
      if index > 0 { try output.append("\\u007c") }
      try output.append(UnsafeRawBufferPointer(rebasing: field))
    }
  }
}
