/// The result of decoding a run, in the order of its bytes. Offsets are in bytes from 0, in the stream.
enum Evidence: Equatable, CustomStringConvertible {
  case record(offset: Int, time: Int, token: [UInt8], flags: [String])
  case request(offset: Int, length: Int, content: RequestContent, flags: [String])
  case response(offset: Int, status: Int, identifier: Int, flags: [String])
  case undecodable(offset: Int, command: Int)
  case skipped(offset: Int, length: Int)
  case truncated(offset: Int, length: Int)
  case between(offset: Int, length: Int)

  var offset: Int {
    switch self {
    case .record(let offset, _, _, _), .request(let offset, _, _, _), .response(let offset, _, _, _),
      .undecodable(let offset, _), .skipped(let offset, _), .truncated(let offset, _),
      .between(let offset, _):
      offset
    }
  }

  /// The number of bytes covered: 0 for `undecodable`, whose byte is in the skipped range after it.
  var length: Int {
    switch self {
    case .record(_, _, let token, _): 6 + token.count
    case .request(_, let length, _, _), .skipped(_, let length), .truncated(_, let length),
      .between(_, let length):
      length
    case .response: 6
    case .undecodable: 0
    }
  }

  /// The notation of the test cases: `record 38 resynchronised`, `request 59+9 payload-not-json`,
  /// `response 6 unknown-status`, `undecodable 0`, `skipped 0+5`, `truncated 76+20`, `between 38+1`.
  var description: String {
    switch self {
    case .record(let offset, _, _, let flags): (["record \(offset)"] + flags).joined(separator: " ")
    case .request(let offset, let length, _, let flags):
      (["request \(offset)+\(length)"] + flags).joined(separator: " ")
    case .response(let offset, _, _, let flags): (["response \(offset)"] + flags).joined(separator: " ")
    case .undecodable(let offset, _): "undecodable \(offset)"
    case .skipped(let offset, let length): "skipped \(offset)+\(length)"
    case .truncated(let offset, let length): "truncated \(offset)+\(length)"
    case .between(let offset, let length): "between \(offset)+\(length)"
    }
  }
}

extension [Evidence] {
  var text: String { map(\.description).joined(separator: ", ") }
}

/// The fields of a request; nil if missing.
struct RequestContent: Equatable {
  struct Item: Equatable {
    var id: Int
    var data: [UInt8]
  }

  var command: Int
  var identifier: Int?
  var expiry: Int?
  var priority: Int?
  var token: [UInt8]?
  var payload: [UInt8]?
  /// The whole items of command 2 in wire order.
  var items: [Item]?
}
