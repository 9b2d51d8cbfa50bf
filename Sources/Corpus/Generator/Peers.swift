/// The two ends of a generated connection.
struct Peers: Sendable {
  var isV6: Bool
  var serverPort: UInt16
  /// Which client it is, from 1; its address ends with the number.
  private let client: UInt16
  private let clientPort: UInt16

  /// - Parameters:
  ///   - number: of the connection, from 0, or where ports are reused of its place among those that are open.
  init(_ number: Int, serverPort: UInt16, isV6: Bool) {
    self.isV6 = isV6
    self.serverPort = serverPort
    client = UInt16(truncatingIfNeeded: number / CaptureScenario.clientPorts + 1)
    clientPort = UInt16(truncatingIfNeeded: 49_152 + number % CaptureScenario.clientPorts)
  }

  func addresses(isFromServer: Bool) -> (source: [UInt8], destination: [UInt8]) {
    let (client, server) = isV6 ? (v6(0x0c, client), v6(0x05, 1)) : (v4Client, [198, 51, 100, 1])
    return isFromServer ? (server, client) : (client, server)
  }

  func ports(isFromServer: Bool) -> (source: UInt16, destination: UInt16) {
    isFromServer ? (serverPort, clientPort) : (clientPort, serverPort)
  }

  /// Private addresses (RFC 1918), and ones for documentation (RFC 5737 and 3849).
  private var v4Client: [UInt8] {
    [10, 0, UInt8(truncatingIfNeeded: client >> 8), UInt8(truncatingIfNeeded: client)]
  }

  private func v6(_ group: UInt8, _ last: UInt16) -> [UInt8] {
    var address: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, group]
    appendBigEndian(last, to: &address)
    return address
  }

  /// As reports name an end, in JSON: `"192.0.2.1:2196"`, `"[2001:db8::1]:2196"`.
  func text(ofServer isServer: Bool) -> [UInt8] {
    let port = isServer ? serverPort : clientPort
    let address =
      if isV6 {
        isServer ? "[2001:db8::5:1]" : "[2001:db8::c:\(String(client, radix: 16))]"
      } else {
        isServer ? "198.51.100.1" : "10.0.\(client >> 8).\(client & 0xff)"
      }
    return TruthText.quoted("\(address):\(port)")
  }
}
