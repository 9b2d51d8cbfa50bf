import APNsWire
import Analysis
import PacketCapture

/// The dissector for Wireshark and tshark: apns.lua, with the tables and limits of our own decoders. It reads the records a second
/// time, by the same rules and without their code.
package enum LuaDissector {
  /// Where apns.lua has the tables.
  private static let mark = "-- TABLES"
  private static let width = 130

  package static var text: String {
    String(decoding: PackageResources.apns_lua, as: UTF8.self)
      .replacing(mark, with: tables.map(declaration).joined(separator: "\n"))
  }

  private typealias Table = (name: String, entries: [String])

  private static var tables: [Table] {
    let ports = ProtocolChoice()
    let findings: [FindingCode] = [.skippedBytes, .truncatedRecord, .malformedFrame, .unknownCommand]
    let items = RequestItem.Kind.allCases
    return [
      ("PORTS", ["feedback = \(list(ports.feedbackPorts))", "gateway = \(list(ports.gatewayPorts))"]),
      ("LIMITS", limits.map { "\($0) = \($1)" }),
      ("COMMANDS", numbered([(0, "simple"), (1, "enhanced"), (2, "frame")])),
      ("ITEMS", numbered(items.map { (Int($0.rawValue), "\($0)") })),
      ("SIZES", items.compactMap { item in item.size.map { "[\(item.rawValue)] = \($0)" } }),
      ("STATUSES", numbered(ErrorStatus.allCases.map { (Int($0.rawValue), $0.text) })),
      (
        "REASONS",
        PushReason.statuses.flatMap { entry in entry.reasons.map { "\(key("\($0)")) = \(entry.status)" } }
      ),
      ("FLAGS", FlagEntry.all.map { quoted($0.code) }),
      ("FINDINGS", findings.map { quoted($0.rawValue) }),
    ]
  }

  /// Sizes in bytes, times in seconds since 1970.
  private static var limits: KeyValuePairs<String, Int> {
    let (rules, requests) = (FeedbackRules.standard, RequestRules.standard)
    return [
      "earliest": Int(rules.earliest), "latest": Int(rules.latest), "token": rules.tokenLengths.longest,
      "longest_token": rules.longestToken, "payload": requests.longestPayload,
      "frame": RequestRules.longestItems, "large_payload": RequestRules.largestPayload,
      "old_payload": RequestRules.largestOldPayload,
    ]
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  /// A name of a member; one with a space is in brackets.
  private static func key(_ text: String) -> String { text.contains(" ") ? "[\(quoted(text))]" : text }

  private static func list(_ numbers: Set<UInt16>) -> String {
    quoted(numbers.sorted().map(String.init).joined(separator: ","))
  }

  private static func numbered(_ texts: [(number: Int, text: String)]) -> [String] {
    texts.map { "[\($0.number)] = \(quoted($0.text))" }
  }

  /// `local NAME = { … }`, in lines of at most `width` characters.
  private static func declaration(of table: Table) -> String {
    var lines = ["local \(table.name) = {"]
    for entry in table.entries {
      let fits = lines[lines.count - 1].count + entry.count + 3 <= width
      if fits { lines[lines.count - 1] += " \(entry)," } else { lines.append("  \(entry),") }
    }
    return lines.joined(separator: "\n") + " }"
  }
}
