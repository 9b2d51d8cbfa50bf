import WireBytes

/// The records of a whole input as values, and all its other bytes: `decode` of each decoder makes it.
///
///     let found = FeedbackDecoder.decode(bytes)
///     for tuple in found.records where tuple.flags.isEmpty { use(tuple.token, tuple.time) }
///     for rest in found.rest { print("\(rest.length) bytes at \(rest.offset): \(rest.kind)") }
///
/// For inputs that fit in memory with their records. A `RunDecoder` reads those of any size, without a copy.
public struct Decoded<Record: Equatable & Sendable>: Equatable, Sendable {
  /// In the order of the bytes.
  public var records: [Record] = []
  /// In the order in which they were found.
  public var rest: [UndecodedBytes] = []

  public init() {}

  /// Keeps what a step says of bytes that are in no record.
  package mutating func keepRest(of step: DecoderStep<some Equatable & Sendable>, from direction: Direction) {
    let (kind, offset, length): (UndecodedBytes.Kind, Int, Int)
    switch step {
    // A byte that is undecodable is also in the skipped range that follows.
    case .record, .undecodable: return
    case .between(let start, let count): (kind, offset, length) = (.separator, start, count)
    case .skipped(let start, let count): (kind, offset, length) = (.skipped, start, count)
    case .truncated(let start, let count): (kind, offset, length) = (.truncated, start, count)
    }
    rest.append(UndecodedBytes(kind: kind, direction: direction, offset: offset, length: length))
  }
}

/// Bytes that no record is read from.
public struct UndecodedBytes: Equatable, Sendable {
  public enum Kind: String, Sendable {
    /// Before, between or after the tuples of a file, where a program put them.
    case separator
    /// No record begins in them.
    case skipped
    /// The input ends inside a record.
    case truncated
    /// A header block of HTTP/2 that is damaged or too long. Records whose fields it has are flagged.
    case unreadable
    /// The first of the header blocks that cannot be read, because the library for them is not installed.
    case withoutLibrary
  }

  public var kind: Kind
  public var direction: Direction
  /// Offset in the direction, in bytes from 0.
  public var offset: Int
  public var length: Int

  package init(kind: Kind, direction: Direction, offset: Int, length: Int) {
    (self.kind, self.direction, self.offset, self.length) = (kind, direction, offset, length)
  }
}

/// A feedback tuple as a value.
public struct FeedbackTuple: Equatable, Sendable {
  /// Seconds since 1970, plausible or not.
  public var time: UInt32
  public var token: [UInt8]
  /// Offset of its first byte, in bytes from 0.
  public var offset: Int
  /// Empty if nothing is doubtful.
  public var flags: RecordFlags
}

extension FeedbackDecoder {
  /// Decodes all bytes of a file or, without `isDump`, of a connection: it has no bytes between tuples.
  public static func decode(
    _ bytes: [UInt8], rules: FeedbackRules = .standard, isDump: Bool = true
  ) -> Decoded<FeedbackTuple> {
    var decoder = FeedbackDecoder(rules: rules, isDump: isDump)
    return decoder.values(of: bytes, from: .server) { run, bytes, tuples in
      for index in 0..<run.count {
        let token = bytes.extracting(run.token(of: index)).withUnsafeBytes { Array($0) }
        tuples.append(
          FeedbackTuple(
            time: run.time(of: index, in: bytes), token: token, offset: run.offset &+ index &* run.stride,
            flags: run.flags))
      }
    }
  }
}

extension RequestDecoder {
  /// Decodes all bytes of a client. The ranges of the requests are those of `bytes`.
  public static func decode(_ bytes: [UInt8], rules: RequestRules = .standard) -> Decoded<RequestFrame> {
    var decoder = RequestDecoder(rules: rules)
    return decoder.values(of: bytes, from: .client) { frame, _, frames in
      frames.append(frame)
      frames[frames.count - 1].fields.start = frame.offset
    }
  }
}

extension ResponseDecoder {
  /// Decodes all bytes of a gateway.
  public static func decode(_ bytes: [UInt8]) -> Decoded<ResponseFrame> {
    var decoder = ResponseDecoder()
    return decoder.values(of: bytes, from: .server) { frame, _, frames in frames.append(frame) }
  }
}

extension RunDecoder {
  /// - Parameter add: gets each record, and the buffer that its indices refer to.
  fileprivate mutating func values<Value>(
    of bytes: [UInt8], from direction: Direction, add: (Record, RawSpan, inout [Value]) -> Void
  ) -> Decoded<Value> {
    var found = Decoded<Value>()
    decode(whole: bytes.span.bytes) { step, bytes in
      if case .record(let record) = step {
        add(record, bytes, &found.records)
      } else {
        found.keepRest(of: step, from: direction)
      }
    }
    return found
  }
}
