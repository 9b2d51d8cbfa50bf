import Basics

extension Message {
  /// - Parameter random: the client's random number in hex; nil if its hello was not captured.
  package static func noKey(forClientRandom random: String?) -> Message {
    guard let random else {
      return Message(
        "no key fits, and the client's hello, which would name it, was not captured: give the key log of this "
          + "connection with --keys")
    }
    return Message(
      "no key for client random \(random): give the key log that has it, or the session of "
        + "openssl s_client, with --keys")
  }

  /// - Parameter line: line of a log, from 1; nil in a capture.
  package static func pushOfOtherApp(
    _ source: String, stream: Int, line: Int?, topic: String, not app: String
  ) -> Message {
    let location = line.map { "line \($0)" } ?? "stream \(stream)"
    return Message("\(source) \(location): the push's topic is \(topic), not a topic of the app \(app)")
  }

  /// - Parameter others: at most five.
  package static func noPushOfApp(_ app: String, but others: [String]) -> Message {
    Message(
      "no push with an invalid token is of the app \(app): the topics name \(others.joined(separator: ", ")); "
        + "--app names the app of the tokens")
  }

  package static func otherAppStopsReplay(_ store: String, _ mismatch: Message) -> Message {
    Message(
      "\(store) is unchanged: \(mismatch); --app names the app of the tokens, and --other-app replays them anyway"
    )
  }
}
