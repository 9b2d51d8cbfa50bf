import WireBytes

// MARK: - Options of serve

extension Message {
  package static func needsTLS(_ option: String) -> Message { Message("\(option) requires --tls") }

  package static func notAPace(_ factor: Double) -> Message {
    Message("--pace is \(factor): give a number above 0; 1 is the pace of the capture")
  }
}

// MARK: - What serve serves

extension Message {
  /// - Parameter isLastListed: whether further streams are only counted.
  package static func notServed(_ name: String, _ reason: Message, isLastListed: Bool) -> Message {
    Message("\(name): not served: \(reason)\(isLastListed ? " (further ones are not listed)" : "")")
  }

  /// - Parameter memory: in bytes.
  package static func streamsExceedMemory(_ memory: Int) -> Message {
    Message("all streams together exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func nothingToServe(skipped streams: Int) -> Message {
    Message("nothing to serve: \(Count.of(streams, "stream")) skipped, see above")
  }

  package static func pushesExceedMemory(_ memory: Int) -> Message {
    Message("the pushes exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func nothingToServe(noStream number: Int) -> Message {
    Message("nothing to serve: no input has a stream \(number); `apnsift inspect` lists them")
  }
}

// MARK: - Starting a server

extension Message {
  package static func fingerprint(_ digits: String) -> Message {
    Message("SHA-256 fingerprint of the certificate: \(digits)")
  }

  package static func portInUse(_ port: Int, of address: String) -> Message {
    Message(
      "port \(port) of \(address) is in use; stop the other server, or use another --port "
        + "(0 selects a free one)")
  }

  package static func addressUnavailable(_ address: String) -> Message {
    Message("\(address) is not an address of this machine; use another one with --listen")
  }

  package static func notAnAddress(_ text: String) -> Message {
    Message("\(text) is not an IP address; use one such as 127.0.0.1 with --listen")
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
}
