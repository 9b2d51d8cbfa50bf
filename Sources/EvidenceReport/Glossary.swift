/// Definitions of the terms that the page uses.
enum Glossary {
  struct Entry {
    var term: String
    var meaning: String
  }

  /// - Parameter localTimes: the time zone of local times; nil without them.
  static func entries(isRedacted: Bool, localTimes: String?) -> [Entry] {
    let pseudonym = Entry(
      term: "Pseudonym",
      meaning:
        "A name, device- followed by 16 digits, that replaces a token in this report. It is computed from the token and a "
        + "secret key: the same token has the same pseudonym in every report made with that key. Without the key, the token "
        + "cannot be recovered.")
    let local = localTimes.map { zone in
      Entry(
        term: "Local time",
        meaning: "The time of clocks in the time zone \(zone), with its offset from UTC, such as +02:00.")
    }
    return (common + (isRedacted ? [pseudonym] : []) + [local].compactMap { $0 }).sorted { $0.term < $1.term }
  }

  private static let common = [
    Entry(
      term: "Invalidation",
      meaning:
        "The report by Apple's service that an app has not been on a device since a given time. From then on, notifications "
        + "to its token do not arrive, unless the device registers again."),
    Entry(
      term: "Device token, token",
      meaning:
        "The number, usually of 32 bytes (64 hex digits), that addresses one app on one device. It names no person, but "
        + "anyone with a list of users and their tokens can find out whose device it is."),
    Entry(
      term: "Direction",
      meaning: "The bytes sent by one side of a connection: the client, or the server (Apple's service)."),
    Entry(term: "Dump", meaning: "A file with the bytes that a program received or sent, unchanged."),
    Entry(
      term: "Capture",
      meaning:
        "A file with the packets that crossed a network, each with its time. Streams are reassembled from the packets."
    ),
    Entry(
      term: "Error response",
      meaning:
        "The one message that a gateway sent before it closed a connection. It says which request failed, and why."
    ),
    Entry(
      term: "Feedback tuple",
      meaning:
        "The record in which the feedback service reports one invalidated token: a time, a length and the token."
    ),
    Entry(
      term: "Finding",
      meaning: "A problem at one location in the input: bytes are missing there, or cannot be read."),
    Entry(
      term: "Flag",
      meaning:
        "A reason to doubt a record that was read. A record with a flag is doubtful, and does not count as an invalidation."
    ),
    Entry(
      term: "Gap",
      meaning: "Bytes that were sent but are known to be missing from the input. Offsets include them."),
    Entry(
      term: "Gateway",
      meaning: "Apple's server that received notifications. It sent nothing on success; see error response."),
    Entry(
      term: "Hex",
      meaning: "A notation for bytes: each byte is written as two of the digits 0 to 9 and a to f."),
    Entry(
      term: "Offset",
      meaning:
        "The position of a byte: the number of bytes before it in its direction of the stream. The first byte has offset 0."
    ),
    Entry(
      term: "Outcome",
      meaning:
        "The fate of a request. Accepted: sent before the request that failed. Rejected: the request that failed. Discarded: "
        + "sent after it, and not processed. Unknown: there is no error response, and silence proves nothing."
    ),
    Entry(
      term: "Reader",
      meaning: "A program that reads the records of a stream. This report tests a few with known faults."),
    Entry(
      term: "Record",
      meaning: "A feedback tuple, a request, an error response or a push: the unit of which streams consist."),
    Entry(
      term: "Request",
      meaning: "A notification sent to the gateway: the token it is for, and the message."),
    Entry(
      term: "SHA-256",
      meaning:
        "A fingerprint of a file, 64 hex digits. No two different files with the same SHA-256 are known, and there is no "
        + "practical way to make them. So anyone with the file can check that it is the one that was examined."
    ),
    Entry(
      term: "Stream", meaning: "One connection between a client and a server, or the content of one dump."),
    Entry(
      term: "UTC",
      meaning:
        "Coordinated Universal Time, the world's standard time, without summer time. All times here are UTC, except those with an offset."
    ),
  ]
}
