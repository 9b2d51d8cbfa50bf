import Basics

/// A record printed by an external reader.
struct PrintedTuple {
  var time: Int64
  var token: [UInt8]

  init(_ time: Int64, _ token: RawSpan) {
    self.time = time
    self.token = token.withUnsafeBytes { Array($0) }
  }

  /// The time as four bytes, which readers may interpret as signed; nil if it does not fit.
  var field: UInt32? { UInt32(exactly: time) ?? Int32(exactly: time).map { UInt32(bitPattern: $0) } }
}

/// Explains why a printed record differs from the true one, from the output alone.
extension TrueRecords {
  /// - Parameter record: index from 0 of this record among those printed, and of the expected one. All records before
  ///   it
  ///   are correct.
  ///
  /// Takes at most one pass over the stream, and is called once per reading.
  func reason(forPrinted printed: PrintedTuple, record: Int) -> Message {
    if printed.token.isEmpty, let offset = emptyTuple(printed, after: record) {
      return .emptyTokenReported(at: offset)
    }
    if record < count, let reason = reason(forPrinted: printed, insteadOf: tuples[record]) { return reason }
    if let offset = offset(of: printed, after: record) {
      return reason(forPrinted: printed, at: offset, record: record)
    }
    return record < count
      ? mismatch(printed, tuples[record]) : "the stream has only \(Count.of(count, "tuple"))"
  }

  /// The reason if it is another true tuple, or a variant of `tuple`; else nil.
  private func reason(forPrinted printed: PrintedTuple, insteadOf tuple: TrueTuple) -> Message? {
    let (time, token) = (printed.time, printed.token.span.bytes)
    if let other = firstAlike(time, token), tuples[other].offset != tuple.offset {
      return
        "the tuple at offset \(tuples[other].offset) was reported instead of the one at offset "
        + "\(tuple.offset)"
    }
    if tuple.says(Int64(tuple.time), token, in: bytes) {
      return time == Int64(Int32(bitPattern: tuple.time))
        ? .timeReadAsSigned(Int(tuple.time), at: tuple.offset, readAs: Int(time))
        : "the time \(Int(tuple.time)) at offset \(tuple.offset) was reported as \(Int(time))"
    }
    // Readers with a fixed token length print too much or too little of other tokens.
    let shared = zip(printed.token, bytes[tuple.token])
    guard printed.field == tuple.time, shared.allSatisfy({ $0 == $1 }) else { return nil }
    return mismatch(printed, tuple)
  }

  private func mismatch(_ printed: PrintedTuple, _ tuple: TrueTuple) -> Message {
    "the tuple at offset \(tuple.offset) was reported with "
      + (Int64(tuple.time) != printed.time ? "a different time and " : "") + token(printed, tuple)
  }

  private func token(_ printed: PrintedTuple, _ tuple: TrueTuple) -> Message {
    let count = printed.token.count
    return count == tuple.tokenLength
      ? "different bytes as its token"
      : "a token of \(Count.of(count, "byte")) instead of \(tuple.tokenLength)"
  }

  /// Offset of the printed tuple with an empty token: the first one after the correct records, else any.
  private func emptyTuple(_ printed: PrintedTuple, after record: Int) -> Int? {
    let alike = emptyTokens.lazy.filter { self.time(at: $0) == printed.field }
    let before = record > 0 ? tuples[record - 1].offset : 0
    return alike.first { $0 >= before } ?? alike.first
  }

  /// Offset of its bytes in the stream: a time, two bytes, the token. The two bytes may be any length, because readers
  /// with a fixed length ignore them.
  private func offset(of printed: PrintedTuple, after record: Int) -> Int? {
    // Zeros occur anywhere, so their offset means nothing.
    guard let field = printed.field, field != 0 || printed.token.contains(where: { $0 != 0 })
    else { return nil }
    // A reader that lost alignment may be inside the tuple that it reported last.
    let start = record > 0 ? tuples[record - 1].offset + 1 : 0
    let token = PatternSearch(printed.token).first(in: bytes, from: start + Self.header) { index in
      time(at: index - Self.header) == field
    }
    return token.map { $0 - Self.header }
  }

  private func reason(forPrinted printed: PrintedTuple, at offset: Int, record: Int) -> Message {
    if emptyTokens.contains(offset) { return .emptyTokenReported(at: offset, token: printed.token.count) }
    let next = tuples.firstIndex { $0.offset >= offset } ?? count
    if next < count, tuples[next].offset == offset {
      let expected = record < count ? " instead of the one at offset \(tuples[record].offset)," : ""
      return "the tuple at offset \(offset) was reported\(expected) with \(token(printed, tuples[next]))"
    }
    let bytes: Message = "its bytes are those at offset \(offset), where no"
    if next > 0, tuples[next - 1].token.upperBound > offset {
      return "\(bytes) tuple begins: the tuple before it ends at \(tuples[next - 1].token.upperBound)"
    }
    return next < count
      ? "\(bytes) tuple begins: the next one begins at \(tuples[next].offset)" : "\(bytes) whole tuple begins"
  }

  private func time(at offset: Int) -> UInt32 { bytes.span.bytes.bigEndianUInt32(at: offset) }
}
