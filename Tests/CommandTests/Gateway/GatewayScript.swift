import CaptureWriting
import CommandTestSupport

/// A gateway connection in a line, a word for each packet, in the order of the capture:
///
/// - `c1:1f` a request with command 1 and identifier 1f (hex); `1f` alone has command 2;
/// - `c0`, `c2` requests without an identifier;
/// - `!8:1f` a response with status 8.
struct GatewayScript {
  private(set) var turns: [Conversation.Turn] = []
  private(set) var pushes: [Push] = []

  init(_ text: String) {
    for word in text.split(separator: " ") { turns.append(turn(word)) }
  }

  private mutating func turn(_ word: Substring) -> Conversation.Turn {
    let fields = word.drop { $0 == "!" || $0 == "c" }.split(separator: ":").map(String.init)
    let last = UInt32(fields.last ?? "", radix: 16) ?? 0
    if word.hasPrefix("!") { return .init(.server, refusal(UInt8(fields[0]) ?? 0, last)) }
    let command = word.hasPrefix("c") ? UInt8(fields[0]) ?? 0 : 2
    let hasIdentifier = fields.count == 2 || !word.hasPrefix("c")
    let push = Push(command, hasIdentifier ? last : nil, token: token(pushes.count))
    pushes.append(push)
    return .init(.client, push.bytes)
  }

  /// Each word in a packet of its own.
  var conversation: Conversation { Conversation(gateway: turns) }

  var segments: [Segment] { conversation.segments() }
}

extension Conversation {
  init(gateway turns: [Turn]) {
    self.init(turns)
    server.port = 2195
  }
}

/// What names two dumps as the halves of a connection.
let pair = "--requests sent --responses received".words

extension TestDirectory {
  func writePair(_ sent: [UInt8], _ received: [UInt8]) throws {
    try write(sent, to: "sent")
    try write(received, to: "received")
  }
}
