/// The apps in the topics of pushes.
package struct PushTopics {
  /// The first push of an app.
  package struct First {
    /// The topic without the suffix of a push type.
    package var app: String
    package var topic: String
    package var source: String
    package var stream: Int
    /// The line of a log, from 1; nil in a capture.
    package var line: Int?
    /// Whether it is the requested app.
    package var isOwn: Bool
  }

  /// The maximum number of topics to remember.
  private static let most = 64

  /// The requested app; empty for any app.
  private let app: String
  /// The first push of each app, in the order of the input.
  package private(set) var apps: [First] = []
  /// Whether a push belongs to the requested app.
  package private(set) var hasOwn = false
  /// Whether a push without a topic was added: it fits any app.
  package internal(set) var hasUnknown = false
  /// Known topics, the most recent first: most pushes repeat the topic of the previous push.
  private var known: [(topic: [UInt8], app: String, isOwn: Bool)] = []

  package init(app: String) { self.app = app }

  /// Adds the topic of a push. Returns its app, and whether that is the requested one.
  mutating func add(
    _ topic: RawSpan, of push: PushRecord, _ labels: StreamLabels
  ) -> (app: String, isOwn: Bool) {
    let index = topic.withUnsafeBytes { topic in known.firstIndex { topic.elementsEqual($0.topic) } }
    if let index {
      if index > 0 { known.swapAt(0, index) }
      return (known[0].app, known[0].isOwn)
    }
    let bytes = topic.withUnsafeBytes { Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    let found = String(decoding: bytes[TokenKind.split(bytes.indices, in: topic).app], as: UTF8.self)
    // The name of an app may itself end with such a suffix.
    let isOwn = app.isEmpty || app == text || app == found
    if isOwn { hasOwn = true }
    guard known.count < Self.most else { return (found, isOwn) }
    known.insert((bytes, found, isOwn), at: 0)
    if !apps.contains(where: { $0.app == found && $0.isOwn == isOwn }) {
      apps.append(
        First(
          app: found, topic: text, source: labels.source, stream: labels.stream, line: push.fields.line,
          isOwn: isOwn))
    }
    return (found, isOwn)
  }

  /// Whether the requested app is a topic that itself says the kind of its tokens, such as `com.example.app.voip`,
  /// and the push has this topic.
  func areOfKind(_ topic: Range<Int>?, in bytes: RawSpan) -> Bool {
    guard let topic, TokenKind.split(topic, in: bytes).kind != nil else { return false }
    return bytes.extracting(topic).withUnsafeBytes { $0.elementsEqual(app.utf8) }
  }
}
