import APNsWire
import ArgumentParser
import MockServer
import PacketCapture
import WireBytes

/// Where and how `serve` listens, and how it treats clients.
struct ServeOptions: ParsableArguments {
  @Option(help: "The port; 0 takes a free one. (default: 2196, or 2195 where all streams are gateways')")
  var port: Int?

  @Option(help: "The address of this machine to listen on; with any but the default others may connect.")
  var listen = "127.0.0.1"

  @Flag(help: "End when each stream was served once: exit code 0 where all was read, else 2.")
  var once = false

  @Option(help: "Give a client up that neither reads nor sends what is waited for: seconds, or 2m.")
  var idleTimeout = SpanArgument(30)

  @Option(help: "Replay the captured times, so many times as fast: 1 as captured.")
  var pace: Double?

  private static let usualPause = SpanArgument(10)

  @Option(help: "The longest pause of --pace. (default: \(usualPause.defaultValueDescription))")
  var maxPause: SpanArgument?

  @Flag(help: "Speak TLS, with a certificate made for it unless one is given.")
  var tls = false

  @Option(help: "The server's certificate and those behind it, a file in PEM; with --key.")
  var certificate: String?

  @Option(help: "The key of --certificate, a file in PEM without a passphrase.")
  var key: String?

  @Option(help: "Write the made certificate to this file, for clients to trust.")
  var writeCertificate: String?

  @Flag(help: "Replace the file of --write-certificate.")
  var force = false

  @Flag(help: "Ask clients for a certificate, as APNs did; any is taken, and none.")
  var askClientCertificate = false

  @Option(help: "The oldest version of TLS that is spoken: 1.0, 1.1, 1.2 or 1.3.")
  var tlsMin = TLSOptions.Version.tls10

  mutating func validate() throws {
    if let port, UInt16(exactly: port) == nil {
      throw ValidationError("--port is \(port): 1 to 65535 are ports, 0 takes a free one.")
    }
    if maxPause != nil, pace == nil {
      throw ValidationError("--max-pause is of --pace: give that as well.")
    }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key go together: give both, or neither.")
    }
    if certificate != nil, writeCertificate != nil {
      throw ValidationError(
        "--write-certificate writes the certificate that is made: none is, with --certificate.")
    }
    let needsTLS = [
      writeCertificate.map { _ in "--write-certificate" },
      askClientCertificate ? "--ask-client-certificate" : nil,
      tlsMin == .tls10 ? nil : "--tls-min",
    ].compactMap { $0 }
    if let option = needsTLS.first, !speaksTLS {
      throw ValidationError("\(option) is for TLS: give --tls, too.")
    }
    if let pace, !(pace > 0 && pace.isFinite) {
      throw ValidationError("--pace is \(pace): it is a number above 0, and 1 is the pace of the capture.")
    }
    guard idleTimeout.seconds > 0 else {
      throw ValidationError("--idle-timeout is 0: give clients a second or more.")
    }
    guard IPAddress(listen) != nil else {
      throw ValidationError("--listen is '\(listen)': it is an address such as 127.0.0.1 or ::1.")
    }
  }

  var speaksTLS: Bool { tls || certificate != nil }

  var replayPace: ReplayPace? {
    pace.map { ReplayPace(factor: $0, longestPause: Double((maxPause ?? Self.usualPause).seconds)) }
  }

  /// Whether nobody but this machine can connect (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  var isLoopback: Bool {
    guard let address = IPAddress(listen) else { return false }
    return address.family == .v4 ? address.low >> 24 == 127 : (address.high, address.low) == (0, 1)
  }

  /// - Parameters:
  ///   - port: where none is given.
  ///   - clientLimit: how many clients get something in all.
  func configuration(port: Int, identity: TLSIdentity?, clientLimit: Int?) -> MockServer.Configuration {
    var configuration = MockServer.Configuration()
    configuration.address = listen
    configuration.port = self.port ?? port
    configuration.tls = identity
    configuration.tlsOptions.asksClientCertificate = askClientCertificate
    configuration.tlsOptions.oldestVersion = tlsMin
    configuration.idleNanoseconds = Int64(idleTimeout.seconds) * 1_000_000_000
    configuration.clientLimit = clientLimit
    return configuration
  }
}

extension TLSOptions.Version: ExpressibleByArgument {}
