import Analysis
import Basics
import CommandOptions
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
      throw Failure("the pushes exceed \(ByteSize.text(input.memory)); raise --memory")
    }
    guard collector.count > 0 else {
      throw Failure("nothing to serve: the inputs have no push; `apnsift inspect` lists what they have")
    }
    if collector.skipped > 0 {
      Console.say(
        "\(Count.of(collector.skipped, "push")) skipped: the token or the outcome is unknown")
    }

    let answers = collector.answers(otherwise: pushes.otherTokens?.answer ?? .accepted)
    let keyLog = try server.keyLog()
    let received = try pushes.received.map { try ServedOutput($0, force: server.force) }
    let configuration = server.configuration(
      port: 2197, identity: identity, keyLog: keyLog, clientLimit: server.once ? 1 : nil)
    let log = try serve(configuration) { log in
      try MockServer.start(configuration, answers: answers) { event in
        if case .received(let push) = event { received?.write(push.line) }
        log.add(event)
      }
    }
    try keyLog?.finish()
    try received?.finish()
    Console.say(examination.closingLine(log.pushesDone, faults: log.faults))
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
    members += Self.headers.map { member, _ in (member, JSONValue(headers[member])) }
    members += [("payload_length", .int(payloadLength))] + answerMembers
    return Array((JSONValue.object(members).text + "\n").utf8)
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
