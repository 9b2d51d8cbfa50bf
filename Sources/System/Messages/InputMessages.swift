import WireBytes

// MARK: - Inputs as a whole

extension Message {
  package static let empty = Message("is empty")
  package static let unknownFormat = Message("no known format")
  package static let noInputInDirectory = Message("no input in this directory")

  package static func skipped(_ reason: Message) -> Message { Message("skipped: \(reason)") }

  package static func warning(_ problem: Message) -> Message { Message("warning: \(problem)") }

  /// An input of no known format.
  /// - Parameter content: what its bytes are taken for, such as `feedback`.
  package static func readAsRaw(_ content: String) -> Message {
    Message(
      "no known format; read as raw \(content). Use --from raw if that is right, --from hex or base64 if it "
        + "is text")
  }

  /// An input of no known format, in which a search found records.
  package static let carvedInstead =
    Message("no known format, but records were found in it: carved. Use --from raw if it is a dump")

  /// A disk image or the like.
  package static func carvedImage(_ kind: Message) -> Message {
    Message("\(kind): records were searched in it, as with --from carve")
  }

  /// - Parameter isJoinedCapture: then sequence numbers identify copies of packets, and no record counts twice.
  package static func sameBytes(as first: String, isJoinedCapture: Bool) -> Message {
    let again = isJoinedCapture ? "its packets are read again" : "its records are counted again"
    return Message("same bytes as \(first), which was already read: \(again)")
  }

  package static let halvesMayBeSwapped =
    Message("hint: neither file has the expected content; are --requests and --responses swapped?")

  package static func outputIsInput(_ name: String) -> Message {
    Message("\(name) is both standard output and an input: write to another file")
  }
}

// MARK: - Lists of known files

extension Message {
  package static func tooManyHashes(memory: Int) -> Message {
    Message(
      "the lists of known files need more than \(ByteSize.text(memory)) of memory: raise --memory, or give a "
        + "smaller list")
  }

  /// - Parameter first: number of the first such line, from 1.
  package static func linesWithoutHash(_ count: Int, first: Int) -> Message {
    Message(
      count == 1
        ? "line \(first) has no hash and is ignored"
        : "\(count) lines have no hash and are ignored; the first is line \(first)")
  }

  package static func knownLeftOut(_ count: Int) -> Message {
    Message("left out \(count == 1 ? "1 known file" : "\(count) known files") (--known-hashes)")
  }
}

// MARK: - Chunk sizes

extension Message {
  package static func notAChunkSize(_ line: String) -> Message {
    Message("'\(line)' is not a size of 1 byte or more")
  }

  package static let noChunkSizes = Message("no chunk sizes; write one per line, in bytes")
}

// MARK: - Distinct tokens

extension Message {
  package static func noTemporaryFile(in directory: String, error: String) -> Message {
    Message(
      "cannot create a temporary file in \(directory): \(error); "
        + "set TMPDIR to another directory, or raise --memory so that none is needed")
  }

  package static func noMemoryForTokens(bytes: Int, error: String) -> Message {
    Message(
      "cannot allocate \(ByteSize.text(bytes)) of memory for distinct tokens: \(error); lower --memory")
  }
}
