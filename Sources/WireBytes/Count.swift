/// Numbers with their nouns.
package enum Count {
  /// `1 record`, `2 records`.
  /// - Parameter plural: where it is not the noun with an s.
  package static func of(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
  }
}
