import APNsWire
import Analysis
import WireBytes

/// Spells requests and responses as rows: lines of CSV, or JSON objects.
struct GatewayRowWriter {
  private let style: FieldStyle
  private let letterCase: Hex.LetterCase
  private let requestColumns: [RequestColumn]
  private let responseColumns: [ResponseColumn]
  /// What stands before each value: a comma, or a key.
  private let requestKeys: [[UInt8]]
  private let responseKeys: [[UInt8]]
  /// How the source of the last row is spelled: rows of one input follow each other.
  private var source: (labels: StreamLabels, text: [UInt8])?
  /// The row that is being made.
  private(set) var row: [UInt8] = []

  init(
    _ style: FieldStyle, letterCase: Hex.LetterCase, requests: [RequestColumn] = RequestColumn.allCases,
    responses: [ResponseColumn] = ResponseColumn.allCases
  ) {
    self.style = style
    self.letterCase = letterCase
    requestColumns = requests
    responseColumns = responses
    requestKeys = Self.keys(style, "request", requests.map(\.rawValue))
    responseKeys = Self.keys(style, "response", responses.map(\.rawValue))
  }

  private static func keys(_ style: FieldStyle, _ type: String, _ names: [String]) -> [[UInt8]] {
    names.enumerated().map { index, name in
      switch style {
      case .csv: Array((index == 0 ? "" : ",").utf8)
      case .json: Array(((index == 0 ? "{\"type\":\"\(type)\"" : "") + ",\"\(name)\":").utf8)
      }
    }
  }

  private mutating func appendSource(_ labels: StreamLabels) {
    if source?.labels !== labels {
      var text: [UInt8] = []
      style.append(labels.source, to: &text)
      source = (labels, text)
    }
    if let source { row += source.text }
  }

  private static func word(_ outcome: RequestOutcome) -> StaticString {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .discarded: "discarded"
    case .unknown: "unknown"
    }
  }

  private mutating func endRow() {
    row.append(style == .json ? UInt8(ascii: "}") : UInt8(ascii: "\n"))
  }

  // MARK: - Requests

  /// Makes the row of a request, which stands in `bytes`.
  mutating func make(_ request: RequestRecord, labels: StreamLabels, in bytes: RawSpan) {
    row.removeAll(keepingCapacity: true)
    let fields = RequestFields(request.range, in: bytes)
    let payloadIsText = fields.payload.map { UTF8Text.isValid($0, in: bytes) } ?? true
    for index in requestColumns.indices {
      row += requestKeys[index]
      let column = requestColumns[index]
      if !appendPlace(column, of: request, labels: labels) {
        append(column, of: fields, request: request, payloadIsText: payloadIsText, in: bytes)
      }
    }
    endRow()
  }

  /// Appends what says where the request stands and what became of it; false for what it says itself.
  private mutating func appendPlace(
    _ column: RequestColumn, of request: RequestRecord, labels: StreamLabels
  ) -> Bool {
    switch column {
    case .source: appendSource(labels)
    case .stream: style.append(labels.stream, to: &row)
    case .direction: style.append(word: "client", to: &row)
    case .offset: style.append(request.offset, to: &row)
    case .length: style.append(request.range.count, to: &row)
    case .packet: style.append(request.packet?.number, to: &row)
    case .originalPacket: style.append(request.packet?.original, to: &row)
    case .fileOffset: style.append(request.fileOffset, to: &row)
    case .capturedAt: style.append(request.packet?.time, to: &row)
    case .outcome: style.append(word: Self.word(request.outcome), to: &row)
    case .outcomeStatus: style.append(request.status.map(Int.init), to: &row)
    case .flags: style.append(codes: request.flags.codes, to: &row)
    default: return false
    }
    return true
  }

  private mutating func append(
    _ column: RequestColumn, of fields: RequestFields, request: RequestRecord, payloadIsText: Bool,
    in bytes: RawSpan
  ) {
    switch column {
    case .command: style.append(Int(fields.command), to: &row)
    case .identifier: style.append(fields.identifier.map(Int.init), to: &row)
    case .expiry: style.append(fields.expiry.map(Int.init), to: &row)
    case .priority: style.append(fields.priority.map(Int.init), to: &row)
    case .tokenLength: style.append(fields.token?.count, to: &row)
    case .token: append(hexOf: fields.token, in: bytes, letterCase: letterCase)
    case .payloadLength: style.append(fields.payload?.count, to: &row)
    case .payload:
      if let payload = fields.payload, payloadIsText {
        style.append(textOf: payload, in: bytes, to: &row)
      } else {
        style.appendNothing(to: &row)
      }
    case .payloadHex: append(hexOf: payloadIsText ? nil : fields.payload, in: bytes, letterCase: .lower)
    case .items: append(fields.items, in: bytes)
    default: break
    }
  }

  private mutating func append(hexOf range: Range<Int>?, in bytes: RawSpan, letterCase: Hex.LetterCase) {
    guard let range else { return style.appendNothing(to: &row) }
    style.append(hexOf: range, in: bytes, letterCase: letterCase, to: &row)
  }

  /// The ids in the order of the wire.
  private mutating func append(_ items: RequestItems?, in bytes: RawSpan) {
    guard var items else { return style.appendNothing(to: &row) }
    if style == .json { row.append(UInt8(ascii: "[")) }
    var isFirst = true
    while let item = items.next(in: bytes) {
      if !isFirst { row.append(style == .json ? UInt8(ascii: ",") : UInt8(ascii: ";")) }
      isFirst = false
      style.append(Int(item.id), to: &row)
    }
    if style == .json { row.append(UInt8(ascii: "]")) }
  }

  // MARK: - Responses

  mutating func make(_ response: ResponseRecord) {
    row.removeAll(keepingCapacity: true)
    for index in responseColumns.indices {
      row += responseKeys[index]
      append(responseColumns[index], of: response)
    }
    endRow()
  }

  private mutating func append(_ column: ResponseColumn, of response: ResponseRecord) {
    switch column {
    case .source: appendSource(response.labels)
    case .stream: style.append(response.labels.stream, to: &row)
    case .direction: style.append(word: "server", to: &row)
    case .offset: style.append(response.offset, to: &row)
    case .packet: style.append(response.packet?.number, to: &row)
    case .originalPacket: style.append(response.packet?.original, to: &row)
    case .fileOffset: style.append(response.fileOffset, to: &row)
    case .capturedAt: style.append(response.packet?.time, to: &row)
    case .status: style.append(Int(response.response.status), to: &row)
    case .statusText: style.append(ErrorStatus(rawValue: response.response.status)?.text, to: &row)
    case .identifier: style.append(Int(response.response.identifier), to: &row)
    case .requestOffset: style.append(response.request?.offset, to: &row)
    case .token:
      if let token = response.request?.token {
        append(hexOf: token.indices, in: token.span.bytes, letterCase: letterCase)
      } else {
        style.appendNothing(to: &row)
      }
    case .flags: style.append(codes: response.flags.codes, to: &row)
    }
  }
}
