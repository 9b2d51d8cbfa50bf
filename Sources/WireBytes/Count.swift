/// Numbers with their nouns.
package enum Count {
  /// `1 record`, `2 records`.
  package static func of(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
