import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Dispatch
import MockServer
import Reports

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Replay captured server bytes, or outcomes of pushes, to a client under test.",
    usage: "apnsift-lab serve [<options>] <input> ...",
    discussion: """
      Each client gets the next stream: the server's bytes in the captured chunks (4096 bytes for a dump), one read \
      or TLS record each, and the captured end. A gateway response waits until the client has sent the same number \
      of bytes as the captured client. After the last stream, the first one follows. The address is printed to \
      standard output once clients can connect. Streams that have gaps or are encrypted are not served.

      With --pushes, the server speaks HTTP/2. A request for a token gets the status, reason and time \
      of that token in the inputs, or a reset, a GOAWAY or no answer. Other tokens get 200. With --strict, it \
      also refuses what the service refuses whatever the token, such as a push without a topic. It keeps \
      channels, and takes broadcasts to them.

      EXAMPLES
        apnsift-lab serve capture.pcap                      on 127.0.0.1:2196
        apnsift-lab serve feedback.bin --port 0 --once      one client, any port
        apnsift-lab serve capture.pcap --stream 3 --tls
        apnsift-lab serve feedback.bin --chunk-size 7
        apnsift-lab serve feedback.bin --every-chunking     client k: size k
        apnsift-lab serve gateway.pcap --pace 1             with the pauses
        apnsift-lab serve a.pcap --certificate cert.pem --key key.pem
        apnsift-lab serve --pushes pushes.pcap --tls --keylog keys.txt
        apnsift-lab serve --pushes --strict log.ndjson --received sent.ndjson
        apnsift-lab serve --pushes --answer 410:Unregistered /dev/null
      """)

  @Option(help: .init("Serve only this stream (of each input).", valueName: "NUMBER"))
  var stream: Int?

  @OptionGroup(title: "CHUNKS") var chunking: ChunkOptions
  @OptionGroup(title: "PUSHES") var pushes: ServePushOptions
  @OptionGroup(title: "SERVER") var server: ServeOptions
  @OptionGroup var input: InputOptions

  mutating func validate() throws {
    try chunking.validate(with: input)
    if let other = chunking.given.first, server.pace != nil {
      throw ValidationError("--pace replays the captured chunks: leave out \(other)")
    }
    let contradicting =
      chunking.given
      + [server.pace.map { _ in "--pace" }, stream.map { _ in "--stream" }].compactMap { $0 }
    if pushes.pushes, let other = contradicting.first {
      throw ValidationError("--pushes answers requests by token: leave out \(other)")
    }
    if let stream { try checkRange("--stream", stream, 0...Int.max) }
  }

  func run() throws {
    if pushes.pushes { return try runPushes() }
    let chunks = try chunking.chunks()
    var examination = try input.examination(hashing: .none, mayRepeat: true)
    let identity = try identity()
    let keyLog = try server.keyLog()
    let streams = ServedStreams(chunks: chunks, pace: server.replayPace, memory: input.memory, wanted: stream)
    try examination.run([streams.recorder()])
    let connections = streams.connections()
    guard !connections.isEmpty else { throw CommandError(nothingToServe(streams)) }

    let script = ServeScript(connections, chunks: chunks)
    let configuration = server.configuration(
      port: streams.areGateways ? 2195 : 2196, identity: identity, keyLog: keyLog,
      clientLimit: server.once ? script.round : nil)
    let log = try serve(configuration) { log in
      try MockServer.start(.replay { script.connection(for: $0) }, configuration) { log.add($0) }
    }
    try keyLog?.finish()
    Console.say(examination.closingLine(log.done(streams: connections.count), errors: log.errors))
    if log.missing > 0 { throw ExitStatus.failed }
    try input.check(examination)
  }

  /// Serves until a signal, or until the client limit is reached.
  func serve(
    _ configuration: MockServer.Configuration, _ start: (ServeLog) throws -> MockServer
  ) throws -> ServeLog {
    let done = DispatchSemaphore(value: 0)
    let log = ServeLog(idleSeconds: server.idleTimeout.seconds, awaited: configuration.clientLimit) {
      done.signal()
    }
    let running = try start(log)
    defer { running.stop() }
    Interruption.remember { done.signal() }
    try sayAddress(running.port)
    done.wait()
    running.stop()
    return log
  }

  private func sayAddress(_ port: Int) throws {
    if !server.isLoopback {
      Console.say(
        .warning(
          "clients on other machines can connect to \(server.listen) and read the captured bytes; "
            + "without --listen, only this machine can"))
    }
    let host = server.listen.contains(":") ? "[\(server.listen)]" : server.listen
    try OutputFile().write(Array("\(host):\(port)\n".utf8).span.bytes)
  }

  /// Nil without TLS.
  func identity() throws -> TLSIdentity? {
    guard server.usesTLS else { return nil }
    let identity: TLSIdentity
    if let certificate = server.certificate, let key = server.key {
      identity = try TLSIdentity(certificate: certificate, key: key)
    } else {
      let output = try server.writeCertificate.map {
        try OutputFile($0, force: server.force, isPrivate: false)
      }
      identity = try TLSIdentity(writing: output)
    }
    Console.say("SHA-256 fingerprint of the certificate: \(identity.fingerprint)")
    return identity
  }

  private func nothingToServe(_ streams: ServedStreams) -> Message {
    if streams.refused > 0 {
      return "nothing to serve: \(Count.of(streams.refused, "stream")) skipped, see above"
    }
    guard let stream else { return "nothing to serve: the inputs have no stream" }
    return "nothing to serve: no input has a stream \(stream); `apnsift inspect` lists them"
  }
}
