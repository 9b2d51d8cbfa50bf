import Basics
import ReaderModels

// A faulty reader as a program: `reader-model NAME` reads standard input to its end, takes what each read(2) returns
// for a chunk, and prints what that reader would have reported of them.

/// Standard input, and the offsets in bytes from 0 at which its reads ended.
func readInput() -> (bytes: [UInt8], ends: [Int]) {
  var bytes: [UInt8] = []
  var ends: [Int] = []
  var block = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(STDIN_FILENO, &block, block.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return (bytes, ends) }
    bytes += block[..<count]
    ends.append(bytes.count)
  }
}

/// Prints records as `verify --reader` expects them.
struct Printer: RecordReceiver {
  mutating func receive(_ emission: Emission, token: RawSpan) {
    print("\(emission.time),\(Hex.string(token.withUnsafeBytes { Array($0) }))")
  }
}

func fail(_ message: String) -> Never {
  _ = Array("reader-model: \(message)\n".utf8).withUnsafeBytes {
    write(STDERR_FILENO, $0.baseAddress, $0.count)
  }
  exit(1)
}

func run(_ model: FeedbackModel) {
  let (bytes, ends) = readInput()
  var printer = Printer()
  let ending = model.read(bytes.span.bytes, cut: .ends(ends), into: &printer)
  fflush(nil)
  switch ending {
  case .completed, .droppedTail: break
  // The reader would spin; to sleep shows the same from outside, and takes no processor.
  case .hangs: while true { sleep(60) }
  case .throws(let offset, let length): fail("\(model.rawValue) throws at offset \(offset), length \(length)")
  }
}

func runPHP() {
  let (bytes, ends) = readInput()
  if case .error(_, let status, let identifier) = PHPReader.read(bytes.span.bytes, cut: .ends(ends)) {
    print("\(status),\(identifier)")
  }
}

let name = CommandLine.arguments.dropFirst().first ?? ""
if let model = FeedbackModel(rawValue: name) {
  run(model)
} else if name == PHPReader.name {
  runPHP()
} else {
  fail(
    "expected one of \((FeedbackModel.allCases.map(\.rawValue) + [PHPReader.name]).joined(separator: ", "))")
}
