extension ReportHTML {
  /// Definitions of the terms that the page uses, in their order.
  static func glossary(_ head: ReportHead) -> HTML {
    """
    <dl class="glossary">
    <div><dt>Capture</dt><dd>A file with the packets that crossed a network, each with its time. Streams are \
    reassembled from the packets.</dd></div>
    <div><dt>Device token, token</dt><dd>The number, usually of 32 bytes (64 hex digits), that addresses one \
    app on one device. It names no person, but anyone with a list of users and their tokens can find out \
    whose device it is.</dd></div>
    <div><dt>Direction</dt><dd>The bytes sent by one side of a connection: the client, or the server \
    (Apple&#39;s service).</dd></div>
    <div><dt>Dump</dt><dd>A file with the bytes that a program received or sent, unchanged.</dd></div>
    <div><dt>Error response</dt><dd>The one message that a gateway sent before it closed a connection. It \
    says which request failed, and why.</dd></div>
    <div><dt>Feedback tuple</dt><dd>The record in which the feedback service reports one invalidated token: \
    a time, a length and the token.</dd></div>
    <div><dt>Finding</dt><dd>A problem at one location in the input: bytes are missing there, or cannot be \
    read.</dd></div>
    <div><dt>Flag</dt><dd>A reason to doubt a record that was read. A record with a flag is doubtful, and \
    does not count as an invalidation.</dd></div>
    <div><dt>Gap</dt><dd>Bytes that were sent but are known to be missing from the input. Offsets include \
    them.</dd></div>
    <div><dt>Gateway</dt><dd>Apple&#39;s server that received notifications. It sent nothing on success; see \
    error response.</dd></div>
    <div><dt>Hex</dt><dd>A notation for bytes: each byte is written as two of the digits 0 to 9 and a to \
    f.</dd></div>
    <div><dt>Invalidation</dt><dd>The report by Apple&#39;s service that an app has not been on a device \
    since a given time. From then on, notifications to its token do not arrive, unless the device registers \
    again.</dd></div>
    \(head.clock.map { localTime($0.name) })\
    <div><dt>Offset</dt><dd>The position of a byte: the number of bytes before it in its direction of the \
    stream. The first byte has offset 0.</dd></div>
    <div><dt>Outcome</dt><dd>The fate of a request. Accepted: sent before the request that failed. Rejected: \
    the request that failed. Discarded: sent after it, and not processed. Unknown: no error response \
    decides it, and silence proves nothing.</dd></div>
    \(if: head.isRedacted, pseudonym)\
    <div><dt>Reader</dt><dd>A program that reads the records of a stream. This report tests a few with known \
    faults.</dd></div>
    <div><dt>Record</dt><dd>A feedback tuple, a request, an error response or a push: the unit of which \
    streams consist.</dd></div>
    <div><dt>Request</dt><dd>A notification sent to the gateway: the token it is for, and the \
    message.</dd></div>
    <div><dt>SHA-256</dt><dd>A fingerprint of a file, 64 hex digits. No two different files with the same \
    SHA-256 are known, and there is no practical way to make them. So anyone with the file can check that it \
    is the one that was examined.</dd></div>
    <div><dt>Stream</dt><dd>One connection between a client and a server, or the content of one \
    dump.</dd></div>
    <div><dt>UTC</dt><dd>Coordinated Universal Time, the world&#39;s standard time, without summer time. All \
    times here are UTC, except those with an offset.</dd></div>
    </dl>

    """
  }

  private static let pseudonym: HTML = """
    <div><dt>Pseudonym</dt><dd>A name, device- followed by 16 digits, that replaces a token in this report. \
    It is computed from the token and a secret key: the same token has the same pseudonym in every report \
    made with that key. Without the key, the token cannot be recovered.</dd></div>

    """

  private static func localTime(_ zone: String) -> HTML {
    """
    <div><dt>Local time</dt><dd>The time of clocks in the time zone \(zone), with its offset from UTC, such \
    as +02:00.</dd></div>

    """
  }
}
