/// Frames without compression (RFC 9113; RFC 7541, section 6.2.2: literal fields with new names).
package enum HTTP2Bytes {
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  package static let settings = frame(4, 0, stream: 0, [])

  package static func frame(_ type: UInt8, _ flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
    let length = Array(bytes(UInt32(payload.count)).dropFirst())
    return length + [type, flags] + bytes(stream) + payload
  }

  package static func bytes(_ word: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
  }

  /// A header block; names and values are shorter than 127 bytes.
  package static func block(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
      block += [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    return block
  }

  package static func requestBlock(_ token: String, path: String = "/3/device/") -> [UInt8] {
    block([(":method", "POST"), (":path", path + token), ("apns-topic", "com.example.app")])
  }

  package static func request(_ stream: UInt32, _ token: String, body: String = "{}") -> [UInt8] {
    frame(1, 0x04, stream: stream, requestBlock(token)) + frame(0, 0x01, stream: stream, Array(body.utf8))
  }

  package static func response(_ stream: UInt32, _ status: String, body: String = "") -> [UInt8] {
    let fields = block([(":status", status), ("apns-id", "4711")])
    guard !body.isEmpty else { return frame(1, 0x05, stream: stream, fields) }
    return frame(1, 0x04, stream: stream, fields) + frame(0, 0x01, stream: stream, Array(body.utf8))
  }

  package static func reset(_ stream: UInt32, code: UInt32) -> [UInt8] {
    frame(3, 0, stream: stream, bytes(code))
  }
}
