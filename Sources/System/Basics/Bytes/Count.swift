/// Formats counts with a noun.
package enum Count {
  /// `1 record`, `2 pushes`, `0 directories`.
  package static func of(_ count: Int, _ noun: String) -> String {
    if count == 1 { return "1 \(noun)" }
    return noun.hasSuffix("ry")
      ? "\(count) \(noun.dropLast())ies" : "\(count) \(noun)\(noun.hasSuffix("sh") ? "es" : "s")"
  }
}
