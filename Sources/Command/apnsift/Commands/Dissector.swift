import ArgumentParser
import Reports

struct Dissector: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dissector", abstract: "Print a dissector for Wireshark and tshark.",
    usage: "apnsift dissector",
    discussion: """
      The output is a script in Lua: in Wireshark's folder of personal plugins, or named with -X lua_script:, it shows \
      feedback tuples, gateway requests, error responses and pushes, with their flags. Its fields have the names of the \
      columns of export, such as apns.feedback.token.

      EXAMPLES
        apnsift dissector > apns.lua
        tshark -X lua_script:apns.lua -r capture.pcap -Y apns
      """)

  func run() { print(LuaDissector.text, terminator: "") }
}
