import Basics
import StreamInputs

/// The rows of the inventory, and the files that are left out: as known, or as copies.
extension Examination {
  /// Records and findings of all inputs so far.
  var counts: (records: Int, findings: Int) {
    let summary = analyzer.log.summary
    return (summary.recordCount, summary.findings.values.reduce(0, +))
  }

  /// Emits a row of the inventory, if a sink needs it.
  /// - Parameter earlier: the counts before this input.
  mutating func end(since earlier: (records: Int, findings: Int), _ make: () -> InputRecord) throws {
    guard analyzer.log.needs.contains(.inventory) else { return }
    var row = make()
    let now = counts
    // Records of a stream in several files are counted when it ends, and are of no one file.
    let isShared = options.reading.joins || row.isShared
    row.records = isShared ? nil : now.records &- earlier.records
    row.findings = now.findings &- earlier.findings
    files += 1
    // The digest of a split image is not that of any of its files.
    if row.verdict == .part || row.isFirstPart { row.hashFile(options.inventoryDigests) }
    try analyzer.log.end(row)
  }

  /// The digests to compute of each file that may be known.
  var knownDigests: DigestKinds {
    (options.knownHashes?.kinds ?? []).union(
      analyzer.log.needs.contains(.inventory) ? options.inventoryDigests : [])
  }

  /// The file, if it is known: then it is not to be read.
  func known(_ input: Input, _ progress: ReadingProgress) -> HashedFile? {
    guard let known = options.knownHashes else { return nil }
    guard let file = FileDigests.of(input, knownDigests, progress: { progress.update($0) }) else {
      if input.size == nil, !isRerun {
        Console.note(.about(input.name, "can be read only once, so it is not compared with --known-hashes"))
      }
      return nil
    }
    return known.contains(file.digests) ? file : nil
  }

  mutating func leaveOut(
    _ input: Input, _ file: HashedFile, _ verdict: InputRecord.ReadStatus, copyOf first: String? = nil
  ) throws {
    noteDirectory(of: input)
    try end(since: counts) {
      var row = InputRecord(input, verdict)
      (row.size, row.digests, row.sameBytesAs) = (file.bytes, file.digests, first)
      return row
    }
  }

  /// Finds the files with the bytes of an earlier one. Files that form one capture or connection are no copies.
  mutating func findCopies(_ progress: ReadingProgress) {
    guard !options.reading.joins, walk.inputs.first?.half == nil else { return }
    var files = RepeatedInputs(walk.inputs)
    for (index, input) in walk.inputs.enumerated() where files.mayBeCopy(input) {
      guard
        let file = FileDigests.of(input, knownDigests.union([.sha256]), progress: { progress.update($0) }),
        let first = files.first(like: input, digest: file.digests[.sha256], bytes: file.bytes)
      else { continue }
      copies[index] = (file, first)
    }
  }
}
