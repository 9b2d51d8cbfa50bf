import CaptureWriting
import CommandTestSupport

/// A feedback connection as the tests of `serve` capture it.
enum ServedFeedback {
  static let sizes = [38, 1, 75, 400, 14]
  static let bytes = feedback(tuples(20))

  /// In segments of `sizes`, used in turn.
  static func conversation(_ sizes: [Int] = sizes, client: UInt8 = 10) -> Conversation {
    var conversation = Conversation(serverSends: bytes)
    conversation.segmentSizes = sizes
    conversation.client = .v4(client, port: 49_152)
    return conversation
  }

  /// The sizes of the chunks of `count` bytes that `sizes`, in turn, make.
  static func cut(_ sizes: [Int], count: Int = bytes.count) -> [Int] {
    var rest = count
    var made: [Int] = []
    while rest > 0 {
      made.append(min(rest, sizes[made.count % sizes.count]))
      rest -= made[made.count - 1]
    }
    return made
  }
}
