import Foundation
import PacketCapture
import StreamInputs
import TestSupport
import Testing

@Suite("Content looked at again")
struct RereadTests {
  private let files = TemporaryFiles()

  /// Reads `input` block by block and looks back at random after each.
  private func check(_ input: Input, _ bytes: [UInt8], keeping: Int, finds kept: Int) throws {
    var file = try InputFile(input)
    var generator = SeededGenerator(seed: 43)
    var block = [UInt8](repeating: 0, count: 10_000)
    var again: [UInt8] = []
    var end = 0
    var history: CaptureHistory?
    while case let filled = try file.fill(&block, from: 0), filled > 0 {
      if end == 0 { history = file.keepHistory(keeping, after: block[..<filled]) }
      end += filled
      for _ in 0..<20 {
        let start = generator.pick(0...end)
        let range = start..<generator.pick(start...min(end, start + 30_000))
        let found = history?.read(range, into: &again) ?? false
        #expect(found == (start >= end - kept || (range.isEmpty && kept == 0)), "\(range) of \(end)")
        let isSame = !found || again.elementsEqual(bytes[range])
        #expect(isSame, "\(range) of \(end)")
      }
      #expect(history?.read(end..<(end + 1), into: &again) == false, "bytes not read yet")
    }
    #expect(end == bytes.count)
  }

  @Test("an uncompressed file has all of it, and its next block is not disturbed")
  func file() throws {
    let bytes = compressibleBytes(200_000)
    try check(Input(try files.write(bytes)), bytes, keeping: 0, finds: .max / 2)
  }

  @Test("a compressed file has the last bytes", arguments: Compression.allCases)
  func compressed(_ compression: Compression) throws {
    let bytes = compressibleBytes(200_000)
    let path = try files.write(try compress(bytes, compression.rawValue))
    for keeping in [1, 9_999, 10_000, 25_000, 1_000_000] {
      try check(Input(path), bytes, keeping: keeping, finds: keeping)
    }
  }

  @Test("a pipe has the last bytes, and none without a buffer")
  func pipe() throws {
    let bytes = compressibleBytes(200_000)
    let path = try files.write(bytes)
    for keeping in [0, 25_000] {
      let fifo = "\(files.path)/fifo-\(keeping)"
      #expect(mkfifo(fifo, 0o600) == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "cat \"$0\" >\"$1\"", path, fifo]
      try process.run()
      try check(Input(fifo), bytes, keeping: keeping, finds: keeping)
      process.waitUntilExit()
    }
  }
}
