import WireBytes

// MARK: - Options of serve

extension Message {
  /// - Parameter option: of chunks other than the captured ones.
  package static func paceWithChunks(_ option: String) -> Message {
    Message("--pace replays the captured chunks: leave out \(option)")
  }

  package static func negativeStreamNumber(_ number: Int) -> Message {
    Message("--stream is \(number): give 0 or more")
  }

  package static func notAPort(_ number: Int) -> Message {
    Message("--port is \(number): give 1 to 65535, or 0 for a free port")
  }

  package static let pauseWithoutPace = Message("--max-pause requires --pace")

  package static let certificateWithoutKey = Message(
    "--certificate and --key go together: give both, or neither")

  package static let nothingSelfSigned = Message(
    "--write-certificate writes the self-signed certificate: leave it out with --certificate")

  package static func needsTLS(_ option: String) -> Message { Message("\(option) requires --tls") }

  package static func needsPushes(_ option: String) -> Message { Message("\(option) requires --pushes") }

  /// - Parameter option: an option for captured streams.
  package static func notWithPushes(_ option: String) -> Message {
    Message("--pushes answers requests by token: leave out \(option)")
  }

  package static func notAPace(_ factor: Double) -> Message {
    Message("--pace is \(factor): give a number above 0; 1 is the pace of the capture")
  }

  package static let noIdleTime = Message("--idle-timeout is 0: give 1 second or more")

  package static func notAnAddressToListenOn(_ text: String) -> Message {
    Message("--listen is '\(text)': give an IP address such as 127.0.0.1 or ::1")
  }
}

// MARK: - What serve serves

extension Message {
  package static func streamName(_ number: Int, of source: String) -> Message {
    Message("\(source) stream \(number)")
  }

  package static func inChunks(_ name: String, of size: Int) -> Message {
    Message("\(name) in chunks of \(size)")
  }

  package static let servedWithoutBeginning = Message(
    "the beginning of the server's bytes was not captured; the rest is served")

  /// - Parameter isLastListed: whether further streams are only counted.
  package static func notServed(_ name: String, _ reason: Message, isLastListed: Bool) -> Message {
    Message("\(name): not served: \(reason)\(isLastListed ? " (further ones are not listed)" : "")")
  }

  package static let streamEncrypted = Message("the stream is encrypted; give its keys with --keys")
  package static let neitherFeedbackNorGateway = Message(
    "neither feedback nor a gateway connection (use --protocol to set the protocol)")

  package static func serverBytesMissing(_ count: Int) -> Message {
    Message("\(Count.of(count, "byte")) of the server are missing")
  }

  /// - Parameter memory: in bytes.
  package static func streamsExceedMemory(_ memory: Int) -> Message {
    Message("all streams together exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static let dumpOfClient = Message(
    "the dump has a client's bytes; use --requests and --responses to give both directions")
  package static let serverBytesNotDecoded = Message("the server's bytes could not be decoded")

  package static func nothingToServe(skipped streams: Int) -> Message {
    Message("nothing to serve: \(Count.of(streams, "stream")) skipped, see above")
  }

  package static let noPushToServe = Message(
    "nothing to serve: the inputs have no push; `apnsift inspect` lists what they have")

  package static func pushesExceedMemory(_ memory: Int) -> Message {
    Message("the pushes exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func pushesWithoutOutcome(_ count: Int) -> Message {
    Message(
      "\(Count.of(count, "push", "pushes")) skipped: the token or the outcome is unknown")
  }

  package static let noStreamToServe = Message("nothing to serve: the inputs have no stream")

  package static func nothingToServe(noStream number: Int) -> Message {
    Message("nothing to serve: no input has a stream \(number); `apnsift inspect` lists them")
  }
}

// MARK: - Starting a server

extension Message {
  package static func clientsElsewhere(canConnectTo address: String) -> Message {
    Message(
      "clients on other machines can connect to \(address) and read the captured bytes; without --listen, "
        + "only this machine can")
  }

  package static func fingerprint(_ digits: String) -> Message {
    Message("SHA-256 fingerprint of the certificate: \(digits)")
  }

  package static func portInUse(_ port: Int, of address: String) -> Message {
    Message(
      "port \(port) of \(address) is in use; stop the other server, or use another --port "
        + "(0 selects a free one)")
  }

  package static func noPermission(forPort port: Int, of address: String) -> Message {
    Message(
      "no permission for port \(port) of \(address); use a --port above 1023 (0 selects a free one)")
  }

  package static func addressUnavailable(_ address: String) -> Message {
    Message("\(address) is not an address of this machine; use another one with --listen")
  }

  package static func notAnAddress(_ text: String) -> Message {
    Message("\(text) is not an IP address; use one such as 127.0.0.1 with --listen")
  }

  /// - Parameter reason: the system's.
  package static func serverNotStarted(_ reason: String) -> Message {
    Message("cannot start the server: \(reason)")
  }

  /// - Parameter error: the system's.
  package static func tooFewDescriptors(_ error: String) -> Message {
    Message("\(error): raise the limit of a process (ulimit -n)")
  }
}

// MARK: - Certificates and keys

extension Message {
  package static func tooLargeForPEM(limit: Int) -> Message {
    Message("expected PEM, but the file is larger than \(ByteSize.text(limit))")
  }

  package static func noCertificate(in path: String) -> Message {
    Message("\(path): no valid PEM certificate (-----BEGIN CERTIFICATE-----) in the file")
  }

  package static func noKey(in path: String) -> Message {
    Message("\(path): no valid PEM private key (-----BEGIN PRIVATE KEY-----) in the file")
  }

  package static func keyEncrypted(_ path: String) -> Message {
    Message(
      "\(path): encrypted keys are not supported; decrypt it first: openssl pkey -in \(path) -out FILE")
  }

  package static func keyMismatch(_ key: String, _ certificate: String) -> Message {
    Message("\(key) is not the key of \(certificate)")
  }

  package static let certificateNotMade = Message("cannot generate a certificate")
  package static let libcryptoFailed = Message(
    "cannot generate a certificate: libcrypto failed; use --certificate and --key")
}
