import Platform
import WireBytes

/// Where a report's bytes go.
package protocol ByteSink: AnyObject {
  /// Takes all of `bytes` or throws.
  func write(_ bytes: RawSpan) throws
}

/// Collects a report's bytes and hands them on in large pieces. One buffer is used again and again.
package final class OutputBuffer {
  private static let capacity = 256 << 10

  private let sink: any ByteSink
  private var storage = [UInt8](repeating: 0, count: capacity)
  private var used = 0

  package init(_ sink: any ByteSink) {
    self.sink = sink
  }

  /// Hands on what has been collected.
  package func flush() throws {
    guard used > 0 else { return }
    defer { used = 0 }
    try sink.write(storage.span.bytes.extracting(first: used))
  }

  package func append(_ bytes: some Collection<UInt8>) throws {
    try reserve(bytes.count)
    for byte in bytes {
      storage[used] = byte
      used += 1
    }
  }

  package func append(_ bytes: [UInt8]) throws {
    try reserve(bytes.count)
    storage.withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[used...]).copyMemory(from: $0) }
    }
    used += bytes.count
  }

  package func append(_ text: String) throws {
    try append(text.utf8)
  }

  /// Makes room for `count` bytes, and says how many there is room for.
  @discardableResult
  func reserve(_ count: Int) throws -> Int {
    if storage.count - used < count {
      try flush()
      if storage.count < count { storage = [UInt8](repeating: 0, count: count) }
    }
    return storage.count - used
  }

  /// Lets `body` write from an index of the storage on; it returns the index behind what it wrote.
  func write(_ body: (inout MutableRawSpan, Int) -> Int) {
    var span = storage.mutableSpan
    var bytes = span.mutableBytes
    used = body(&bytes, used)
  }
}

extension OutputFile: ByteSink {}
