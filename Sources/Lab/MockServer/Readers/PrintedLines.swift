import Basics
import Conformance
import ReaderModels

/// Judges the output of an external reader, line by line.
package protocol PrintedJudge {
  /// - Parameters:
  ///   - line: without line end.
  ///   - isCut: whether it is the beginning of a line that is too long to be a record.
  mutating func take(_ line: ArraySlice<UInt8>, isCut: Bool)
  consuming func finish(outcome: ReaderOutcome) -> Judgement
}

/// Splits output into lines. Memory: one line at most.
package struct PrintedLines<Judge: PrintedJudge> {
  private var judge: Judge
  private var line: [UInt8] = []
  private var isOverlong = false

  /// Bytes of the longest record: a time of 64 bits, a comma, a token of 65535 bytes in hex.
  private static var longest: Int { 20 + 1 + 2 * 65535 }

  package init(_ judge: Judge) { self.judge = judge }

  package mutating func take(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      if line.isEmpty, !isOverlong, end - rest.startIndex <= Self.longest {
        // A complete line is judged without a copy.
        judge.take(Self.withoutReturn(rest[..<end]), isCut: false)
      } else {
        add(rest[..<end])
        endLine()
      }
      rest = rest[(end + 1)...]
    }
    add(rest)
  }

  /// The last line need not have a line end.
  package consuming func finish(outcome: ReaderOutcome) -> Judgement {
    if !line.isEmpty || isOverlong { endLine() }
    return judge.finish(outcome: outcome)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    guard !isOverlong else { return }
    // One byte more for the carriage return of a line end.
    isOverlong = line.count + bytes.count > Self.longest + 1
    line += isOverlong ? bytes.prefix(PrintedText.shown) : bytes
  }

  private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  private mutating func endLine() {
    judge.take(isOverlong ? line[...] : Self.withoutReturn(line[...]), isCut: isOverlong)
    line.removeAll(keepingCapacity: !isOverlong)
    isOverlong = false
  }
}

extension FeedbackJudge: PrintedJudge {
  package mutating func take(_ line: ArraySlice<UInt8>, isCut: Bool) {
    guard !isCut, let (time, token) = PrintedText.tuple(line) else {
      return receive(rubbish: PrintedText.quoted(line, isCut: isCut))
    }
    receive(time: time, token: token)
  }
}

/// Parses records as readers print them.
package enum PrintedText {
  /// The most characters of a line that messages show.
  static let shown = 80

  /// `timestamp,token`: decimal seconds, possibly negative, and hex of either case, possibly empty.
  package static func tuple(_ line: ArraySlice<UInt8>) -> (time: Int64, token: [UInt8])? {
    guard let comma = line.firstIndex(of: UInt8(ascii: ",")), let time = number(line[..<comma]),
      let token = Hex.bytes(String(decoding: line[(comma + 1)...], as: UTF8.self))
    else { return nil }
    return (time, token)
  }

  /// `status,identifier`, both decimal.
  static func response(_ line: ArraySlice<UInt8>) -> (status: Int64, identifier: Int64)? {
    guard let comma = line.firstIndex(of: UInt8(ascii: ",")), let status = number(line[..<comma]),
      let identifier = number(line[(comma + 1)...])
    else { return nil }
    return (status, identifier)
  }

  /// Decimal digits with an optional minus; nil for other text, or a number of more than 64 bits.
  private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }

  /// A line in quotes, shortened if it is long.
  static func quoted(_ line: ArraySlice<UInt8>, isCut: Bool = false) -> String {
    let text = String(decoding: line.prefix(4 * shown), as: UTF8.self)
    let isLonger = isCut || line.count > 4 * shown || text.count > shown
    return "'\(text.prefix(shown))\(isLonger ? "…" : "")'"
  }
}
