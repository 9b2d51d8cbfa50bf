struct HandshakeMessage {
  enum Kind: UInt8 {
    case helloRequest = 0
    case clientHello = 1
    case serverHello = 2
    case newSessionTicket = 4
    case endOfEarlyData = 5
    case encryptedExtensions = 8
    case certificate = 11
    case serverKeyExchange = 12
    case certificateRequest = 13
    case serverHelloDone = 14
    case certificateVerify = 15
    case clientKeyExchange = 16
    case finished = 20
    case certificateURL = 21
    case certificateStatus = 22
    case keyUpdate = 24
  }

  /// Nil where the type is not known.
  var kind: Kind?
  /// The whole message, as it enters hashes.
  var bytes: ArraySlice<UInt8>

  var body: ArraySlice<UInt8> { bytes.dropFirst(4) }
}

/// Makes messages of the records of one direction: a record may have several, and a message several records.
struct HandshakeAssembler {
  private var buffer: [UInt8] = []
  /// Bytes of a message over the limit that are still to come.
  private var skipping = 0

  mutating func reset() {
    buffer = []
    skipping = 0
  }

  /// The messages that the content completes.
  /// - Parameter limit: of a message, in bytes. A longer one is left out, and `isOversized` set.
  mutating func append(
    _ content: UnsafeBufferPointer<UInt8>, limit: Int, isOversized: inout Bool
  ) -> [HandshakeMessage] {
    let skipped = min(skipping, content.count)
    skipping -= skipped
    buffer.append(contentsOf: content.dropFirst(skipped))
    var messages: [HandshakeMessage] = []
    var start = 0
    while buffer.count - start >= 4 {
      let length = 4 + (Int(buffer[start + 1]) << 16 | Int(buffer[start + 2]) << 8 | Int(buffer[start + 3]))
      guard length <= limit else {
        isOversized = true
        skipping = max(0, length - (buffer.count - start))
        start = min(buffer.count, start + length)
        continue
      }
      guard buffer.count - start >= length else { break }
      let bytes = buffer[start..<(start + length)]
      messages.append(HandshakeMessage(kind: HandshakeMessage.Kind(rawValue: buffer[start]), bytes: bytes))
      start += length
    }
    buffer.removeFirst(start)
    return messages
  }

  /// Whether a record's content is whole messages, so that it is not encrypted and no part of a longer message.
  static func isWholeMessages(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    while start < content.count {
      guard content.count - start >= 4, HandshakeMessage.Kind(rawValue: content[start]) != nil else {
        return false
      }
      start += 4 + (Int(content[start + 1]) << 16 | Int(content[start + 2]) << 8 | Int(content[start + 3]))
    }
    return start == content.count && !content.isEmpty
  }
}
