import PacketCapture

/// A file, standard input or a member of an archive, whose content is read sequentially in blocks: decompressed, or from a
/// disk image. Offsets are of the content, from 0; `bytesRead` and `size` are of the file on disk.
package struct InputFile: ~Copyable {
  /// Compression on disk; nil if the file is not compressed. Known from the first `fill` on.
  package private(set) var compression: Compression?
  /// Bytes of content returned so far.
  package private(set) var contentLength = 0

  private var stored: StoredFile
  private var decompressor: Decompressor?
  private var image: EWFImage?
  /// Of the bytes of the medium, if the image names their MD5.
  private var mediumHash: InputHash?
  /// The number of the segment, from 2, if the file is a segment of a disk image but not the first one.
  package private(set) var laterSegment: Int?
  private var utf16: UTF16Text?
  /// The path; nil for standard input and members of archives.
  private let path: [CChar]?
  /// The file's first bytes, read to detect its compression, until they are returned.
  private var head: ArraySlice<UInt8> = []
  private var isBegun = false
  /// Whether bytes are read as they are stored, if they only look compressed, and if they are text.
  private let readsLookalikes: Bool
  private var history: CaptureHistory?
  /// Why reading ended before the end of the file. It is reported once, after the bytes before it.
  private var error: InputError?

  /// Bytes needed to detect most uncompressed files. A block of SHA-256.
  private static let shortHead = 64

  /// Opens `input`; throws an error if that fails.
  /// - Parameters:
  ///   - digests: those to compute of the file.
  ///   - readsLookalikes: whether a file of which nothing can be decompressed is read as raw bytes instead of
  ///     failing, and UTF-16 as it is stored.
  ///   - archive: the archive of which `input` is the current member.
  ///   - observer: gets all bytes of the file as they are stored, until `finish`.
  package init(
    _ input: Input, of archive: Archive? = nil, digests: DigestKinds = [], readsLookalikes: Bool = false,
    observer: ((UnsafeRawBufferPointer) -> Void)? = nil
  ) throws(InputError) {
    if let archive {
      stored = StoredFile(memberOf: archive, digests: digests, observer: observer)
    } else {
      stored = try StoredFile(input, digests: digests, observer: observer)
    }
    path = input.path
    self.readsLookalikes = readsLookalikes
  }

  /// The file's size in bytes on disk, if known in advance: not for pipes and devices.
  package var size: Int? { stored.size }
  /// Bytes read of the file on disk.
  package var bytesRead: Int { image == nil ? stored.bytesRead : min(contentLength, stored.size ?? 0) }
  /// How the content is stored: compressed, in an image, or in UTF-16; nil if it is the file's bytes.
  var encoding: String? {
    compression?.rawValue ?? (image != nil ? EWFImage.name : utf16 != nil ? UTF16Text.name : nil)
  }
  /// What an E01 image says of itself.
  var acquisition: (facts: [String], md5: String?) { (image?.facts ?? [], image?.md5) }
  var isHashed: Bool { stored.isHashed }
  /// How many files contain the content: more than 1 for a split image.
  package var partCount: Int { stored.partCount }
  /// Whether its content is that of a file on disk, which can be read in any order.
  var isSeekable: Bool { stored.isRegular && compression == nil && image == nil && utf16 == nil }

  /// Reads the rest of the file on disk, for its length and its digests, without decompressing it.
  /// - Parameter progress: called now and then with the number of bytes read.
  mutating func readStored(progress: (_ done: Int) throws -> Void) rethrows {
    try stored.readToEnd(progress: progress)
  }

  /// The length in bytes of the file on disk, and its digests; of a split image those of all its parts.
  package mutating func finish() -> (bytes: Int, digests: FileDigests) {
    if stored.isHashed { stored.readToEnd { _ in } }
    return (max(stored.bytesRead, stored.size ?? 0), stored.takeDigests())
  }

  /// Ranges of a disk image that are damaged, and where text is none, found so far.
  var damage: [InputError] {
    guard let image else { return utf16?.error.map { [$0] } ?? [] }
    guard image.isAtEnd, let md5 = image.md5, let found = mediumHash?.hexDigest(), found != md5 else {
      return image.damage()
    }
    return image.damage() + [
      InputError(
        "the MD5 of the medium is \(found), and the image says \(md5): it is damaged, or was changed")
    ]
  }

  /// Skips a hole of a sparse file, but for its last `kept` bytes; returns how many bytes. Hashed files are not skipped.
  mutating func skipHole(keeping kept: Int) -> Int {
    guard decompressor == nil, image == nil, utf16 == nil, head.isEmpty else { return 0 }
    let skipped = stored.skipHole(keeping: kept)
    contentLength &+= skipped
    return skipped
  }

  /// Reads content at an offset, if it `isSeekable`; 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    stored.read(at: offset, into: buffer)
  }

  /// Reads until `buffer` is full from `start` on or the file ends; returns the index after the last byte read. So a
  /// block's length does not depend on how a pipe was written. If reading fails after some bytes, those are returned,
  /// and the next call throws.
  package mutating func fill(_ buffer: inout [UInt8], from start: Int) throws(InputError) -> Int {
    var span = buffer.mutableSpan
    return try span.withUnsafeMutableBytes { bytes throws(InputError) in
      try start + fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// The same from the start on. An error is added to `errors`, and the count is 0.
  mutating func fill(_ buffer: inout [UInt8], errors: inout [InputError]) -> Int {
    do throws(InputError) {
      return try fill(&buffer, from: 0)
    } catch {
      errors.append(error)
      return 0
    }
  }

  /// The same for a buffer; returns the number of bytes.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
    let filled = fillBytes(buffer)
    if let error, filled == 0 { throw error }
    return filled
  }

  private mutating func fillBytes(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if !isBegun { begin() }
    var filled = 0
    while filled < buffer.count, error == nil {
      let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      // A file that turned out not to be compressed continues with its head.
      if count == 0, head.isEmpty { break }
      filled += count
    }
    if filled > 0 { history?.append(UnsafeRawBufferPointer(rebasing: buffer[..<filled])) }
    contentLength &+= filled
    return filled
  }

  /// Gives access to earlier bytes of the content from now on: in the file itself, or the last `length` of them if
  /// the file cannot be read twice.
  /// - Parameter head: all content read so far.
  package mutating func keepHistory(_ length: Int, after head: ArraySlice<UInt8>) -> CaptureHistory {
    let kept = isSeekable ? stored.history : nil
    let history = kept ?? CaptureHistory(capacity: length)
    head.withUnsafeBytes { history.append($0) }
    self.history = history
    return history
  }

  /// Detects a compression or disk image from the file's first bytes.
  private mutating func begin() {
    isBegun = true
    var bytes = readHead(Self.shortHead, after: [])
    if Compression.mayBeSkippable(bytes[...]) { bytes = readHead(Compression.headLength, after: bytes) }
    if let found = Compression(of: bytes[...]) {
      compression = found
      decompressor = Decompressor(found, head: bytes)
      return
    }
    head = bytes[...]
    if readsLookalikes { return }
    if let path, let segment = EWFImage.segmentNumber(of: bytes) { return openImage(path, segment) }
    guard bytes.contains(where: { $0 == 0 || $0 == 0xff }) else { return }
    let long = readHead(UTF16Text.headLength, after: bytes)
    utf16 = UTF16Text(head: long)
    head = utf16 == nil ? long[...] : []
  }

  private mutating func openImage(_ path: [CChar], _ segment: Int) {
    guard segment == 1 else {
      laterSegment = segment
      return
    }
    head = []
    do throws(InputError) {
      image = try EWFImage(at: path)
      if image?.md5 != nil { mediumHash = InputHash(.md5) }
    } catch {
      self.error = error
    }
  }

  /// The file's next bytes after `bytes`, up to `length` in all.
  private mutating func readHead(_ length: Int, after bytes: [UInt8]) -> [UInt8] {
    var filled = bytes.count
    var bytes = bytes + [UInt8](repeating: 0, count: max(0, length - filled))
    bytes.withUnsafeMutableBytes { target in
      while filled < target.count {
        let count = stored.read(into: UnsafeMutableRawBufferPointer(rebasing: target[filled...]))
        if count == 0 { break }
        filled += count
      }
    }
    return Array(bytes.prefix(filled))
  }

  /// The next bytes of content; none at its end, or if there is an `error`.
  private mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard var text = utf16.take() else { return readBytes(into: target) }
    defer { utf16 = text }
    return text.read(into: target) { readBytes(into: $0) }
  }

  private mutating func readBytes(into target: UnsafeMutableRawBufferPointer) -> Int {
    if decompressor != nil { return decompress(into: target) }
    if let image {
      let count = image.read(into: target)
      mediumHash?.update(UnsafeRawBufferPointer(rebasing: target[..<count]).bytes)
      error = image.error
      return count
    }
    if !head.isEmpty {
      let count = min(head.count, target.count)
      target.copyBytes(from: head.prefix(count))
      head = head.dropFirst(count)
      return count
    }
    let count = stored.read(into: target)
    error = stored.error
    return count
  }

  private mutating func decompress(into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = decompressor?.fill(target, from: &stored) ?? 0
    error = stored.error ?? decompressor?.error
    guard error != nil else { return count }
    if readsLookalikes, stored.error == nil, let bytes = decompressor?.lookalikeBytes() {
      error = nil
      decompressor = nil
      compression = nil
      head = bytes[...]
    } else {
      // For its length and its digests.
      readStored { _ in }
    }
    return count
  }

  /// All content of a small file. For one of more than `limit` bytes, the result is longer than `limit`.
  package static func content(of input: Input, limit: Int) throws(InputError) -> [UInt8] {
    var file = try InputFile(input)
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while content.count <= limit {
      let count = try file.fill(&block, from: 0)
      if count == 0 { break }
      content += block[..<count]
    }
    return content
  }
}
