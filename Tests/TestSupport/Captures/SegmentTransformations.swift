/// What peers, routers and capture tools do to a conversation without changing what was said.
extension [Segment] {
  /// Indices of the segments with payload, in order.
  package var dataIndices: [Int] { indices.filter { !self[$0].payload.isEmpty } }

  package func only(from host: Host) -> [Segment] { filter { $0.source == host } }

  /// As a capture that was begun too late.
  package var withoutHandshake: [Segment] { filter { !$0.flags.contains(.syn) } }

  /// Each segment with payload is cut at other offsets; a part begins `overlap` bytes before the end of the
  /// one before it, as a retransmission with other boundaries does.
  package func recut(every size: Int, overlap: Int = 0) -> [Segment] {
    flatMap { segment -> [Segment] in
      guard segment.payload.count > size else { return [segment] }
      return stride(from: 0, to: segment.payload.count, by: size).map { begin in
        segment.part(Swift.max(0, begin - overlap)..<Swift.min(begin + size, segment.payload.count))
      }
    }
  }

  /// Each `nth` segment with payload is sent again after `distance` more packets, in a datagram of its own.
  package func retransmitting(everyNth nth: Int, after distance: Int) -> [Segment] {
    var result: [Segment] = []
    var waiting: [(index: Int, segment: Segment)] = []
    var dataCount = 0
    for (index, segment) in enumerated() {
      result.append(segment)
      if !segment.payload.isEmpty {
        dataCount += 1
        if dataCount % nth == 0 { waiting.append((index + distance, segment.again)) }
      }
      result += waiting.filter { $0.index == index }.map(\.segment)
    }
    return result + waiting.filter { $0.index >= count }.map(\.segment)
  }

  /// The segment at `index` is repeated right after itself, with `bytes` instead of the bytes that its payload has
  /// from `offset` on.
  package func contradicting(_ index: Int, at offset: Int, with bytes: [UInt8]) -> [Segment] {
    var copy = self[index].again
    copy.payload.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    var result = self
    result.insert(copy, at: index + 1)
    return result
  }

  /// The first payload of either side travels in its SYN (RFC 7413), where a side has both.
  package var withPayloadInSYN: [Segment] {
    var result = self
    for index in indices where self[index].flags.contains(.syn) {
      let syn = result[index]
      guard
        let first = result.firstIndex(where: {
          $0.source == syn.source && !$0.payload.isEmpty && $0.sequence == syn.sequence &+ 1
        })
      else { continue }
      result[index].payload = result[first].payload
      result[first].payload = []
    }
    return result
  }

  /// After each segment with payload, its sender sends a keep-alive: the sequence
  /// number is the last one sent, with `garbage` as payload, none or one byte (RFC 9293, section 3.8.4).
  package func withKeepAlives(garbage: [UInt8] = []) -> [Segment] {
    flatMap { segment -> [Segment] in
      guard !segment.payload.isEmpty else { return [segment] }
      var probe = segment.again
      probe.sequence = segment.end &- 1
      probe.flags = .ack
      probe.payload = garbage
      return [segment, probe]
    }
  }

  /// Before each segment with payload the other side has no room, and the sender tries a single byte, which is
  /// refused (RFC 9293, section 3.8.6.1).
  package var withZeroWindowProbes: [Segment] {
    flatMap { segment -> [Segment] in
      guard segment.payload.count > 1, !segment.flags.contains(.syn) else { return [segment] }
      let probe = segment.again.part(0..<1)
      var refusal = Segment(
        from: segment.destination, to: segment.source, sequence: segment.acknowledgement, time: segment.time)
      refusal.acknowledgement = segment.sequence
      refusal.flags = .ack
      refusal.window = 0
      var update = refusal
      update.window = 65_535
      return [refusal, probe, refusal, update, segment]
    }
  }

  package func withTrailers(_ bytes: [UInt8]) -> [Segment] { changing { $0.trailer = bytes } }

  package func snapped(to length: Int) -> [Segment] { changing { $0.snapLength = length } }

  /// Datagrams with payload travel in IP fragments of `size` bytes, a multiple of 8.
  package func fragmented(into size: Int, _ order: Segment.FragmentOrder = .inOrder) -> [Segment] {
    changing {
      guard !$0.payload.isEmpty else { return }
      $0.fragmentSize = size
      $0.fragmentOrder = order
    }
  }

  package var withLengthZero: [Segment] { changing { $0.isLengthZero = !$0.payload.isEmpty } }

  private func changing(_ change: (inout Segment) -> Void) -> [Segment] {
    map { segment in
      var segment = segment
      change(&segment)
      return segment
    }
  }
}

extension Segment {
  /// The same segment in another datagram: sent again, not captured twice.
  var again: Segment {
    var copy = self
    copy.identification = identification &+ 0x8000
    return copy
  }

  /// The segment with a part of its payload only.
  func part(_ range: Range<Int>) -> Segment {
    var part = self
    part.payload = Array(payload[range])
    if range.upperBound < payload.count { part.flags.remove(.fin) }
    guard range.lowerBound > 0 else { return part }
    part.sequence = payloadSequence &+ UInt32(range.lowerBound)
    part.flags.remove(.syn)
    part.identification = identification &+ UInt16(truncatingIfNeeded: 0x100 &* range.lowerBound)
    return part
  }
}
