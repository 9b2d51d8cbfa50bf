import APNsWire
import Basics
import ProviderLogs

/// What a decoder returns for a log, as text.
struct DecodedLog {
  /// Each step: `push 1 token=abab status=410`, `passed`, `unrelated 2+3` (first line and number of lines), `bad 4+1
  /// timeIsNoTime`, `truncated`.
  private(set) var steps: [String] = []
  /// Offsets and lengths of all steps, in their order.
  private(set) var extents: [Range<Int>] = []
  private(set) var problemTexts: [String] = []
  /// When the lines of the pushes were written, in milliseconds since 1970.
  private(set) var logged: [Int64?] = []
  /// Numbers of lines with status 410 whose times are doubtful, and whose times are those of the lines.
  private(set) var doubtful = 0
  private(set) var ofLines = 0

  /// The records of a list: time and token.
  private(set) var reports: [String] = []

  init(
    _ log: String, mapping: String? = nil, options: LogOptions = LogOptions(), chunk: Int = .max
  ) throws {
    try self.init(Array(log.utf8), mapping: mapping, options: options, chunk: chunk)
  }

  /// - Parameter chunk: bytes given to the decoder at once.
  init(
    _ log: [UInt8], mapping: String? = nil, options: LogOptions = LogOptions(), chunk: Int = .max
  ) throws {
    var options = options
    if let mapping { options.mapping = try LogMapping(mapping) }
    let decoder = LogDecoder(options)
    decoder.prepare(with: log.span.bytes.extracting(first: min(log.count, 64 << 10)))
    var start = 0
    while start < log.count {
      let end = log.count - start > chunk ? start + chunk : log.count
      let part = Array(log[start..<end])
      while let step = decoder.next(in: part.span.bytes) { add(step, decoder) }
      start = end
    }
    decoder.finish()
    while let step = decoder.next(in: RawSpan()) { add(step, decoder) }
    doubtful = decoder.logTimes(areDoubtful: true).count
    ofLines = decoder.logTimes(areDoubtful: false).count
  }

  /// The pushes, without what else the log has.
  var pushes: [String] { steps.filter { $0.hasPrefix("push") } }

  private mutating func add(_ step: LogDecoder.Step, _ decoder: LogDecoder) {
    switch step {
    case .record(.push(let offset, let length)):
      steps.append(Self.text(of: decoder))
      logged.append(decoder.fields.loggedAt)
      if let report = decoder.report {
        reports.append("\(report.time) \(Self.token(of: decoder) ?? "")")
      }
      extents.append(offset..<offset + length)
    case .record(.passed(let offset, let length)):
      steps.append("passed")
      extents.append(offset..<offset + length)
    case .truncated(let offset, let length):
      steps.append("truncated")
      extents.append(offset..<offset + length)
    case .record(.skipped(let skip)):
      let kind = skip.finding.map { "bad \(skip.firstLine)+\(skip.lines) \($0.cause)" }
      steps.append(kind ?? "unrelated \(skip.firstLine)+\(skip.lines)")
      extents.append(skip.offset..<skip.offset + skip.length)
      if skip.finding != nil { problemTexts.append(String(decoding: decoder.findingText, as: UTF8.self)) }
    case .skipped, .between, .undecodable: break
    }
  }

  private static func text(of decoder: LogDecoder) -> String {
    let fields = decoder.fields
    return decoder.withTexts { bytes in
      func text(_ field: PushFields.Text) -> String? {
        fields[field].map { range in
          bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
      }
      let values: [(name: String, value: (any CustomStringConvertible)?)] = [
        ("token", token(of: decoder)), ("text", text(.tokenText)), ("topic", text(.topic)),
        ("type", text(.pushType)), ("id", text(.apnsID)), ("unique", text(.uniqueID)),
        ("collapse", text(.collapseID)), ("priority", fields.priority), ("expiration", fields.expiration),
        ("status", fields.status), ("reason", text(.reason)), ("time", fields.timestamp),
      ]
      let flags = PushFlags.all.filter {
        fields.flags.contains($0.flag) && $0.flag != .unexpectedTokenLength
      }
      let parts = values.compactMap { name, value in value.map { "\(name)=\($0)" } } + flags.map(\.code)
      return (["push \(fields.line ?? 0)"] + parts).joined(separator: " ")
    }
  }

  private static func token(of decoder: LogDecoder) -> String? {
    decoder.withTexts { texts in
      decoder.fields[.token].map { Hex.string($0.map { texts.byte(at: $0) }) }
    }
  }
}
