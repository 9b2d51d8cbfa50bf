import APNsWire
import Analysis
import Basics
import CommandOptions
import Conformance
import MockServer
import Reports

extension Serve {
  func runPushes() throws {
    var examination = try input.examination(hashing: .none, mayRepeat: true)
    let identity = try identity()
    let collector = PushAnswerCollector(memory: input.memory)
    try examination.run([collector])
    if collector.exceedsMemory {
      throw CommandError("the pushes exceed \(ByteSize.text(input.memory)); raise --memory")
    }
    guard collector.count > 0 || !pushes.answer.isEmpty else {
      throw CommandError(
        "nothing to serve: the inputs have no push; `apnsift inspect` lists what they have, and --answer 200 "
          + "serves without")
    }
    if collector.skipped > 0 {
      Console.say("\(Count.of(collector.skipped, "push")) skipped: the token or the outcome is unknown")
    }

    let answers = PushAnswers(collector.recorded, demanded: pushes.demanded)
    let keyLog = try server.keyLog()
    let requests = try pushes.requestFiles.map { try ServedOutput($0, force: server.force) }
    let packets = try pushes.captureFiles.map { try ServedOutput($0, force: server.force) }
    var configuration = server.configuration(
      port: 2197, identity: identity, keyLog: keyLog, clientLimit: server.once ? 1 : nil)
    configuration.isStrict = input.strict
    if !packets.isEmpty { configuration.capture = try ServedCapture(ServedOutputs(packets)) }
    let log = try serve(configuration) { log in
      try MockServer.start(.pushes(answers), configuration) { event in
        if case .received(let request) = event { for file in requests { file.write(request.line) } }
        log.add(event)
      }
    }
    for file in [keyLog].compactMap({ $0 }) + requests + packets { try file.finish() }
    Console.say(examination.closingLine(log.pushesDone, errors: log.errors))
    if log.missing > 0 { throw ExitStatus.failed }
    try input.check(examination)
  }
}

extension ReceivedRequest {
  /// The line of `--received`.
  var line: [UInt8] {
    let kind = kind?.kind ?? .push
    var members: [(String, JSONValue)] = [
      ("type", .string("received-\(kind)")), ("client", .int(client + 1)), ("client_address", .string(peer)),
      ("http2_stream", .int(http2Stream)), ("method", .string(method)), ("path", .string(path)),
    ]
    members += ownMembers(kind).map { ($0, JSONValue($1)) }
    members += [
      ("headers", shownHeaders), ("payload_length", .int(payloadLength)),
      ("payload_sha256", JSONValue(payloadDigest)),
    ]
    if kind == .channel { members.append(("storage_policy", JSONValue(storagePolicy))) }
    members += answerMembers
    return Array((JSONValue.object(members).text + "\n").utf8)
  }

  /// The members that are texts of the path and of single headers, as in records of such requests.
  private func ownMembers(_ kind: ServiceRequest.Kind) -> [(String, String?)] {
    let channel = [("channel_id", either("apns-channel-id")), ("request_id", either("apns-request-id"))]
    let sending = [
      ("push_type", header("apns-push-type")), ("priority", header("apns-priority")),
      ("expiration", header("apns-expiration")),
    ]
    let uniqueID = either("apns-unique-id")
    switch kind {
    case .push:
      return [
        ("token_text", token), ("topic", header("apns-topic")), ("apns_id", either("apns-id")),
        ("apns_unique_id", uniqueID), ("collapse_id", header("apns-collapse-id")),
      ] + sending
    case .broadcast: return [("app", subject)] + channel + [("unique_id", uniqueID)] + sending
    case .channel:
      return [("operation", self.kind == .channel ? nil : self.kind?.rawValue), ("app", subject)] + channel
    }
  }

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
    let (word, response): (String, PushResponse?) =
      switch ending {
      case .abandoned: ("abandoned", nil)
      case .answered(.refuse), .answered(.cancel): ("reset", nil)
      case .answered(.goaway): ("goaway", nil)
      case .answered(.silence), .answered(.late): ("none", nil)
      case .answered(.response(let given)): ("response", given)
      }
    return [
      ("answer", .string(word)), ("status", JSONValue(response?.status)),
      ("reason", JSONValue(response?.reason)), ("timestamp_ms", JSONValue(response?.timestamp.map(Int.init))),
      ("retry_after", JSONValue(response?.retryAfter)),
    ]
  }
}
