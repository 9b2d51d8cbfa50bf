import Analysis
import ArgumentParser
import Dispatch
import MockServer
import Platform
import Reports
import WireBytes

/// `apnsift serve`: a mock server that replays what servers sent.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Replay captured bytes to a client under test, as the feedback server or the gateway did.",
    discussion: """
      Each client that connects gets the next stream: the server's bytes in the chunks in which they were captured (of \
      a dump 4096 bytes), a read or a TLS record each, and the same end. A gateway's responses wait until the client \
      has sent as many bytes as the captured one had. Behind the last stream comes the first one again. The address \
      stands on standard output as soon as clients can connect. A stream with gaps, or encrypted, is not served.

      EXAMPLES
        apnsift serve capture.pcap                      on 127.0.0.1:2196
        apnsift serve feedback.bin --port 0 --once      one client, any port
        apnsift serve capture.pcap --stream 3 --tls
        apnsift serve feedback.bin --chunk-size 7
        apnsift serve feedback.bin --every-chunking     client k gets size k
        apnsift serve gateway.pcap --pace 1             with its pauses
        apnsift serve a.pcap --certificate cert.pem --key key.pem
      """)

  @OptionGroup var input: InputOptions

  @Option(help: "Serve the stream of this number alone (of each input).")
  var stream: Int?

  @OptionGroup(title: "CHUNKS") var chunking: ChunkOptions

  @OptionGroup(title: "SERVER") var server: ServeOptions

  mutating func validate() throws {
    try chunking.validate(beside: input)
    if let other = chunking.given.first, server.pace != nil {
      throw ValidationError("--pace is for the captured chunks: it does not go with \(other).")
    }
    if let stream, stream < 0 {
      throw ValidationError("--stream is \(stream): streams are numbered from 0.")
    }
  }

  func run() throws {
    let chunks = try chunking.chunks()
    var examination = input.examination(hashing: .none, mayRepeat: true)
    let identity = try identity(examination)
    let streams = ServedStreams(
      ConnectionPlan(chunks: chunks, pace: server.replayPace), memory: input.memory.bytes, wanted: stream)
    try examination.run([streams.recorder()])
    let connections = streams.connections()
    guard !connections.isEmpty else { throw Failure(nothing(streams)) }

    let script = ServeScript(connections, chunks: chunks)
    let log = try serve(
      script,
      server.configuration(
        port: streams.areGateways ? 2195 : 2196, identity: identity,
        clientLimit: server.once ? script.round : nil))
    let done = "served \(Count.of(connections.count, "stream")) to \(log.done)"
    Messages.say(examination.closingLine(done, faults: log.faults))
    if log.missing > 0 { throw ExitStatus.failed }
    try input.check(examination)
  }

  /// Serves until a signal ends it, or until all that was to be served is.
  private func serve(_ script: ServeScript, _ configuration: MockServer.Configuration) throws -> ServeLog {
    let done = DispatchSemaphore(value: 0)
    let log = ServeLog(idleSeconds: server.idleTimeout.seconds, awaited: configuration.clientLimit) {
      done.signal()
    }
    let running: MockServer
    do {
      running = try MockServer.start(
        configuration, script: { script.connection(for: $0) }, tell: { log.add($0) })
    } catch let error as MockServerError {
      throw Failure(error.message)
    }
    defer { running.stop() }
    Interruption.remember { done.signal() }
    try sayAddress(running.port)
    done.wait()
    running.stop()
    return log
  }

  private func sayAddress(_ port: Int) throws {
    if !server.isLoopback {
      Messages.say(
        "warning: clients on other machines can connect to \(server.listen), and get what was captured; without "
          + "--listen only those on this one can")
    }
    let host = server.listen.contains(":") ? "[\(server.listen)]" : server.listen
    try OutputFile().write(Array("\(host):\(port)\n".utf8).span.bytes)
  }

  /// Nil where TLS is not spoken.
  private func identity(_ examination: Examination) throws -> TLSIdentity? {
    guard server.speaksTLS else { return nil }
    let identity: TLSIdentity
    if let certificate = server.certificate, let key = server.key {
      identity = try TLSIdentity(certificate: certificate, key: key)
    } else {
      if let path = server.writeCertificate, examination.contains(fileAt: path) {
        throw Failure("\(path) is one of the inputs: name another file to write")
      }
      let output = try server.writeCertificate.map { try OutputFile($0, force: server.force) }
      identity = try TLSIdentity(writing: output)
    }
    Messages.say("the certificate's SHA-256 fingerprint is \(identity.fingerprint)")
    return identity
  }

  private func nothing(_ streams: ServedStreams) -> String {
    if streams.refused > 0 {
      return "nothing to serve: \(Count.of(streams.refused, "stream")) cannot be, see above"
    }
    guard let stream else { return "nothing to serve: the inputs hold no stream" }
    return "nothing to serve: no input has a stream \(stream); `apnsift inspect` lists them"
  }
}
