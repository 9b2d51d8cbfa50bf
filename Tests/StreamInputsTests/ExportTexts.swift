/// Exports as the tools write them, made by hand for the tests.
enum ExportTexts {
  static let rule = String(repeating: "=", count: 67)

  static func frame(
    _ mode: String, _ body: String, node0: String = "192.0.2.1:40000", node1: String = "192.0.2.2:2196"
  ) -> String {
    "\n\(rule)\nFollow: \(mode)\nFilter: tcp.stream eq 0\nNode 0: \(node0)\nNode 1: \(node1)\n\(body)\(rule)\n"
  }

  static func yaml(_ packets: String) -> String {
    "peers:\n  - peer: 0\n    host: 192.0.2.1\n    port: 40000\n  - peer: 1\n    host: 192.0.2.2\n"
      + "    port: 2196\npackets:\n" + packets
  }

  static func packet(_ number: Int, _ peer: Int, _ data: String, time: String = "1400000000.200000048")
    -> String
  {
    "  - packet: \(number)\n    peer: \(peer)\n    timestamp: \(time)\n    data: !!binary |\n      \(data)\n"
  }

  static func block(_ sign: String, from: Int, _ length: Int, _ lines: String) -> String {
    "\(sign) 2024/01/01 12:00:00.000000123  length=\(length) from=\(from) to=\(from + length - 1)\n\(lines)"
  }

  static let dashes = "    " + String(repeating: "-", count: 63)

  static func record(_ connection: Int, _ number: Int, _ direction: String, _ body: String) -> String {
    "\(connection) \(number) 0.2913 (0.2683)  \(direction)  application_data\n\(dashes)\n\(body)\(dashes)\n"
  }

  static func connection(_ number: Int, _ client: String = "192.0.2.1(40000)") -> String {
    "New TCP connection #\(number): \(client) <-> 192.0.2.2(2196)\n"
  }
}
