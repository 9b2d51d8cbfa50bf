import PacketCapture

extension StreamRecording {
  /// The differences from `plain`; empty if they agree.
  func differences(
    from plain: PlainConnection, stream: Int, _ plan: SegmentPlan, comparesCopies: Bool = true
  ) -> [String] {
    guard let report = reports.first(where: { $0.identity.number == stream }) else {
      return ["stream \(stream) is not reported"]
    }
    let clientSide: Side = plan.segments.first?.isFromServer == true ? .second : .first
    var found: [String] = misuse
    for (side, direction) in [(clientSide, plain.client), (clientSide.other, plain.server)] {
      func check<Value: Equatable>(_ what: String, _ value: Value, _ expected: Value) {
        if value != expected { found.append("\(side) \(what): \(value), not \(expected)") }
      }
      let (half, bytes) = (self.half(stream, side), direction.bytes)
      check("bytes", half.bytes, bytes.map { $0?.value })
      check("packets", half.packets, bytes.map { $0?.packet })
      check("positions", half.fileOffsets, bytes.map { $0?.fileOffset ?? -1 })
      check("gaps", half.gaps, direction.gaps)
      check("SYN", report[side].isSYNSeen, direction.isSYNSeen)
      check("count", report[side].bytes, bytes.count { $0 != nil })
      check("gap count", report[side].gapBytes, bytes.count { $0 == nil })
      check("duplicates", report[side].duplicateBytes, direction.duplicateBytes)
      if comparesCopies {
        check("conflicting", report[side].conflictingBytes, direction.conflictingBytes)
        found += conflictErrors(stream: stream, side, direction)
      }
    }
    return found
  }

  /// Every byte received twice with different content is within a finding, and findings begin and end with one.
  private func conflictErrors(
    stream: Int, _ side: Side, _ direction: PlainDirection
  ) -> [String] {
    let base = direction.base ?? 0
    let ranges = findings.compactMap { finding -> Range<Int>? in
      guard finding.code == .conflictingOverlap, finding.stream == stream, finding.side == side,
        let offset = finding.offset, let length = finding.length
      else { return nil }
      return offset + base..<offset + base + length
    }
    let silent = direction.conflicts.filter { offset in !ranges.contains { $0.contains(offset) } }
    return silent.map { "\(side) conflict at \($0) is not reported" }
  }
}
