import Basics
import CLibarchive
import PacketCapture

/// The bytes of an archive, as libarchive reads them: in any order where the file can be read again, else from first to
/// last. It outlives the handle that reads from it.
final class ArchiveBytes {
  private enum Access {
    /// A regular file, uncompressed.
    case file
    /// All bytes are `kept`.
    case memory
    /// The bytes after `kept` can be read once.
    case sequence
  }

  /// Archives that are read from their end, but come from a pipe or another archive, are kept up to this size.
  static let keptLength = 16 << 20
  private static let blockLength = 256 << 10

  private var file: InputFile
  private let access: Access
  /// Offset of the next byte, from 0.
  private var position = 0
  /// The first bytes; all of them in memory.
  private let kept: UnsafeMutableRawBufferPointer
  /// The block that libarchive has got last.
  private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
  /// Why the archive's bytes end early.
  private(set) var error: InputError?

  /// - Parameters:
  ///   - head: the bytes that were read of `file`.
  ///   - seeks: whether libarchive has to read the end first.
  init(_ file: consuming InputFile, head: ArraySlice<UInt8>, seeks: Bool) {
    self.file = file
    var bytes: [UInt8] = []
    if self.file.isSeekable {
      access = .file
    } else {
      bytes = Array(head)
      var isWhole = false
      while seeks, !isWhole, error == nil, bytes.count < Self.keptLength {
        let count = Self.read(&self.file, into: block, &error)
        bytes += block[..<count]
        isWhole = count == 0 && error == nil
      }
      access = isWhole ? .memory : .sequence
    }
    kept = .allocate(byteCount: bytes.count, alignment: 16)
    kept.copyBytes(from: bytes)
  }

  deinit {
    kept.deallocate()
    block.deallocate()
  }

  /// Whether libarchive may read in any order.
  var isSeekable: Bool { if case .sequence = access { false } else { true } }

  private static func read(
    _ file: inout InputFile, into block: UnsafeMutableRawBufferPointer, _ readError: inout InputError?
  ) -> Int {
    do throws(InputError) {
      return try file.fill(block)
    } catch {
      readError = error
      return 0
    }
  }

  /// How far the file on disk has been read, in bytes.
  var diskPosition: Int { if case .file = access { position } else { file.bytesRead } }

  /// The next bytes; none at the end.
  func next() -> UnsafeRawBufferPointer {
    if position < kept.count {
      defer { position = kept.count }
      return returned(UnsafeRawBufferPointer(rebasing: kept[position...]))
    }
    let count: Int
    switch access {
    case .file: count = file.read(at: position, into: block)
    case .memory: count = 0
    case .sequence: count = error == nil ? Self.read(&file, into: block, &error) : 0
    }
    position &+= count
    return returned(UnsafeRawBufferPointer(rebasing: block[..<count]))
  }

  /// Whether the last bytes that were read are zeros, as the last block of a tar is.
  private(set) var endsWithZeros = false
  private static let tarBlock = 512

  private var last = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Bytes of zeros that may follow an archive, in blocks.
  private static let maxPadding = 16

  private func returned(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    last = bytes
    if !bytes.isEmpty {
      endsWithZeros = bytes.count >= Self.tarBlock && bytes.suffix(Self.tarBlock).allSatisfy { $0 == 0 }
    }
    return bytes
  }

  /// Whether other bytes than zeros follow `offset`, which is in the block that was read last, or after it.
  func hasMore(after offset: Int) -> Bool {
    var block = UnsafeRawBufferPointer(rebasing: last.dropFirst(max(0, offset &- (position &- last.count))))
    if isSeekable {
      guard seek(offset, whence: SEEK_SET) != nil else { return false }
      block = next()
    }
    for _ in 0..<Self.maxPadding where !block.isEmpty {
      if block.contains(where: { $0 != 0 }) { return true }
      block = next()
    }
    return false
  }

  /// Moves on without reading; returns how far.
  func skip(_ count: Int) -> Int {
    guard case .file = access, let size = file.size else { return 0 }
    let skipped = max(0, min(count, size &- position))
    position &+= skipped
    return skipped
  }

  /// The new offset; nil if there is none such.
  func seek(_ offset: Int, whence: Int32) -> Int? {
    guard isSeekable else { return nil }
    let size = if case .file = access { file.size ?? 0 } else { kept.count }
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : size
    let (target, overflows) = base.addingReportingOverflow(offset)
    guard !overflows, (0...size).contains(target) else { return nil }
    position = target
    return target
  }

  /// The last bytes, up to `count`; none of an archive that is read from first to last.
  func last(_ count: Int) -> [UInt8] {
    guard let end = seek(0, whence: SEEK_END), seek(max(0, end - count), whence: SEEK_SET) != nil else {
      return []
    }
    var bytes: [UInt8] = []
    while case let block = next(), !block.isEmpty { bytes += block }
    return bytes
  }

  /// Reads the rest of the file, for its length and its digest.
  /// - Parameter limit: bytes of the rest that may be decompressed; returns false if there are more.
  func readRest(limit: Int) -> Bool {
    guard case .sequence = access else { return true }
    var count = 0
    while error == nil, count <= limit {
      let read = Self.read(&file, into: block, &error)
      if read == 0 { return true }
      count &+= read
    }
    return error != nil
  }

  /// The archive's bytes on disk and decompressed, and its digests if requested.
  func finish() -> (bytes: Int, contentBytes: Int, digests: FileDigests) {
    let content = file.contentLength
    let (bytes, digests) = file.finish()
    if case .file = access { return (bytes, bytes, digests) }
    return (bytes, content, digests)
  }

  /// Gives a new handle of libarchive access to the bytes. The handle must not outlive `self`.
  func attach(to handle: OpaquePointer, _ library: Libarchive) {
    _ = library.archive_read_set_callback_data(handle, Unmanaged.passUnretained(self).toOpaque())
    _ = library.archive_read_set_read_callback(handle) { _, context, start in
      guard let bytes = ArchiveBytes.from(context) else { return -1 }
      let block = bytes.next()
      start?.pointee = block.baseAddress
      return bytes.error == nil ? block.count : -1
    }
    guard isSeekable else { return }
    _ = library.archive_read_set_skip_callback(handle) { _, context, count in
      Int64(ArchiveBytes.from(context)?.skip(Int(count)) ?? 0)
    }
    _ = library.archive_read_set_seek_callback(handle) { _, context, offset, whence in
      ArchiveBytes.from(context)?.seek(Int(offset), whence: whence).map { Int64($0) } ?? Int64(ARCHIVE_FATAL)
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> ArchiveBytes? {
    context.map { Unmanaged<ArchiveBytes>.fromOpaque($0).takeUnretainedValue() }
  }
}
