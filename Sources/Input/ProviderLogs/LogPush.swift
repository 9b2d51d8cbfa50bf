import APNsWire
import Basics

/// What a line, or another part of a log, is.
enum LogOutcome {
  case push
  /// A header, a rule, or a record of another kind.
  case passed
  case blank
  case unrelated
  /// Its rest is missing at the end of the log.
  case truncated
  case finding(LogFinding)
  /// The rest of a too long line.
  case more
}

/// Makes the fields of a push from the values of a line.
final class LogPush {
  @exclusivity(unchecked) var fields = PushFields()
  @exclusivity(unchecked) private var line: UnsafeRawPointer
  /// The decoded texts of one line, and the bytes of its token.
  private let texts: UnsafeMutableRawPointer
  private let capacity: Int
  @exclusivity(unchecked) private var used = 0
  /// What the log shows about members named `timestamp`, and about those of nested objects.
  @exclusivity(unchecked) var times = LogTimeEvidence()
  @exclusivity(unchecked) var nestedTimes = LogTimeEvidence()
  /// The role of the line's `timestamp`; nil without one, or if it does not matter.
  @exclusivity(unchecked) var role: LogTimeRole?

  /// The clock of times without an offset from UTC.
  let zone: LogZone?
  private let tokenLengths: TokenLengths
  /// The times of a list without a flag.
  let plausible: ClosedRange<UInt32>
  /// Offset of the token in its text; 0 without one.
  @exclusivity(unchecked) var tokenStart = 0
  /// The record of a list's line.
  @exclusivity(unchecked) var report: LogReport?
  private let kind: LogOptions.LogContent
  /// The own time of the line around a nested one.
  @exclusivity(unchecked) var outerTime = LogTimes.ReadTime.absent

  /// - Parameter longestLine: in bytes.
  init(longestLine: Int, _ options: LogOptions) {
    (zone, plausible, kind) = (options.zone, options.plausible, options.kind)
    tokenLengths = options.tokenLengths
    capacity = 3 &* longestLine &+ 64
    texts = .allocate(byteCount: capacity, alignment: 8)
    texts.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
    line = UnsafeRawPointer(texts)
  }

  deinit { texts.deallocate() }

  func withTexts<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: texts, count: used).bytes)
  }

  /// - Parameters:
  ///   - isAccepted: whether its list is one of accepted or failed pushes; nil outside such a list.
  ///   - isLoose: whether the values are words in a text: a push has a token in hex, and an answer of the service.
  func make(
    _ values: LogValues, of line: UnsafeRawPointer, isAccepted: Bool? = nil, isLoose: Bool = false
  ) -> LogOutcome {
    begin(line)
    tokenStart = Int((values[.token].kind == .absent ? values[.path] : values[.token]).start)
    if kind == .reports { return makeReport(values) }
    let outcome = make(of: values, isAccepted)
    guard isLoose else { return outcome }
    if case .finding = outcome {
      return values[.token].kind != .absent && hasAnswer(values) ? outcome : .unrelated
    }
    if isAccepted != nil { return fields[.token] != nil ? outcome : .unrelated }
    guard fields.status != nil, fields[.token] != nil || fields[.apnsID] != nil else { return .unrelated }
    let isNamed = values.names(.status) && values[.token].rank > LogNames.bareRank || values.names(.success)
    return isNamed || fields[.apnsID] != nil || hasAnswer(values) ? outcome : .unrelated
  }

  /// Whether the reason is one of the service.
  func hasAnswer(_ values: LogValues) -> Bool {
    let reason = values[.reason]
    guard reason.isText else { return false }
    let text = text(reason)
    return PushReason.status(of: 0..<text.count, in: text.bytes) != nil || LogText(text).isWhole("Success")
  }

  private func make(of values: LogValues, _ isAccepted: Bool?) -> LogOutcome {
    let accepted = isAccepted ?? success(values)
    let hasAnswer =
      accepted != nil || values.names(.status) || values.names(.reason) || values[.path].kind != .absent
    guard hasAnswer else { return .unrelated }
    if let conflict = values.conflict { return .finding(LogFinding(.twoValues, conflict.range)) }
    if let finding = takeToken(values) { return .finding(finding) }
    put(.apnsID, values[.apnsID])
    if let finding = takeStatus(values, accepted) { return .finding(finding) }
    // One that was accepted has no status of a failure.
    if accepted == true, fields.status ?? 0 >= 400, !values.names(.kind) {
      let field = [.success, .status].first { values[$0].kind != .absent } ?? LogField.reason
      return .finding(LogFinding(.twoValues, values[field].range))
    }
    if fields[.token] == nil, fields[.tokenText] == nil {
      guard fields[.apnsID] != nil, fields.status != nil else { return .unrelated }
      fields.flags.insert(.uncorrelated)
    }
    if let finding = takeTime(values) { return .finding(finding) }
    // The reason and a time belong to this status only.
    if fields.status == 410, fields.timestamp != nil { fields.flags.remove(.statusInferred) }
    takeLogTime(values)
    takeRest(values)
    return .push
  }

  func begin(_ line: UnsafeRawPointer) {
    self.line = line
    used = 0
    fields = PushFields()
    role = nil
  }

  /// Makes an accepted push from a token in a list.
  func make(accepted token: Range<Int>, of line: UnsafeRawPointer) {
    begin(line)
    settle(UnsafeRawBufferPointer(start: line + token.lowerBound, count: token.count))
    fields.status = 200
    fields.flags.insert(.statusInferred)
  }

  // MARK: - Token

  private func takeToken(_ values: LogValues) -> LogFinding? {
    let token = values[.token]
    switch token.kind {
    case .text, .escapedText, .quotedText:
      if !settle(text(token)) { return LogFinding(.tokenIsNoText, token.range) }
    case .absent:
      let path = values[.path]
      guard path.isText else { return nil }
      let text = text(path)
      guard let start = LogText(text).index(of: "/3/device/") else { return nil }
      settle(UnsafeRawBufferPointer(rebasing: text[LogText(text).token(at: start &+ 10)]))
    case .number, .yes, .no, .structure:
      // Another service may have numbers as tokens.
      return LogFinding(.tokenIsNoText, token.range)
    }
    return nil
  }

  /// Sets the token: its bytes if it is hex, else its text. False if that is not UTF-8.
  @discardableResult
  func settle(_ text: UnsafeRawBufferPointer) -> Bool {
    if text.isEmpty { return true }
    let start = used
    if let count = TokenText.decode(text, to: texts + start) {
      used &+= count
      fields[.token] = start..<used
      if !tokenLengths.contains(UInt16(clamping: count)) { fields.flags.insert(.unexpectedTokenLength) }
    } else {
      fields[.tokenText] = valid(add(text))
      fields.flags.insert(.tokenNotHex)
      return fields[.tokenText] != nil
    }
    return true
  }

  // MARK: - Answer

  private func success(_ values: LogValues) -> Bool? {
    let success = values[.success]
    switch success.kind {
    case .yes: return true
    case .no: return false
    case .text:
      let word = String(decoding: raw(success).prefix(6), as: UTF8.self).lowercased()
      if ["true", "t", "yes", "y", "1"].contains(word) { return true }
      if ["false", "f", "no", "n", "0"].contains(word) { return false }
    case .absent, .escapedText, .quotedText, .number, .structure: break
    }
    let kind = values[.kind]
    guard kind.kind == .text else { return nil }
    if ["succeeded-push", "sent"].contains(where: { LogText(raw(kind)).isWhole($0) }) { return true }
    return LogText(raw(kind)).isWhole("failed-push") ? false : nil
  }

  private func takeStatus(_ values: LogValues, _ accepted: Bool?) -> LogFinding? {
    takeReason(values[.reason], hasStatus: values[.status].kind != .absent)
    let status = values[.status]
    if status.kind != .absent {
      let number = status.isScalar ? integer(raw(status)) : nil
      if let number, number == 0 || 100...599 ~= number {
        // Some clients write 0 without a response.
        fields.status = number == 0 ? nil : UInt16(truncatingIfNeeded: number)
      } else if number != nil || status.kind == .number || fields[.reason] == nil && accepted == nil {
        return LogFinding(.statusIsNoStatus, status.range)
      }
    }
    if fields.status == nil, accepted == true, fields[.reason] == nil {
      fields.status = 200
      fields.flags.insert(.statusInferred)
    }
    let reason = values[.reason]
    if fields.status == nil, accepted == nil, !reason.isText, reason.kind != .absent {
      return LogFinding(.reasonIsNoText, reason.range)
    }
    inferStatus()
    return nil
  }

  /// Takes the reason. `error` and `description` may be messages of the client: they count only if they are
  /// one of Apple's reasons, or a single word next to a status.
  private func takeReason(_ reason: LogValue, hasStatus: Bool) {
    guard reason.isText, reason.count > 0 else { return }
    let text = text(reason)
    if reason.rank == 1, PushReason.status(of: 0..<text.count, in: text.bytes) == nil,
      !hasStatus || !text.allSatisfy(LogText.isLetter)
    {
      return
    }
    if LogText(text).isWhole("Success") {
      if !hasStatus {
        fields.status = 200
        fields.flags.insert(.statusInferred)
      }
      return
    }
    put(.reason, reason)
  }

  private func inferStatus() {
    if fields.status == nil, let reason = fields[.reason],
      let status = withTexts({ PushReason.status(of: reason, in: $0) })
    {
      fields.status = status
      fields.flags.insert(.statusInferred)
    }
    if fields.status == nil { fields.flags.insert(.noResponse) }
  }

  // MARK: - Other fields

  private func takeRest(_ values: LogValues) {
    put(.topic, values[.topic])
    put(.pushType, values[.pushType])
    put(.uniqueID, values[.uniqueID])
    put(.collapseID, values[.collapseID])
    let priority = values[.priority]
    if priority.kind != .absent { fields.priority = integer(raw(priority)).flatMap { UInt8(exactly: $0) } }
    let expiration = values[.expiration]
    if expiration.kind != .absent {
      if integer(raw(expiration)) == 0 {
        fields.expiration = 0
      } else if case .time(let milliseconds) = LogTimes.milliseconds(text(expiration), zone: zone) {
        fields.expiration = milliseconds / 1000
      }
    }
    let length = values[.payloadLength]
    if length.isScalar { fields.payloadLength = integer(raw(length)) }
  }

  /// Sets a text if the value is a non-empty text in UTF-8.
  private func put(_ text: PushFields.Text, _ value: LogValue) {
    guard value.count > 0, value.isText else { return }
    let start = used
    if value.kind == .text { _ = add(raw(value)) } else { _ = decoded(value) }
    fields[text] = valid(start..<used)
  }

  // MARK: - Texts

  func raw(_ value: LogValue) -> UnsafeRawBufferPointer { value.bytes(in: line) }

  /// Appends a text; returns its range.
  private func add(_ text: UnsafeRawBufferPointer) -> Range<Int> {
    let start = used
    guard let base = text.baseAddress, start &+ text.count <= capacity else { return start..<start }
    (texts + start).copyMemory(from: base, byteCount: text.count)
    used = start &+ text.count
    return start..<used
  }

  /// A range of the texts; nil if it is not UTF-8.
  private func valid(_ text: Range<Int>) -> Range<Int>? {
    withTexts { UTF8Text.isValid(text, in: $0) } ? text : nil
  }

  /// A value without escapes.
  func text(_ value: LogValue) -> UnsafeRawBufferPointer {
    value.kind == .escapedText || value.kind == .quotedText ? decoded(value) : raw(value)
  }

  /// Appends an unescaped text, which is never longer than the escaped one.
  private func decoded(_ value: LogValue) -> UnsafeRawBufferPointer {
    let start = used
    let text = raw(value)
    guard start &+ text.count <= capacity else { return UnsafeRawBufferPointer(start: texts, count: 0) }
    if value.kind == .escapedText {
      var unpaired: Int?
      used &+= JSONEscapes.read(text, to: texts + start, unpaired: &unpaired)
    } else {
      used &+= CSVColumns.unquote(text, to: texts + start)
    }
    return UnsafeRawBufferPointer(start: texts + start, count: used &- start)
  }

  /// At most nine digits.
  private func integer(_ text: UnsafeRawBufferPointer) -> Int? {
    text.allSatisfy { 0x30...0x39 ~= $0 } ? LogText(text).number(at: 0) : nil
  }
}
