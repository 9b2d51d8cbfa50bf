/// What is to be generated. The same values give the same bytes.
package struct Scenario: Sendable {
  package var seed: UInt64 = 0
  /// How many tuples, or requests, in all connections together.
  package var tuples = 1000
  /// How many distinct tokens they have; nil for as many as tuples. Tokens of a few bytes may coincide.
  package var tokens: Int?
  /// Times of tuples, both ends included, in seconds since 1970.
  package var times: ClosedRange<UInt32> = 1_325_376_000...1_609_459_199
  /// Token lengths, each as likely as the others.
  package var tokenLengths = [32]
  package var damage = StreamDamageRates()
  package var fileDamage = FileDamageRates()
  package var capture = CaptureScenario()
  /// Of 1000 gateway connections, so many end with an error response.
  package var responses = 500

  package init() {}

  /// Whether all that a decoder says of it is known: of what is damaged, no more is promised than some of the records.
  var isDamaged: Bool { !damage.isNone || !fileDamage.isNone }

  /// Which of all tuples or requests a connection has, by their numbers from 0: all have as many, or one more.
  func share(of connection: Int, among count: Int) -> Range<Int> {
    let (share, rest) = tuples.quotientAndRemainder(dividingBy: max(1, count))
    let start = connection * share + min(connection, rest)
    return start..<start + share + (connection < rest ? 1 : 0)
  }

  /// The number of the token that the tuple or request of that number has: every token comes once before any comes
  /// again.
  func token(of number: Int, _ random: inout RandomNumbers) -> Int {
    let tokens = max(1, tokens ?? tuples)
    return number < tokens ? number : random.below(tokens)
  }

  /// The times that a tuple may have: outside of them a decoder doubts it (decoding-rules.md, Feedback tuples).
  package static let plausibleTimes: ClosedRange<UInt32> = 1_245_196_800...1_619_740_800
  /// The shortest span in which times can be told from everything else (TupleSource), in seconds.
  package static let shortestSpan: UInt32 = 86_400
  package static let longestToken = 100
  /// The length that a decoder holds to be normal unless it is told otherwise.
  static let normalLength = 32
}

/// How often what a side says is damaged before it travels: of 1000 tuples or requests, so many.
package struct StreamDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing.
  package var lostBytes = 0
  /// 1 to 3 bytes are others.
  package var flippedBytes = 0
  /// 512 to 4096 bytes are missing.
  package var lostBlocks = 0
  /// Bytes stand there that a reader's buffer of 38 bytes held behind a short read (readers.md, `cookbook` and
  /// `java`), zeros or bytes of the read before.
  package var padding = 0
  /// The last tuple or request is cut off.
  package var cutsTail = false

  package init() {}

  package var isNone: Bool { self == StreamDamageRates() }
}

/// How often a capture file is damaged when it was written: of 1000 packets with data, so many.
///
/// What comes of a packet whose headers are damaged is the decoder's luck, and that of its whole connection. So each
/// connection is spared or not, and damage stays with those that are not (CaptureGenerator).
package struct FileDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing in the packet or its record header.
  package var lostBytes = 0
  /// 1 to 3 bytes are others.
  package var flippedBytes = 0
  /// The file ends within its last packet.
  package var cutsTail = false

  package init() {}

  package var isNone: Bool { self == FileDamageRates() }
}
