import Basics

extension Message {
  /// - Parameter most: `Int.max` if there is no upper bound.
  package static func headerLength(_ header: String, _ found: Int, least: Int, most: Int) -> Message {
    let range = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"
    return Message("\(header) has a length of \(Count.of(found, "byte")), expected \(range); packet skipped")
  }

  package static func damage(_ cause: Message, inPacket number: Int) -> Message {
    Message("in packet \(number): \(cause)")
  }
}
