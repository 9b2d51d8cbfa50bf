/// Formats counts with a noun.
package enum Count {
  /// `1 record`, `2 records`.
  /// - Parameter plural: the plural of `noun`; nil appends an s.
  package static func of(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
  }
}
