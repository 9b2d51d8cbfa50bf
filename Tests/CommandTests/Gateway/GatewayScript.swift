import CaptureWriting
import CommandTestSupport

/// A gateway connection in a line, a word for each packet, in the order of the capture: `1f` is a request with that identifier
/// (hex) and command 2, `c0` one with command 0, which has no identifier, and `!8:1f` a response with status 8.
struct GatewayScript {
  private(set) var turns: [Conversation.Turn] = []
  private(set) var pushes: [Push] = []

  init(_ text: String) {
    for word in text.words {
      let fields = word.drop { $0 == "!" }.split(separator: ":")
      let identifier = UInt32(fields.last ?? "", radix: 16) ?? 0
      if word.hasPrefix("!") {
        turns.append(.init(.server, refusal(UInt8(fields[0]) ?? 0, identifier)))
      } else {
        pushes.append(Push(word == "c0" ? 0 : 2, identifier, token: token(pushes.count)))
        turns.append(.init(.client, pushes[pushes.count - 1].bytes))
      }
    }
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
