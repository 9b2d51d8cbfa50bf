/// Words that the page uses, for those who meet them here first.
enum Glossary {
  struct Entry {
    var term: String
    var meaning: String
  }

  static func entries(isRedacted: Bool) -> [Entry] {
    let pseudonym = Entry(
      term: "Pseudonym",
      meaning:
        "A name, device- and 16 digits, that stands for a token in this report. It follows from the token and a secret key: "
        + "the same token has the same pseudonym in all reports made with that key, and without the key nobody can tell "
        + "which token it is.")
    return (isRedacted ? common + [pseudonym] : common).sorted { $0.term < $1.term }
  }

  private static let common = [
    Entry(
      term: "Death of a token",
      meaning:
        "The statement of Apple's service that an app is no longer on a device, and since when. Notifications to its token "
        + "go nowhere from then on, unless the device registers again."),
    Entry(
      term: "Device token, token",
      meaning:
        "The number, mostly of 32 bytes (64 hex digits), under which one app on one device is reached. It names no person, "
        + "but who has a list of users with their tokens can tell whose device it is."),
    Entry(
      term: "Direction",
      meaning: "What one side of a connection sent: the client, or the server (Apple's service)."),
    Entry(
      term: "Dump", meaning: "A file with the bytes that a program received or sent, as they came."),
    Entry(
      term: "Capture",
      meaning:
        "A file with the packets that went over a network, each with its time. Streams are put together from them."
    ),
    Entry(
      term: "Error response",
      meaning: "What a gateway said, once, before it closed a connection: which request failed, and why."),
    Entry(
      term: "Feedback tuple",
      meaning:
        "The record in which the feedback service reports one dead token: a time, a length and the token."),
    Entry(
      term: "Finding",
      meaning: "Something that is wrong with a place: bytes were lost there, or cannot be read."),
    Entry(
      term: "Flag",
      meaning:
        "A doubt about a record that was read. Flagged records are not counted as deaths in this report."),
    Entry(
      term: "Gap",
      meaning: "Bytes that were sent and are known to be missing from the input. Offsets count them in."),
    Entry(
      term: "Gateway",
      meaning:
        "The server of Apple's that took notifications. On success it said nothing; see error response."),
    Entry(
      term: "Hex",
      meaning: "A way of writing bytes: two of the digits 0 to 9 and a to f for each."),
    Entry(
      term: "Offset",
      meaning:
        "The place of a byte: how many bytes stand before it in its direction of the stream, so that the first has offset 0."
    ),
    Entry(
      term: "Outcome",
      meaning:
        "What became of a request. Accepted: sent before the one that failed. Rejected: the one that failed. Discarded: "
        + "sent after it, and thrown away. Unknown: no error came, and silence proves nothing."),
    Entry(
      term: "Record",
      meaning: "A feedback tuple, a request or an error response: what the bytes of a stream consist of."),
    Entry(
      term: "Request",
      meaning: "A notification on its way to the gateway: for which token, with which message."),
    Entry(
      term: "SHA-256",
      meaning:
        "A fingerprint of a file, 64 hex digits. Another file with the same one is not known and cannot be made: who has "
        + "the file can check that it is the one that was examined."),
    Entry(
      term: "Stream", meaning: "One connection between a client and a server, or the content of one dump."),
    Entry(
      term: "UTC",
      meaning: "The time of the world's clocks at Greenwich, without summer time. All times here are UTC."),
  ]
}
