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

  /// - Parameter others: at most five.
  package static func noPushOfApp(_ app: String, but others: [String]) -> Message {
    Message(
      "no push with an invalid token is of the app \(app): the topics name \(others.joined(separator: ", ")); "
        + "--app names the app of the tokens")
  }
}
