import APNsWire
import Basics
import TestSupport
import Testing

@Suite("Frames of HTTP/2")
struct FrameDecoderTests {
  static let runs = HTTP2Fixture.shared?.runs ?? []

  @Test("every kind of frame is found where another library wrote it", arguments: runs)
  func frames(run: HTTP2Fixture.Run) throws {
    let steps = frameSteps(run.bytes, run.side)
    #expect(steps.first == .opening(offset: 0, length: run.side == .client ? 24 : 0))
    #expect(steps.frames == run.frames && steps.count == run.frames.count + 1)
  }

  @Test("steps do not depend on where chunks end", arguments: runs)
  func chunks(run: HTTP2Fixture.Run) {
    let whole = frameSteps(run.bytes, run.side)
    for end in 0...run.bytes.count { #expect(frameSteps(run.bytes, run.side, chunks: [end]) == whole) }
    for length in [1, 2, 3, 7, 64] {
      let ends = Array(stride(from: length, to: run.bytes.count, by: length))
      #expect(frameSteps(run.bytes, run.side, chunks: ends) == whole)
    }
  }

  @Test(
    "after a cut, the frames from the next boundary on are found, and every byte is accounted for",
    arguments: runs)
  func resynchronisation(run: HTTP2Fixture.Run) {
    for cut in 1..<run.bytes.count {
      let rest = Array(run.bytes[cut...])
      let steps = frameSteps(rest, run.side, offset: cut, beginsStream: false)
      #expect(steps.length == rest.count)
      #expect(steps.frames == run.frames.filter { $0[3] >= cut }, "cut at \(cut)")
      let middle = frameSteps(rest, run.side, offset: cut, beginsStream: false, chunks: [rest.count / 2])
      #expect(middle == steps)
    }
  }

  @Test("a run that ends inside a frame", arguments: runs)
  func prefix(run: HTTP2Fixture.Run) {
    for end in 0..<run.bytes.count {
      let steps = frameSteps(Array(run.bytes[..<end]), run.side)
      #expect(steps.length == end)
      // Before its first frame is whole, nothing shows that a server begins.
      if end >= 33 { #expect(steps.frames == run.frames.filter { $0[3] + $0[4] <= end }) }
    }
  }

  @Test("damage of one byte loses only the frames that it concerns", arguments: runs)
  func damage(run: HTTP2Fixture.Run) {
    for index in run.bytes.indices {
      var bytes = run.bytes
      bytes[index] ^= 0x80
      let steps = frameSteps(bytes, run.side)
      #expect(steps.length == bytes.count)
      #expect(frameSteps(bytes, run.side, chunks: [index]) == steps)
    }
  }

  @Test("the message of HTTP/1.1 before the frames belongs to the opening, in any chunks", arguments: runs)
  func upgrade(run: HTTP2Fixture.Run) {
    let before =
      run.side == .client
      ? "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n" : "HTTP/1.1 101 Switching Protocols\r\n\r\n"
    let bytes = Array(before.utf8) + run.bytes
    let whole = frameSteps(bytes, run.side)
    #expect(
      whole.first == .opening(offset: 0, length: before.utf8.count + (run.side == .client ? 24 : 0)))
    #expect(whole.count == run.frames.count + 1)
    for end in 0..<min(bytes.count, 200) { #expect(frameSteps(bytes, run.side, chunks: [end]) == whole) }
  }

  @Test(
    "other bytes before the preface are skipped",
    arguments: ["PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "\0\0"])
  func bytesBeforePreface(_ text: String) {
    let before = Array(text.utf8)
    for run in Self.runs where run.side == .client {
      for beginsStream in [true, false] {
        let steps = frameSteps(before + run.bytes, .client, beginsStream: beginsStream)
        #expect(
          Array(steps.prefix(2)) == [
            .skipped(offset: 0, length: before.count), .opening(offset: before.count, length: 24),
          ])
        #expect(steps.count == run.frames.count + 2)
      }
    }
  }

  @Test("noise has no frames, and ends soon")
  func noise() {
    var generator = SeededGenerator(seed: 9113)
    for noise in [generator.bytes(1 << 20), [UInt8](repeating: 0, count: 1 << 20)] {
      let steps = frameSteps(noise, .client, beginsStream: false)
      #expect(steps == [.skipped(offset: 0, length: noise.count)])
    }
  }
}
