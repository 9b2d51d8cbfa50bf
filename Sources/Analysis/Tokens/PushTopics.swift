import WireBytes

/// The apps that the topics of pushes name: whose tokens they are.
package struct PushTopics {
  /// The first push of an app.
  package struct First {
    /// The topic without the ending of a push type.
    package var app: String
    package var topic: String
    package var source: String
    package var stream: Int
    /// The line of a log, from 1; nil in a capture.
    package var line: Int?
    /// Whether it is the app of the tokens.
    package var isOwn: Bool
  }

  /// More are not needed to see that they differ.
  private static let most = 64

  /// The app of the tokens; empty if any is.
  private let app: String
  /// By app, in the order in which they were found.
  package private(set) var apps: [First] = []
  /// Topics that were found, the last one first: most pushes have the topic of the one before.
  private var known: [(topic: [UInt8], isOwn: Bool)] = []

  package init(app: String) { self.app = app }

  /// Adds the topic of a push; returns whether it is one of the app.
  mutating func add(_ topic: RawSpan, of push: PushRecord, _ labels: StreamLabels) -> Bool {
    let index = topic.withUnsafeBytes { topic in known.firstIndex { topic.elementsEqual($0.topic) } }
    if let index {
      if index > 0 { known.swapAt(0, index) }
      return known[0].isOwn
    }
    let bytes = topic.withUnsafeBytes { Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    let found = Self.app(of: text)
    // An app's own name may end like the topic of a push type.
    let isOwn = app.isEmpty || app == text || app == found
    guard known.count < Self.most else { return isOwn }
    known.insert((bytes, isOwn), at: 0)
    if !apps.contains(where: { $0.app == found && $0.isOwn == isOwn }) {
      apps.append(
        First(
          app: found, topic: text, source: labels.source, stream: labels.stream, line: push.fields.line,
          isOwn: isOwn))
    }
    return isOwn
  }

  /// What Apple appends to an app's bundle id for the topics of some push types (docs/spec/pushes.md#topics).
  private static let endings = [
    ".voip", ".voip-ptt", ".complication", ".pushkit.fileprovider", ".location-query",
    ".push-type.liveactivity", ".push-type.controls", ".push-type.widgets",
  ]

  /// The bundle id of the app that a topic names.
  package static func app(of topic: String) -> String {
    let ending = endings.first { topic.hasSuffix($0) && topic.utf8.count > $0.utf8.count }
    return ending.map { String(topic.dropLast($0.count)) } ?? topic
  }
}
