/// The URL of a token store.
extension Message {
  // MARK: - Any store

  package static let storeWithoutPath = Message(
    "token store 'sqlite:': expected a path after the colon, as in sqlite:tokens.sqlite")

  package static func notAStoreURL(_ text: String) -> Message {
    Message(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }

  /// - Parameter rest: what follows the slashes.
  package static func storeWithTwoSlashes(_ rest: String) -> Message {
    Message(
      "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
        + "for a relative path, sqlite:/\(rest) for an absolute one")
  }

  // MARK: - URIs of servers

  /// The part of a URI that is at fault.
  package enum URIPart: String, Sendable {
    case user = "the user"
    case password = "the password"
    case host = "the host"
    case database = "the database's name"
    case socket = "the socket's path"
  }

  package static func unreadableURI(_ scheme: String, _ problem: Message) -> Message {
    Message(
      "token store: a \(scheme):// URI cannot be read: \(problem); expected \(scheme)://USER@HOST:PORT/DATABASE, "
        + "each part optional, with %XX for special characters, as %40 for @")
  }

  package static let uriWithoutSlashes = Message("expected // after the colon")
  package static let hostWithAt = Message("a host contains an @")
  package static let databaseWithAt = Message("the database's name contains an @")
  package static let parameterWithoutValue = Message("a parameter after the ? is not NAME=VALUE")
  package static let portIsNoNumber = Message("a port is not a number")
  package static let portBeyondRange = Message("a port is not between 1 and 65535")
  package static func percentWithoutDigits(in part: URIPart) -> Message {
    Message("\(part.rawValue) contains a % without two hexadecimal digits")
  }

  package static func zeroByte(in part: URIPart) -> Message {
    Message("\(part.rawValue) contains a zero byte")
  }

  package static func notUTF8(in part: URIPart) -> Message { Message("\(part.rawValue) is not in UTF-8") }
}
