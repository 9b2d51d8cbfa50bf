import Analysis
import Basics
import CommandOptions
import Conformance
import MockServer
import Reports

/// `serve --pushes`.
extension Serve {
  func runPushes() throws {
    var examination = try input.examination(hashing: .none, mayRepeat: true)
    let identity = try identity()
    let collector = PushAnswerCollector(memory: input.memory)
    try examination.run([collector])
    if collector.exceedsMemory {
      throw CommandError("the pushes exceed \(ByteSize.text(input.memory)); raise --memory")
    }
    guard collector.count > 0 else {
      throw CommandError("nothing to serve: the inputs have no push; `apnsift inspect` lists what they have")
    }
    if collector.skipped > 0 {
      Console.say("\(Count.of(collector.skipped, "push")) skipped: the token or the outcome is unknown")
    }

    let answers = PushAnswers(collector.recorded, otherwise: pushes.otherTokens ?? .accepted)
    let keyLog = try server.keyLog()
    let received = try pushes.received.map { try ServedOutput($0, force: server.force) }
    var configuration = server.configuration(
      port: 2197, identity: identity, keyLog: keyLog, clientLimit: server.once ? 1 : nil)
    configuration.isStrict = input.strict
    let log = try serve(configuration) { log in
      try MockServer.start(.pushes(answers), configuration) { event in
        if case .received(let push) = event { received?.write(push.line) }
        log.add(event)
      }
    }
    try keyLog?.finish()
    try received?.finish()
    Console.say(examination.closingLine(log.pushesDone, errors: log.errors))
    if log.missing > 0 { throw ExitStatus.failed }
    try input.check(examination)
  }
}

extension ReceivedPush {
  /// The line of `--received`.
  var line: [UInt8] {
    var members: [(String, JSONValue)] = [
      ("type", .string("received-push")), ("client", .int(client + 1)), ("http2_stream", .int(http2Stream)),
      ("method", .string(method)), ("path", .string(path)), ("token_text", JSONValue(token)),
    ]
    members += Self.members.map { ($0, JSONValue(header($1))) }
    members += [
      ("headers", shownHeaders),
      ("payload_length", .int(payloadLength)), ("payload_sha256", JSONValue(payloadDigest)),
    ]
    members += answerMembers
    return Array((JSONValue.object(members).text + "\n").utf8)
  }

  /// The members of single headers.
  private static let members = [
    ("topic", "apns-topic"), ("push_type", "apns-push-type"), ("apns_id", "apns-id"),
    ("priority", "apns-priority"), ("expiration", "apns-expiration"), ("collapse_id", "apns-collapse-id"),
  ]
  /// Values of one name are joined (RFC 9110, section 5.2).
  private var shownHeaders: JSONValue {
    var members: [(String, JSONValue)] = []
    for header in headers where !members.contains(where: { $0.0 == header.name }) {
      let values = headers.filter { $0.name == header.name }.map(Self.shown)
      members.append((header.name, .string(values.joined(separator: ", "))))
    }
    return .object(members)
  }

  /// Parts of the names of headers that identify a client.
  private static let secrets = ["auth", "cookie", "token", "secret", "password", "key"]

  /// The value of a header; of a secret only its first word, if more follows, which is the scheme of `authorization`.
  private static func shown(_ header: Header) -> String {
    guard !header.name.hasPrefix("apns-"), secrets.contains(where: { header.name.contains($0) }) else {
      return header.value
    }
    let words = header.value.split(separator: " ", maxSplits: 1)
    return words.count == 2 && header.name.hasSuffix("authorization") ? "\(words[0]) …" : "…"
  }

  private var answerMembers: [(String, JSONValue)] {
    var response: PushResponse?
    let word: String
    switch ending {
    case .abandoned: word = "abandoned"
    case .answered(.refuse), .answered(.cancel): word = "reset"
    case .answered(.goaway): word = "goaway"
    case .answered(.silence): word = "none"
    case .answered(.response(let given)):
      word = "response"
      response = given
    }
    return [
      ("answer", .string(word)), ("status", JSONValue(response?.status)),
      ("reason", JSONValue(response?.reason)), ("timestamp_ms", JSONValue(response?.timestamp.map(Int.init))),
    ]
  }
}
