import APNsWire
import Basics

/// The words of a line with a token (docs/spec/text-lines.md#words).
struct LineText {
  /// Directly before a time, they say that the token is invalid since then; `timestamp` may be the log's own time.
  private static let times: [StaticString] = [
    "failed", "failedat", "invalidsince", "invalidated", "invalidatedat", "unregistered", "unregisteredat",
    "unregisteredsince", "unsubscribed", "unsubscribedat", "uninstalled", "uninstalledat", "inactivesince",
    "feedback", "feedbacktime",
  ]
  private static let anyTime: StaticString = "timestamp"
  /// Anywhere in the line, they say that the token is invalid.
  private static let ends: [StaticString] = ["feedback", "invalid", "uninstall", "inactive"]
  /// Anywhere in the line, they say that the token is in use, unless `negations` precedes.
  private static let uses: [StaticString] = [
    "regist", "subscri", "stored", "storing", "saved", "saving", "enrol", "added",
  ]
  private static let negations: [StaticString] = [
    "un", "de", "not", "longer", "remove", "removed", "removing", "delete", "deleted", "deleting", "expired",
  ]

  let range: Range<Int>
  let token: Range<Int>
  let window: UnsafeRawBufferPointer

  var isInUse: Bool { words { index, _ in has(Self.uses, at: index) && !isNegated(index) } }

  var tellsOfEnd: Bool {
    words { index, _ in has(Self.ends, at: index) || has(Self.uses, at: index) && isNegated(index) }
  }

  private func words(_ matches: (Int, UInt8) -> Bool) -> Bool {
    range.contains { !token.contains($0) && Self.isLetter(window[$0]) && matches($0, window[$0]) }
  }

  /// Whether the line begins there.
  func isStart(_ index: Int) -> Bool {
    index == range.lowerBound && (index == 0 || [0, 10, 13].contains(window[index &- 1]))
  }

  /// How well the words before `index` name a time there: 2 as that of the token's end, 1 as a time, 0 not at all.
  func rank(ofTimeAt index: Int) -> Int {
    if Self.times.contains(where: { ends(with: $0, before: index) }) { return 2 }
    return ends(with: Self.anyTime, before: index) ? 1 : 0
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  private func has(_ words: [StaticString], at index: Int) -> Bool {
    words.contains { word in
      guard index &+ word.utf8CodeUnitCount <= range.upperBound else { return false }
      return (0..<word.utf8CodeUnitCount).allSatisfy { window[index &+ $0] | 0x20 == word.utf8Start[$0] }
    }
  }

  /// Whether a negation precedes the word at `index`, as in `unregistered`, `NotRegistered` and `no longer stored`.
  private func isNegated(_ index: Int) -> Bool {
    let isApart = index > range.lowerBound && [0x20, 0x2d, 0x5f].contains(window[index &- 1])
    let end = isApart ? index &- 1 : index
    return Self.negations.contains { word in
      let start = end &- word.utf8CodeUnitCount
      guard start >= range.lowerBound, has([word], at: start) else { return false }
      // It begins a word: "run registration" and "nodeRegistered" have none.
      let isCapital = window[start] & 0x20 == 0
      return start == range.lowerBound || !Self.isLetter(window[start &- 1])
        || isCapital && window[start &- 1] & 0x20 != 0
    }
  }

  /// Whether the letters before `index` end with `word`, whatever marks and blanks are between them.
  private func ends(with word: StaticString, before index: Int) -> Bool {
    var rest = word.utf8CodeUnitCount
    var index = index
    while rest > 0, index > range.lowerBound, !token.contains(index &- 1) {
      index &-= 1
      let byte = window[index]
      if Self.isLetter(byte) {
        rest &-= 1
        guard byte | 0x20 == word.utf8Start[rest] else { return false }
      } else if byte &- UInt8(ascii: "0") < 10 || byte >= 0x80 {
        return false
      }
    }
    return rest == 0
  }
}

/// What a line says of its token.
struct JudgedLine {
  /// The indices of the token with its brackets.
  let token: Range<Int>
  var time: LineTime
  /// Index of its first character.
  var timeIndex: Int
  var flags: RecordFlags
  /// Whether a word says what the time is.
  var isNamed: Bool

  /// Nil if no time counts: numbers do if words name them or the line begins with them, and all that are plausible.
  ///
  /// Of several times the best named one is taken, and of those the earliest: feedback reports the past, and a line is
  /// written after what it reports.
  init?(_ line: LineText, _ tuples: TupleSearch, _ zone: LogZone?) {
    var best: (time: LineTime, index: Int, rank: Int)?
    var hasOther = false
    var index = line.range.lowerBound
    while index < line.range.upperBound {
      defer { index &+= 1 }
      if line.token.contains(index) { continue }
      guard let time = LineTime(at: index, to: line.range.upperBound, in: line.window, zone: zone) else {
        continue
      }
      let rank = line.rank(ofTimeAt: index)
      guard tuples.isPlausible(time.seconds), rank > 0 || !time.isNumber || line.isStart(index) else {
        continue
      }
      if let known = best {
        hasOther = hasOther || known.time.seconds != time.seconds
        if (rank, known.time.seconds) > (known.rank, time.seconds) { best = (time, index, rank) }
      } else {
        best = (time, index, rank)
      }
      index = time.end &- 1
    }
    guard let best else { return nil }
    (token, time, timeIndex, flags) = (line.token, best.time, best.index, [])
    if !time.hasZone { flags.insert(.assumedUTC) }
    if hasOther { flags.insert(.otherTimeInLine) }
    isNamed = best.rank > 0 || line.tellsOfEnd && !best.time.isNumber
  }
}
