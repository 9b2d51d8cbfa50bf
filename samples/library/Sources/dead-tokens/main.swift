// Prints the tuples of a feedback dump on standard input as `time,token` lines, and problems on standard error.
// Memory use does not depend on the size of the dump.
import APNsWire

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

let digits = Array("0123456789abcdef".utf8)

func hex(_ bytes: RawSpan) -> String {
  String(unsafeUninitializedCapacity: 2 * bytes.byteCount) { text in
    for index in bytes.byteOffsets {
      let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      text[2 * index] = digits[Int(byte >> 4)]
      text[2 * index + 1] = digits[Int(byte & 15)]
    }
    return 2 * bytes.byteCount
  }
}

func say(_ message: String) {
  var line = message + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

// A flagged record is doubtful: an importer should skip it.
func use(_ run: RecordRun, in bytes: RawSpan) {
  guard run.flags.isEmpty else {
    return say("offset \(run.offset): skipped: \(run.flags.codes.joined(separator: ", "))")
  }
  for index in 0..<run.count {
    print("\(run.time(of: index, in: bytes)),\(hex(bytes.extracting(run.token(of: index))))")
  }
}

// Handles the steps of `chunk` until the decoder needs the next one, or the run is finished.
func take(_ chunk: RawSpan, by decoder: inout FeedbackDecoder) {
  while let step = decoder.next(in: chunk) {
    switch step {
    case .record(let run):
      if let carry = decoder.carry { use(run, in: carry.span.bytes) } else { use(run, in: chunk) }
    case .skipped(let offset, let length): say("offset \(offset): \(length) bytes are no tuple")
    case .truncated(let offset, let length): say("offset \(offset): a tuple ends after \(length) bytes")
    case .between, .undecodable: break
    }
  }
}

var decoder = FeedbackDecoder(rules: .standard)
var buffer = [UInt8](repeating: 0, count: 1 << 16)
while true {
  let count = read(STDIN_FILENO, &buffer, buffer.count)
  guard count >= 0 else {
    perror("standard input")
    exit(2)
  }
  if count == 0 { break }
  take(buffer.span.bytes.extracting(first: count), by: &decoder)
}
decoder.finish()
take(RawSpan(), by: &decoder)
