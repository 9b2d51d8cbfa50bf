import Basics
import Foundation
import StreamInputs
import StreamTestSupport
import TestSupport
import Testing
import Wording

@Suite("Dumps read from files")
struct InputReaderTests {
  private let files = TemporaryFiles()

  @Test("bytes and positions of each format, over several blocks", arguments: TextFormat.allCases)
  func texts(_ format: TextFormat) throws {
    var generator = SeededGenerator(seed: 31)
    let bytes = generator.bytes(300_000)
    let text = TextDecoderLawTests.text(of: bytes, as: format)
    let (recording, report) = try DumpRecording.of(text, as: nil)
    let isSame = recording.bytes == bytes
    #expect(isSame && recording.misuse.isEmpty && recording.isClosed)
    #expect(report.format == (format == .base64 ? .dump(.base64) : .dump(.hex)))
    #expect(report.bytes == text.count && report.errors.isEmpty)
    let digits = { (position: Int) in String(decoding: text[position..<(position + 2)], as: UTF8.self) }
    if format != .base64 {
      let wrong = zip(recording.fileOffsets, bytes).first { Hex.bytes(digits($0)) != [$1] }
      #expect(wrong == nil)
    }
  }

  @Test(
    "raw dumps of any length", arguments: [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 800_000])
  func raw(_ length: Int) throws {
    var generator = SeededGenerator(seed: 32)
    let bytes = generator.bytes(length)
    let (recording, report) = try DumpRecording.of(bytes, as: .raw)
    let isSame = recording.bytes == bytes && recording.fileOffsets == Array(0..<length)
    #expect(isSame && recording.misuse.isEmpty && recording.isClosed)
    #expect(report.bytes == length)
  }

  @Test("the digest is SHA-256 of the file, not of the stream")
  func digests() throws {
    // FIPS 180-2, appendix B.1.
    let (_, report) = try DumpRecording.of(Array("abc".utf8), as: .hex)
    #expect(report.digests[.sha256] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    var options = ReadingOptions()
    options.digests = []
    var reader = try InputReader(options: options, contentProbes: []) { _ in }
    let input = Input(try files.write([1, 2]))
    let undigested = try reader.read(input, progress: { _ in })
    #expect(undigested.digests[.sha256] == nil)
  }

  @Test("faults: a missing file, and a directory")
  func unreadable() throws {
    let problems: [(path: String, problem: Message)] = [
      (files.path + "/none", .cannotBeOpened("No such file or directory")),
      (files.path, .cannotBeRead("Is a directory")),
    ]
    for (path, problem) in problems {
      let (recording, report) = try DumpRecording.of(Input(path), as: .raw)
      #expect(report.errors.map(\.message) == [problem] && recording.bytes.isEmpty)
    }
  }

  @Test("progress reports the bytes read")
  func progress() throws {
    let path = try files.write([UInt8](repeating: 0xff, count: 600_000))
    var reader = try InputReader(options: ReadingOptions(), contentProbes: []) { _ in }
    var reported: [Int] = []
    _ = try reader.read(Input(path), progress: { reported.append($0) })
    #expect(reported == [262_144, 524_288, 600_000])
  }

  @Test("a reader reads one file after another, each from its beginning")
  func reuse() throws {
    var playback = Playback(DumpRecording())
    var reader = try InputReader(options: ReadingOptions(), contentProbes: []) {
      playback.play($0, window: $0.window.span.bytes)
    }
    for text in ["0102030405060708", "[5 bytes missing in capture file]", "AQIDBAUGBwg="] {
      playback = Playback(DumpRecording())
      let path = try files.write(Array(text.utf8))
      _ = try reader.read(Input(path), progress: { _ in })
      #expect(playback.misuse.isEmpty && playback.recorder.misuse.isEmpty && playback.recorder.isClosed)
    }
  }

  @Test("bytes read before an input failed are used, and the failure is reported")
  func failureInTheMiddle() throws {
    // A pipe that would block, instead of a disk that fails: the first read succeeds, the second does not.
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    #expect(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
    try pipe.fileHandleForWriting.write(contentsOf: [7, 8, 9])
    let standardInput = dup(STDIN_FILENO)
    dup2(reading, STDIN_FILENO)
    defer {
      if standardInput >= 0 { dup2(standardInput, STDIN_FILENO) }
      close(standardInput)
    }
    let (recording, report) = try DumpRecording.of(Input("-"), as: .raw)
    #expect(recording.bytes == [7, 8, 9] && recording.isClosed)
    #expect(report.bytes == 3)
    #expect(report.errors.map(\.message) == [.cannotBeRead("Resource temporarily unavailable")])
  }
}
