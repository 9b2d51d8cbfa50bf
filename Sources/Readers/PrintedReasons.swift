import WireBytes

/// A record that somebody else's program printed.
struct PrintedTuple {
  var time: Int64
  var token: [UInt8]

  init(_ time: Int64, _ token: RawSpan) {
    self.time = time
    self.token = token.withUnsafeBytes { Array($0) }
  }

  /// The time as the wire has it, which readers may take as signed; nil of what no four bytes are.
  var field: UInt32? { UInt32(exactly: time) ?? Int32(exactly: time).map { UInt32(bitPattern: $0) } }

  /// Zeros stand anywhere, and tell nothing.
  var isZeros: Bool { time == 0 && token.allSatisfy { $0 == 0 } }
}

/// Why a printed record is not the true one: what can be seen from outside. Sentences without a full stop, offsets in
/// bytes from 0 of the stream.
extension FeedbackTruth {
  /// - Parameter record: number from 0 of this record among those printed, all right before it, and of the true one that
  ///   belongs there.
  ///
  /// Takes one pass over the stream at most, and is asked once for a reading.
  func reason(forPrinted printed: PrintedTuple, record: Int) -> String {
    if printed.token.isEmpty, let offset = emptyTuple(printed, behind: record) {
      return Self.emptyToken(at: offset)
    }
    if record < count, let reason = reason(forPrinted: printed, insteadOf: tuples[record]) { return reason }
    if let offset = place(of: printed, behind: record) {
      return reason(forPrinted: printed, standingAt: offset, record: record)
    }
    return record < count
      ? otherwise(printed, than: tuples[record])
      : "the stream has no more than \(Count.of(count, "tuple"))"
  }

  /// Where it is a true tuple in another's place, or has enough of `tuple` to be meant for it.
  private func reason(forPrinted printed: PrintedTuple, insteadOf tuple: TrueTuple) -> String? {
    let (time, token) = (printed.time, printed.token.span.bytes)
    let place = "at offset \(tuple.offset)"
    if let other = firstAlike(time, token), tuples[other].offset != tuple.offset {
      return "the tuple at offset \(tuples[other].offset) was reported where the one \(place) belongs"
    }
    if tuple.says(Int64(tuple.time), token, in: bytes) {
      return time == Int64(Int32(bitPattern: tuple.time))
        ? "the time \(tuple.time) \(place) was taken as signed: \(time)"
        : "the time \(tuple.time) \(place) was reported as \(time)"
    }
    // Readers of fixed length print too little or too much of a token of another one.
    let shared = zip(printed.token, bytes[tuple.token])
    guard printed.field == tuple.time, shared.allSatisfy({ $0 == $1 }) else { return nil }
    return otherwise(printed, than: tuple)
  }

  private func otherwise(_ printed: PrintedTuple, than tuple: TrueTuple) -> String {
    let time = Int64(tuple.time) == printed.time ? "" : "another time and "
    return "the tuple at offset \(tuple.offset) was reported with \(time)\(tokenText(printed, than: tuple))"
  }

  private func tokenText(_ printed: PrintedTuple, than tuple: TrueTuple) -> String {
    Int(tuple.tokenLength) == printed.token.count
      ? "other bytes as its token"
      : "a token of \(Count.of(printed.token.count, "byte")) instead of \(tuple.tokenLength)"
  }
}

// MARK: - Empty tokens, and lost alignment

extension FeedbackTruth {
  /// Offset of the tuple with an empty token that was printed: the first behind what was right before, else any.
  private func emptyTuple(_ printed: PrintedTuple, behind record: Int) -> Int? {
    let alike = emptyTokens.lazy.filter { self.time(at: $0) == printed.field }
    let before = record > 0 ? tuples[record - 1].offset : 0
    return alike.first { $0 >= before } ?? alike.first
  }

  private static func emptyToken(at offset: Int) -> String {
    "the tuple at offset \(offset) has an empty token, and is not to be reported"
  }

  /// Where its bytes stand in the stream as a reader takes them: a time, two bytes, the token. The two may say another
  /// length, which readers of fixed length do not ask.
  private func place(of printed: PrintedTuple, behind record: Int) -> Int? {
    guard let field = printed.field, !printed.isZeros else { return nil }
    // A reader that lost alignment may stand inside the tuple that it reported last.
    let start = record > 0 ? tuples[record - 1].offset + 1 : 0
    let token = PatternSearch(printed.token).first(in: bytes, from: start + Self.header) { place in
      time(at: place - Self.header) == field
    }
    return token.map { $0 - Self.header }
  }

  private func reason(forPrinted printed: PrintedTuple, standingAt offset: Int, record: Int) -> String {
    if emptyTokens.contains(offset) {
      return Self.emptyToken(at: offset)
        + ": its token was made of the \(Count.of(printed.token.count, "byte")) behind it"
    }
    let next = tuples.firstIndex { $0.offset >= offset } ?? count
    if next < count, tuples[next].offset == offset {
      let belongs = record < count ? " where the one at offset \(tuples[record].offset) belongs," : ""
      return
        "the tuple at offset \(offset) was reported\(belongs) with \(tokenText(printed, than: tuples[next]))"
    }
    let place = "its bytes are those at offset \(offset), where no"
    if next > 0, tuples[next - 1].token.upperBound > offset {
      return place + " tuple begins: the tuple before it ends at \(tuples[next - 1].token.upperBound)"
    }
    // Behind the last one a tuple may have begun that is cut off.
    return place
      + (next < count
        ? " tuple begins: the next one begins at \(tuples[next].offset)" : " whole tuple begins")
  }

  private func time(at offset: Int) -> UInt32 {
    let time = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return UInt32(bigEndian: time)
  }
}
