import MockServer
import TestSupport

/// A frame of the server.
struct ClientFrame {
  var type: UInt8
  var flags: UInt8
  var stream: Int
  var payload: [UInt8]

  /// Whether it ends its stream: END_STREAM of DATA or HEADERS.
  var isLast: Bool { type <= 1 && flags & 1 != 0 }
}

/// A request, with literal header fields that enter no table.
struct ClientRequest: Sendable {
  var method = "POST"
  var path: String
  var headers: [(String, String)] = []
  var payload = ""

  /// A push with a payload of 10 bytes.
  static func push(to token: String, _ headers: [(String, String)]) -> ClientRequest {
    ClientRequest(path: "/3/device/\(token)", headers: headers, payload: "{\"aps\":{}}")
  }

  func frames(_ stream: UInt32) -> [UInt8] {
    let pseudo = [
      (":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"),
    ]
    let block = HTTP2Bytes.block(pseudo + headers)
    // HEADERS with END_HEADERS, and END_STREAM if nothing follows; DATA with END_STREAM.
    if payload.isEmpty { return HTTP2Bytes.frame(1, 5, stream: stream, block) }
    return HTTP2Bytes.frame(1, 4, stream: stream, block)
      + HTTP2Bytes.frame(0, 1, stream: stream, Array(payload.utf8))
  }
}

/// A client's connection, after the preface.
final class HTTP2Connection {
  let client: TestClient
  private var bytes: [UInt8] = []

  init(_ server: borrowing TestServer) throws {
    client = try server.connect()
    try client.send(HTTP2Bytes.preface + HTTP2Bytes.settings + HTTP2Bytes.frame(4, 1, stream: 0, []))
  }

  /// Frames up to the first that is asked for; all that are left if there is none.
  func frames(until isLast: (ClientFrame) -> Bool) throws -> [ClientFrame] {
    var frames: [ClientFrame] = []
    while true {
      while let frame = nextFrame() {
        frames.append(frame)
        if isLast(frame) { return frames }
      }
      let more = try client.read()
      if more.isEmpty { return frames }
      bytes += more
    }
  }

  private func nextFrame() -> ClientFrame? {
    guard bytes.count >= 9 else { return nil }
    let length = bytes[..<3].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= 9 + length else { return nil }
    let stream = bytes[5..<9].reduce(0) { $0 << 8 | Int($1) }
    defer { bytes.removeFirst(9 + length) }
    return ClientFrame(type: bytes[3], flags: bytes[4], stream: stream, payload: Array(bytes[9..<9 + length]))
  }

  /// Frames until all of these streams have ended, or were reset.
  func frames(untilEndOf streams: Set<Int>) throws -> [ClientFrame] {
    var open = streams
    return try frames { frame in
      if frame.isLast || frame.type == 3 { open.remove(frame.stream) }
      return open.isEmpty
    }
  }

  /// The bodies of the answers to requests, of which each waits for the answer to the one before it.
  func bodies(of exchanges: [Exchange]) throws -> [String] {
    try exchanges.enumerated().map { number, exchange in
      let stream = 2 * number + 1
      try client.send(exchange.request.frames(UInt32(stream)))
      return try frames(untilEndOf: [stream]).body(of: stream)
    }
  }
}

extension [ClientFrame] {
  func body(of stream: Int) -> String {
    String(decoding: filter { $0.type == 0 && $0.stream == stream }.flatMap(\.payload), as: UTF8.self)
  }
}
