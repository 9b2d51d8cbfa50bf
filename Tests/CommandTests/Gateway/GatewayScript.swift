import CaptureWriting
import CommandTestSupport

/// A gateway connection in a line, a word for each packet, in the order of the capture:
///
/// - `c1:1f` a request with command 1 and identifier 1f (hex); `1f` alone has command 2;
/// - `1f=2` a request with the token of request 2 (from 0); the others have tokens of their own;
/// - `c0`, `c2` requests without an identifier;
/// - `!8:1f` a response with status 8;
/// - `a|` and `|a` a word in two packets: its first two bytes, and later the rest.
struct GatewayScript {
  private(set) var turns: [Conversation.Turn] = []
  /// Offsets of the requests.
  private(set) var offsets: [Int] = []
  private(set) var pushes: [Push] = []
  private var sent = 0
  private static let cut = 2

  init(_ text: String) {
    for word in text.split(separator: " ") {
      let isRest = word.hasPrefix("|")
      let isFirst = word.hasSuffix("|")
      let (sender, bytes) = frame(word.filter { $0 != "|" }, counts: !isRest)
      turns.append(
        .init(sender, isFirst ? Array(bytes[..<Self.cut]) : isRest ? Array(bytes[Self.cut...]) : bytes))
    }
  }

  private mutating func frame(_ text: String, counts: Bool) -> (Conversation.Sender, [UInt8]) {
    let parts = text.split(separator: "=")
    let word = String(parts[0])
    let fields = word.drop { $0 == "!" || $0 == "c" }.split(separator: ":").map(String.init)
    let last = UInt32(fields.last ?? "", radix: 16) ?? 0
    if word.hasPrefix("!") { return (.server, refusal(UInt8(fields[0]) ?? 0, last)) }
    let command = word.hasPrefix("c") ? UInt8(fields[0]) ?? 0 : 2
    let hasIdentifier = fields.count == 2 || !word.hasPrefix("c")
    let number = parts.count > 1 ? Int(parts[1]) ?? 0 : counts ? pushes.count : pushes.count - 1
    let push = Push(command, hasIdentifier ? last : nil, token: token(number))
    if counts {
      pushes.append(push)
      offsets.append(sent)
      sent += push.bytes.count
    }
    return (.client, push.bytes)
  }

  func bytes(of sender: Conversation.Sender) -> [UInt8] {
    turns.filter { $0.sender == sender }.flatMap(\.bytes)
  }

  /// Each word in a packet of its own.
  var conversation: Conversation {
    var conversation = Conversation(turns)
    conversation.server.port = 2195
    return conversation
  }

  var segments: [Segment] { conversation.segments() }
}
