import ArgumentParser
import CommandOptions
import MockServer
import PacketCapture

struct ServeOptions: ParsableArguments {
  @Option(
    help: .init("Port, or 0 for a free one. (default: 2196; gateways 2195, pushes 2197)", valueName: "PORT"))
  var port: Int?
  @Option(help: .init("Address to listen on.", valueName: "ADDRESS"))
  var listen = "127.0.0.1"
  @Flag(help: "Exit when each stream has been served once; with --pushes, after one client.")
  var once = false
  @Option(help: .init("Close idle clients after this time.", valueName: "TIME"))
  var idleTimeout = SpanArgument(30)
  @Option(help: .init("Replay captured timing; 2 is twice as fast.", valueName: "FACTOR"))
  var pace: Double?

  private static let usualPause = SpanArgument(10)

  @Option(
    help: .init(
      "Longest pause of --pace. (default: \(usualPause.defaultValueDescription))", valueName: "TIME"))
  var maxPause: SpanArgument?
  @Flag(help: "Use TLS, with a self-signed certificate by default.")
  var tls = false
  @Option(help: .init("Certificate chain (PEM); requires --key.", valueName: "FILE"))
  var certificate: String?
  @Option(help: .init("Private key of --certificate (PEM, no passphrase).", valueName: "FILE"))
  var key: String?
  @Option(help: .init("Write the self-signed certificate to FILE.", valueName: "FILE"))
  var writeCertificate: String?
  @Option(
    help: .init("Write the secrets of TLS connections to FILE, to decrypt captures.", valueName: "FILE"))
  var keylog: String?
  @Flag(help: "Overwrite the files of --write-certificate, --keylog and --received.")
  var force = false
  @Flag(help: "Request a client certificate, as APNs did; accept any or none.")
  var askClientCertificate = false
  @Option(help: .init("Oldest TLS version.", valueName: "VERSION"))
  var tlsMin = TLSOptions.Version.tls10

  mutating func validate() throws {
    if let port, UInt16(exactly: port) == nil {
      throw ValidationError("--port is \(port): give 1 to 65535, or 0 for a free port")
    }
    if maxPause != nil, pace == nil { throw ValidationError("--max-pause requires --pace") }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key go together: give both, or neither")
    }
    if certificate != nil, writeCertificate != nil {
      throw ValidationError(
        "--write-certificate writes the self-signed certificate: leave it out with --certificate")
    }
    let needsTLS = [
      writeCertificate.map { _ in "--write-certificate" },
      askClientCertificate ? "--ask-client-certificate" : nil,
      tlsMin == .tls10 ? nil : "--tls-min", keylog.map { _ in "--keylog" },
    ].compactMap { $0 }
    if let option = needsTLS.first, !usesTLS { throw ValidationError("\(option) requires --tls") }
    if let pace, !(pace > 0 && pace.isFinite) {
      throw ValidationError("--pace is \(pace): give a number above 0; 1 is the pace of the capture")
    }
    guard idleTimeout.seconds > 0 else { throw ValidationError("--idle-timeout is 0: give 1 second or more") }
    guard IPAddress(listen) != nil else {
      throw ValidationError("--listen is '\(listen)': give an IP address such as 127.0.0.1 or ::1")
    }
  }

  func keyLog() throws -> ServedOutput? { try keylog.map { try ServedOutput($0, force: force) } }
  var usesTLS: Bool { tls || certificate != nil }

  var replayPace: ReplayPace? {
    pace.map { ReplayPace(factor: $0, longestPause: Double((maxPause ?? Self.usualPause).seconds)) }
  }

  /// Whether only this machine can connect (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  var isLoopback: Bool {
    guard let address = IPAddress(listen) else { return false }
    return address.family == .v4 ? address.low >> 24 == 127 : (address.high, address.low) == (0, 1)
  }

  /// - Parameters:
  ///   - port: the default port.
  ///   - clientLimit: the number of clients to serve in all.
  func configuration(
    port: Int, identity: TLSIdentity?, keyLog: ServedOutput?, clientLimit: Int?
  ) -> MockServer.Configuration {
    var configuration = MockServer.Configuration()
    configuration.address = listen
    configuration.port = self.port ?? port
    configuration.tls = identity
    configuration.tlsOptions.asksClientCertificate = askClientCertificate
    configuration.tlsOptions.oldestVersion = tlsMin
    if let keyLog { configuration.tlsOptions.keyLog = { keyLog.write($0) } }
    configuration.idleNanoseconds = Int64(idleTimeout.seconds) * 1_000_000_000
    configuration.clientLimit = clientLimit
    return configuration
  }
}

extension TLSOptions.Version: ExpressibleByArgument {}
