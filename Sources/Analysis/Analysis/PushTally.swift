import APNsWire

/// The pushes of all inputs: by outcome, by status and reason, by topic, by kind of token, by hour, and by flag; likewise
/// broadcasts, with apps for topics, and requests for channels.
package struct PushTally: Equatable, Sendable {
  /// The maximum number of separate counts of answers, and of topics. All others share one count.
  private static let maxGroups = 100

  /// The pushes with the same status and text.
  package struct Group: Equatable, Sendable {
    /// Of requests for channels, the same too.
    fileprivate var service = ServiceRequest.push
    /// Nil if it is unknown, and in groups of topics.
    package var status: UInt16?
    fileprivate var bytes: [UInt8]?
    package fileprivate(set) var count = 0

    /// What is asked of channels; nil in other groups, and if it is not known.
    package var operation: String? { ServiceRequest.operations.contains(service) ? service.rawValue : nil }

    /// The reason or the topic; nil without one.
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The pushes to tokens of a kind.
  package struct OfKind: Equatable, Sendable {
    package let kind: TokenKind?
    package fileprivate(set) var counts = PushCounts()
  }

  /// Groups, in the order of their first push.
  private struct Groups: Equatable, Sendable {
    var groups: [Group] = []
    /// The number of pushes in other groups.
    var others = 0
    /// Index of the last counted group. The next push often belongs to it.
    private var last = 0

    mutating func count(
      _ status: UInt16?, _ range: Range<Int>?, of service: ServiceRequest = .push, in bytes: RawSpan
    ) {
      if !groups.indices.contains(last) || !isSame(groups[last], status, range, service, bytes) {
        guard
          let index = groups.firstIndex(where: { isSame($0, status, range, service, bytes) })
            ?? add(status, range, service, bytes)
        else {
          others &+= 1
          return
        }
        last = index
      }
      groups[last].count &+= 1
    }

    private func isSame(
      _ group: Group, _ status: UInt16?, _ range: Range<Int>?, _ service: ServiceRequest, _ bytes: RawSpan
    ) -> Bool {
      guard group.status == status, group.service == service, group.bytes?.count == range?.count else {
        return false
      }
      guard let known = group.bytes, let range else { return true }
      return bytes.extracting(range).withUnsafeBytes { $0.elementsEqual(known) }
    }

    mutating func replaceTexts(_ replacement: (String) -> String) {
      for index in groups.indices {
        groups[index].bytes = groups[index].text.map { Array(replacement($0).utf8) }
      }
    }

    private mutating func add(
      _ status: UInt16?, _ range: Range<Int>?, _ service: ServiceRequest, _ bytes: RawSpan
    ) -> Int? {
      guard groups.count < PushTally.maxGroups else { return nil }
      let text = range.map { bytes.extracting($0).withUnsafeBytes { Array($0) } }
      groups.append(Group(service: service, status: status, bytes: text))
      return groups.count - 1
    }
  }

  package private(set) var counts = PushCounts()
  package var hours = PushHours()
  package private(set) var lags = InvalidationLags()
  /// The number of pushes that should be sent again.
  package private(set) var resend = 0
  /// The number of pushes with each flag, in the order of `PushFlags.all`.
  private(set) var flags = [Int](repeating: 0, count: PushFlags.all.count)
  private var byAnswer = Groups()
  private var byTopic = Groups()
  private var byKind = (TokenKind.allCases + [nil]).map { OfKind(kind: $0) }

  init(mostHours: Int = PushHours.defaultMost) { hours.mostHours = mostHours }

  /// Groups by status and reason, sorted by status, then by count, descending.
  package var answers: [Group] {
    byAnswer.groups.sorted { (Int($0.status ?? .max), -$0.count) < (Int($1.status ?? .max), -$1.count) }
  }
  package var otherAnswers: Int { byAnswer.others }

  /// Groups by topic, sorted by count, descending. Pushes without a topic are not counted.
  package var topics: [Group] { byTopic.groups.sorted { $0.count > $1.count } }
  package var otherTopics: Int { byTopic.others }

  /// By the kind of their tokens; nil if it is not known.
  package var kinds: [OfKind] { byKind.filter { $0.counts.all > 0 } }

  /// Replaces the reasons and topics.
  package mutating func replaceTexts(_ replacement: (String) -> String) {
    byAnswer.replaceTexts(replacement)
    byTopic.replaceTexts(replacement)
  }

  /// - Parameter bytes: the texts of the push.
  mutating func count(_ record: PushRecord, in bytes: RawSpan) {
    hours.count(record)
    lags.count(record)
    let push = record.fields
    counts.count(push)
    if push.needsResend { resend &+= 1 }
    byAnswer.count(push.status, push[.reason], of: record.kind == .channel ? push.service : .push, in: bytes)
    let kind = record.kind == .push ? push.tokenKind(in: bytes) : nil
    if record.kind == .push, let index = byKind.firstIndex(where: { $0.kind == kind }) {
      byKind[index].counts.count(push)
    }
    if let topic = push[.topic] { byTopic.count(nil, topic, in: bytes) }
    let known = push.flags
    if known.isEmpty { return }
    for (index, entry) in PushFlags.all.enumerated() where known.contains(entry.flag) { flags[index] &+= 1 }
  }
}
