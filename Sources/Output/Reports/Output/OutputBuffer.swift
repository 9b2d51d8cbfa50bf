import Basics

/// The destination of a report's bytes.
package protocol ByteSink: AnyObject {
  /// Writes all of `bytes` or throws.
  func write(_ bytes: RawSpan) throws
}

/// Collects a report's bytes and writes them in large chunks, from one buffer that is reused.
///
/// The buffer is raw memory: an array would check at each append whether it is uniquely referenced, and a class with an
/// array would check for exclusive access.
package final class OutputBuffer {
  static let capacity = 256 << 10

  /// Nil keeps everything in the buffer.
  private let sink: (any ByteSink)?
  @exclusivity(unchecked) private var storage: UnsafeMutableRawBufferPointer
  @exclusivity(unchecked) var count = 0

  /// - Parameter sink: receives the appended bytes; nil keeps them in the buffer.
  package init(_ sink: (any ByteSink)?) {
    self.sink = sink
    storage = .allocate(byteCount: sink == nil ? 1024 : Self.capacity, alignment: 64)
  }

  deinit { storage.deallocate() }

  package func flush() throws {
    guard count > 0, let sink else { return }
    defer { count = 0 }
    try sink.write(RawSpan(_unsafeBytes: bytes))
  }

  /// The collected bytes; valid until the next append.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  func removeAll() { count = 0 }

  /// Lets `body` change the collected bytes.
  func change<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
    body(UnsafeMutableRawBufferPointer(rebasing: storage[..<count]))
  }

  /// Appends bytes, or writes them without a copy if they are many.
  func write(_ bytes: UnsafeRawBufferPointer, many: Int = OutputBuffer.capacity) throws {
    guard let sink, bytes.count >= many else { return try append(bytes) }
    try flush()
    try sink.write(RawSpan(_unsafeBytes: bytes))
  }

  /// Lets `body` write at most `bound` bytes; it returns the number of bytes written.
  @inline(__always)
  func extend(_ bound: Int, _ body: (UnsafeMutableRawPointer) -> Int) throws {
    if let end = try room(bound) { count &+= body(end) }
  }

  /// Where the next bytes are written, with room for `bound` of them; `count` then grows by those that were written.
  @inline(__always)
  func room(_ bound: Int) throws -> UnsafeMutableRawPointer? {
    if storage.count &- count < bound { try makeRoom(bound) }
    return storage.baseAddress.map { $0 + count }
  }

  @inline(never)
  private func makeRoom(_ bound: Int) throws {
    try flush()
    guard storage.count - count < bound else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(count + bound, 2 * count), alignment: 64)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
    storage.deallocate()
    storage = larger
  }

  /// Moves the bytes of another buffer to this one, from an index on.
  func append(rowsOf other: OutputBuffer, from start: Int = 0) throws {
    defer { other.removeAll() }
    try write(UnsafeRawBufferPointer(rebasing: other.bytes[start...]), many: Self.capacity / 2)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard let source = bytes.baseAddress else { return }
    try extend(bytes.count) { target in
      target.copyMemory(from: source, byteCount: bytes.count)
      return bytes.count
    }
  }

  package func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

  package func append(_ text: String) throws {
    var text = text
    try text.withUTF8 { try append(UnsafeRawBufferPointer($0)) }
  }
}

extension OutputFile: ByteSink {}
