import WireBytes

/// How far a request reaches, by the lengths that it says (decoding-rules.md, "Gateway requests").
enum RequestExtent: Equatable {
  /// No request: another command, or a length beyond its limit.
  case none
  /// Not all lengths are there; those that are, are within limits.
  case unfinished
  /// The extent is known: the place behind it, which may lie behind the window's end.
  case known(end: Int)
}

/// An answer about bytes of which the window may not hold enough.
enum Belief {
  case yes, no
  /// More bytes decide. Not after the run's end.
  case undecided
}

/// Where a boundary between requests may lie: the predicates of decoding-rules.md, under their names there.
///
/// `run` is a window of the run's bytes, `ended` says that its end is the run's. Places are indices into it, from
/// 0.
extension RequestRules {
  /// What is at `place`, which must lie in the window.
  func extent(at place: Int, in run: RawSpan) -> RequestExtent {
    let left = run.byteCount - place
    let command = run.byte(at: place)
    switch command {
    case 0, 1:
      let header = RequestLayout.headerLength(command)
      guard left >= header else { return .unfinished }
      let token = Int(run.bigEndianUInt16(at: place + header - RequestLayout.lengthSize))
      guard token <= longestToken else { return .none }
      let behindLengths = header + token + RequestLayout.lengthSize
      guard left >= behindLengths else { return .unfinished }
      let payload = Int(run.bigEndianUInt16(at: place + header + token))
      // Five zeros are not an empty request, but what a tool filled a gap with.
      if payload > longestPayload || (command == 0 && token == 0 && payload == 0) { return .none }
      return .known(end: place + behindLengths + payload)
    case 2:
      guard left >= RequestLayout.itemsOffset else { return .unfinished }
      let items = run.bigEndianUInt32(at: place + RequestLayout.itemsLengthOffset)
      guard items <= UInt32(Self.longestItems) else { return .none }
      return .known(end: place + RequestLayout.itemsOffset + Int(items))
    default:
      return .none
    }
  }

  /// believable(o): a boundary may lie at `place`.
  func isBelievable(at place: Int, in run: RawSpan, ended: Bool) -> Belief {
    guard place < run.byteCount else { return ended ? .yes : .undecided }
    switch extent(at: place, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .yes : .undecided
    case .known: return .yes
    }
  }

  /// start(p): decoding may resume at `place`, which must lie in the window.
  func isStart(at place: Int, in run: RawSpan, ended: Bool) -> Belief {
    switch extent(at: place, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .no : .undecided
    case .known(let end):
      guard end <= run.byteCount else { return ended ? .no : .undecided }
      guard isConvincing(from: place, to: end, in: run) else { return .no }
      return isBelievable(at: end, in: run, ended: ended)
    }
  }

  /// Whether the whole request from `place` to `end` is as clients make them: a normal token length, a payload in
  /// braces, and of command 2 items that fill the frame, each known, of its size and there once at most.
  private func isConvincing(from place: Int, to end: Int, in run: RawSpan) -> Bool {
    let command = run.byte(at: place)
    guard command != 2 else {
      return hasConvincingItems(place + RequestLayout.itemsOffset..<end, in: run)
    }
    let header = RequestLayout.headerLength(command)
    let token = run.bigEndianUInt16(at: place + header - RequestLayout.lengthSize)
    let payload = place + header + Int(token) + RequestLayout.lengthSize
    return tokenLengths.contains(token) && isInBraces(payload..<end, in: run)
  }

  /// Looks at six items at most: the seventh would be there twice.
  private func hasConvincingItems(_ range: Range<Int>, in run: RawSpan) -> Bool {
    var items = RequestItems(range)
    var seen: UInt8 = 0
    while let item = items.next(in: run) {
      guard let kind = RequestItem.Kind(rawValue: item.id), seen & kind.bit == 0, item.hasItsSize else {
        return false
      }
      seen |= kind.bit
      if kind == .token, !tokenLengths.contains(UInt16(truncatingIfNeeded: item.data.count)) { return false }
      if kind == .payload, !isInBraces(item.data, in: run) { return false }
    }
    let needed = RequestItem.Kind.token.bit | RequestItem.Kind.payload.bit
    return items.isAtEnd && seen & needed == needed
  }

  private func isInBraces(_ payload: Range<Int>, in run: RawSpan) -> Bool {
    payload.count >= 2 && run.byte(at: payload.lowerBound) == UInt8(ascii: "{")
      && run.byte(at: payload.upperBound - 1) == UInt8(ascii: "}")
  }
}

// MARK: - Recognition

extension RequestRules {
  /// Whether `head`, the first bytes of something, is the beginning of a request as clients make them: whole, or as
  /// far as it goes, with a payload in a brace.
  public func mayBeginRequest(_ head: RawSpan) -> Bool {
    guard head.byteCount > 0, case .known(let end) = extent(at: 0, in: head) else { return false }
    if end <= head.byteCount {
      let fields = RequestFields(0..<end, in: head)
      return fields.flags(by: self, in: head).isDisjoint(with: [
        .malformedFrame, .unknownItem, .payloadNotJSON,
      ])
    }
    let command = head.byte(at: 0)
    guard command != 2 else { return mayBeginItems(from: RequestLayout.itemsOffset, to: end, in: head) }
    let header = RequestLayout.headerLength(command)
    let token = Int(head.bigEndianUInt16(at: header - RequestLayout.lengthSize))
    return isOpeningBrace(at: header + token + RequestLayout.lengthSize, in: head)
  }

  /// Whether the items from `start` on, of which the head may not hold all, are known, of their size, and have a
  /// payload in a brace among them.
  private func mayBeginItems(from start: Int, to end: Int, in head: RawSpan) -> Bool {
    var place = start
    while head.byteCount - place >= RequestLayout.itemHeaderLength {
      let item = RequestItem(
        id: head.byte(at: place),
        data: place + RequestLayout.itemHeaderLength..<place + RequestLayout.itemHeaderLength
          + Int(head.bigEndianUInt16(at: place + 1)))
      guard let kind = RequestItem.Kind(rawValue: item.id), item.hasItsSize, item.data.upperBound <= end
      else {
        return false
      }
      if kind == .payload { return isOpeningBrace(at: item.data.lowerBound, in: head) }
      place = item.data.upperBound
    }
    return false
  }

  private func isOpeningBrace(at place: Int, in head: RawSpan) -> Bool {
    place < head.byteCount && head.byte(at: place) == UInt8(ascii: "{")
  }
}
