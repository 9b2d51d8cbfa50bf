import Basics
import PacketCapture

/// What a search reports.
package protocol SearchLog: AnyObject {
  /// - Parameter encoding: how the searched bytes are stored in the source; nil of bytes as they are stored.
  func found(_ hits: [SearchHit], in source: String, encoding: String?)
  /// A file, or a member of an archive, was read, in full unless there are errors.
  func read(_ input: Input, _ errors: [InputError])
  func skipped(_ input: Input, _ reason: Message)
  /// A file of a kind that may have compressed or encrypted content, which was not searched.
  func searchedAsStored(_ input: Input, _ kind: Message)
  /// Called now and then with the number of bytes read of the file on disk.
  /// - Throws: to end the search.
  func progress(_ done: Int) throws
}

/// Searches inputs for tokens: the bytes of each file as they are stored, and then what they are decompressed to; the
/// members of an archive, and the medium of a disk image.
package struct InputSearch {
  private static let blockLength = 256 << 10

  private let matcher: TokenMatcher
  private let limits: ArchiveLimits
  private let log: any SearchLog

  package init(_ matcher: TokenMatcher, limits: ArchiveLimits, log: any SearchLog) {
    (self.matcher, self.limits, self.log) = (matcher, limits, log)
  }

  /// - Returns: the bytes of the file on disk.
  /// - Throws: errors of the log's `progress`.
  package func search(_ input: Input) throws -> Int { try search(input, of: nil) }

  private func search(_ input: Input, of archive: Archive?) throws -> Int {
    let stored = input.isOfWanted ? stream(of: input, encoding: nil) : nil
    var errors: [InputError] = []
    var bytes = 0
    do {
      var file = try InputFile(input, of: archive, observer: stored.map { stored in { stored.append($0) } })
      var block = [UInt8](repeating: 0, count: Self.blockLength)
      let filled = file.fill(&block, errors: &errors)
      if let format = ArchiveFormat(of: Array(block[..<min(filled, FormatProbes.headLength)])) {
        let inner = Archive(format, in: file, head: block[..<filled], limits: limits, outer: archive)
        try searchMembers(of: inner, input, &errors)
        bytes = inner.finish().bytes
        errors += [inner.error].compactMap { $0 }
      } else {
        try searchContent(of: &file, input, block, filled, of: archive, &errors)
        bytes = file.finish().bytes
        errors += [EWFImage.orphan(file.laterSegment, at: input.path)].compactMap { $0 } + file.damage
      }
    } catch let error as InputError {
      errors.append(error)
    }
    stored?.finish()
    log.read(input, errors)
    return bytes
  }

  /// Reads the content, and searches it if it is not what is stored.
  /// - Parameter filled: the bytes of the block that were read.
  private func searchContent(
    of file: inout InputFile, _ input: Input, _ block: consuming [UInt8], _ filled: Int, of archive: Archive?,
    _ errors: inout [InputError]
  ) throws {
    let content = file.encoding.map { stream(of: input, encoding: $0) }
    if let kind = Self.packedContent(of: block[..<filled], inside: file.encoding) {
      log.searchedAsStored(input, kind)
    }
    var filled = filled
    while filled > 0 {
      block.withUnsafeBytes { content?.append(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
      try log.progress(archive?.diskPosition ?? file.bytesRead)
      filled = file.fill(&block, errors: &errors)
    }
    content?.finish()
  }

  /// What content may be compressed or encrypted, by its first bytes; nil of other content.
  private static func packedContent(of block: ArraySlice<UInt8>, inside encoding: String?) -> Message? {
    let head = Array(block.prefix(FormatProbes.headLength))
    // To ask libmagic takes about a millisecond, and most files are text.
    guard head.contains(where: { $0 < 0x09 || $0 > 0x7e }) || head.starts(with: "%PDF".utf8) else {
      return nil
    }
    switch FormatProbes.recognise(
      head, isWhole: block.count <= head.count, inside: encoding, content: [], isStored: true)
    {
    case .unsearched(let kind): return kind
    case .packed: return .compressedData
    default: return nil
    }
  }

  private func searchMembers(of archive: Archive, _ input: Input, _ errors: inout [InputError]) throws {
    var isFound = input.isOfWanted
    while let member = archive.next() {
      let file = input.member(member)
      guard file.isWanted else { continue }
      isFound = true
      if let obstacle = member.obstacle {
        if member.isLost { log.read(file, [InputError(obstacle)]) } else { log.skipped(file, obstacle) }
      } else {
        _ = try search(file, of: archive)
      }
    }
    if !isFound, let name = input.wantedMember { errors.append(InputError(.noMember(name))) }
  }

  private func stream(of input: Input, encoding: String?) -> StreamSearch {
    StreamSearch(matcher) { [log] in log.found($0, in: input.name, encoding: encoding) }
  }
}
