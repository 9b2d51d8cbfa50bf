import APNsWire

/// The header blocks of one direction: joins a HEADERS or PUSH_PROMISE frame with the CONTINUATION frames after it
/// (RFC 9113, section 6.10), and decompresses the block.
package final class HeaderBlocks {
  /// A header block, without its fields.
  package struct Block {
    var id: UInt32
    var endsStream: Bool
    var isPromise: Bool
    package var origin: FrameOrigin
    /// Bytes of its frames so far.
    package var length: Int
  }

  /// The maximum length of a block, in bytes before decompression.
  private static let longest = 1 << 16

  private(set) var gaps = 0
  private let table = HeaderTable()
  /// The block that waits for CONTINUATION frames, and its bytes so far.
  private var open: Block?
  private var bytes: [UInt8] = []
  private var isTooLong = false
  /// Whether no byte is missing since the beginning of the connection.
  private var isWhole = false

  /// The connection begins here: the header table is empty.
  func begin() {
    isWhole = true
    table.begin()
  }

  /// Bytes of the direction are missing. No block is open.
  func gap() {
    gaps &+= 1
    isWhole = false
    table.lose()
  }

  /// Drops the open block, unless `frame` continues it, and returns it: its end is missing (RFC 9113, section 6.10).
  /// - Parameter frame: the next frame; nil if there is none.
  func abandon(before frame: Frame?) -> Block? {
    guard let block = open, frame?.kind != .continuation || frame?.streamID != block.id else { return nil }
    open = nil
    table.lose()
    return block
  }

  /// Reads a HEADERS, PUSH_PROMISE or CONTINUATION frame. If a block is open, the frame continues it.
  ///
  /// - Parameter fields: receives the fields of a complete block.
  /// - Returns: the block if it is complete, and why it cannot be read; usually nil.
  func read(_ frame: Frame, in window: RawSpan, at origin: FrameOrigin, into fields: inout HeaderFields)
    -> (complete: Block?, error: HeaderTable.HeaderError?)
  {
    assert(
      open == nil || frame.kind == .continuation && frame.streamID == open?.id,
      "an open block is continued, or was abandoned")
    if frame.kind == .continuation { return readContinuation(frame, in: window, into: &fields) }
    let block = Block(
      id: frame.streamID, endsStream: frame.flags.contains(.endStream),
      isPromise: frame.kind == .pushPromise, origin: origin, length: frame.length)
    guard let content = frame.content(in: window) else { return (block, lose(.malformed, &fields)) }
    if frame.flags.contains(.endHeaders) {
      return (block, table.read(window.extracting(content), into: &fields))
    }
    open = block
    isTooLong = false
    bytes.removeAll(keepingCapacity: true)
    append(window.extracting(content))
    return (nil, nil)
  }

  private func readContinuation(_ frame: Frame, in window: RawSpan, into fields: inout HeaderFields)
    -> (complete: Block?, error: HeaderTable.HeaderError?)
  {
    guard let block = open else {
      // The block's first frame is missing, and with it the table entries that the block adds.
      table.lose()
      return (nil, isWhole ? .malformed : nil)
    }
    append(window.extracting(frame.payload))
    guard frame.flags.contains(.endHeaders) else {
      open?.length &+= frame.length
      return (nil, nil)
    }
    open = nil
    let whole = bytes
    return (block, isTooLong ? lose(.tooLong, &fields) : table.read(whole.span.bytes, into: &fields))
  }

  private func append(_ fragment: RawSpan) {
    isTooLong = isTooLong || bytes.count &+ fragment.byteCount > Self.longest
    if !isTooLong { fragment.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  private func lose(_ error: HeaderTable.HeaderError, _ fields: inout HeaderFields) -> HeaderTable.HeaderError
  {
    table.lose()
    fields.lose()
    return error
  }
}
