import APNsWire

/// Recognizes providers' logs by their first lines.
package enum LogProbe {
  /// Whether `head` contains a push with a status.
  ///
  /// - Parameter isWhole: whether `head` is the whole log.
  package static func recognises(_ head: RawSpan, isWhole: Bool, _ options: LogOptions) -> Bool {
    guard head.byteCount > 0, isText(head) else { return false }
    let decoder = LogDecoder(options)
    while let step = decoder.next(inHead: head, isWhole: isWhole) {
      // Rows of pushes whose times cannot be read.
      if case .record(.skipped(let skip)) = step, let finding = skip.finding, decoder.isTable,
        [.timeIsNoTime, .timeHasNoZone].contains(finding.cause)
      {
        return true
      }
      guard case .record(.push) = step else { continue }
      let fields = decoder.fields
      if fields.status != nil, fields[.token] != nil || fields[.apnsID] != nil { return true }
    }
    return false
  }

  /// Whether the first 512 bytes have no control characters other than white space and escape.
  private static func isText(_ head: RawSpan) -> Bool {
    head.extracting(first: min(512, head.byteCount)).withUnsafeBytes { bytes in
      bytes.allSatisfy { $0 >= 0x20 || [0x09, 0x0a, 0x0d, 0x1b].contains($0) }
    }
  }
}
