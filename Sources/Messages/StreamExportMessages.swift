import WireBytes

// MARK: - Streams that other tools exported

extension Message {
  /// - Parameter form: a phrase, such as `a log of socat`.
  package static func noStream(inFormOf form: String) -> Message {
    Message("contains no stream in the form of \(form); use --from auto to detect the format")
  }

  package static func tooManyOpenConnections(limit: Int) -> Message {
    Message(
      "limit of \(limit) open connections reached: the oldest is closed, and later data of it begins another "
        + "stream")
  }

  /// Segments are numbered from 0 on either side.
  package static func segmentsMissing(before found: Int, expected: Int, node: Int) -> Message {
    Message(
      "expected segment \(expected) of node \(node), found \(found): an unknown number of bytes is missing")
  }
}

// MARK: - Hex digits

extension Message {
  package static func expectedHexDigit(found: UInt8) -> Message {
    Message("expected a hex digit, found \(characterName(found)); byte skipped")
  }

  package static let lineEndsWithinByte =
    Message("the line ends after one hex digit of two; byte skipped")

  /// - Parameter first: the first of `characters`, which replace `bytes`.
  package static func expectedHexPair(characters: Int, first: UInt8, bytes: Int) -> Message {
    Message(
      "expected two hex digits, found \(characters) characters, the first \(characterName(first)); "
        + "\(Count.of(bytes, "byte")) skipped")
  }

  package static let hexAndTextDiffer =
    Message("hex digits and text column differ: one of them is damaged; the digits are used")
}

// MARK: - Streams that tshark or Wireshark followed

extension Message {
  package static let followedHeaderTruncated =
    Message("the text ends within the header of a stream: it is truncated")
  package static let followedFrameTruncated =
    Message(
      "the line of = signs at the end of the stream is missing: the text is truncated; its bytes are used")
  package static let followedInOtherForm =
    Message(
      "the stream is not in raw or hex form, so its bytes are not known; export it with "
        + "tshark -z follow,tcp,raw,N")
  package static let expectedFollowedOffset =
    Message("expected an offset of 8 hex digits and two blanks; line skipped")

  package static func followedOffsetGoesBack(by bytes: Int) -> Message {
    Message(
      "the offset goes back by \(bytes): lines are out of order or repeated; their bytes are "
        + "used in file order")
  }

  package static let peersTruncated = Message("the text ends within the list of peers: it is truncated")
  package static let expectedFollowedKey = Message("expected a YAML key; line skipped")
  package static let expectedPeerKey = Message(#"expected "peer:", "host:", "port:" or "packets:""#)
  package static let expectedPacketKey =
    Message(#"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#)
  package static let packetWithoutNumber = Message("a packet without a number")
  package static let packetWithoutPeer =
    Message("data of a packet without a peer; skipped, so an unknown number of bytes is missing")

  package static let arrayTruncated =
    Message("the text ends within an array: it is truncated; the bytes before the end are used")
  package static let textAfterArray = Message("unexpected text after an array; ignored")
  package static let expectedArray = Message(#"expected "char peer0_0[] = {"; line skipped"#)

  /// - Parameter found: nil at the end of the value.
  package static func expectedArrayByte(found: UInt8?) -> Message {
    let found = found.map(characterName) ?? "end of the value"
    return Message("expected a byte as 0x and two hex digits, found \(found); byte skipped")
  }
}

// MARK: - socat and ssldump

extension Message {
  package static let expectedSocatLine =
    Message(
      #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
        + "line skipped")
  package static let socatBlockTooLong = Message("the line has more bytes than its block; they are skipped")

  package static func socatBlockTooShort(by bytes: Int) -> Message {
    Message(
      "the block is \(Count.of(bytes, "byte")) shorter than its length: lines are missing from the log, or "
        + "it is truncated")
  }

  package static func socatOffsetGoesBack(by bytes: Int) -> Message {
    Message(
      "the offset goes back by \(bytes): blocks are out of order, or from several connections; their "
        + "bytes are used in the order of the log")
  }

  package static let recordTruncated =
    Message("the text ends within a record: it is truncated; the bytes before the end are used")
  package static let notDecrypted =
    Message("application data was not decrypted; give ssldump the key with -k or -l, and -d")
  package static let expectedRecordEnd = Message("expected hex pairs or the end of the record")
}
