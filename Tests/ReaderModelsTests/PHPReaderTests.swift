import ReaderModels
import Testing

@Suite("The reader of error responses")
struct PHPReaderTests {
  private let error: [UInt8] = [8, 7, 0x12, 0x34, 0x56, 0x78]

  @Test(
    "one read for 6 bytes",
    arguments: [
      (
        "whole", [8, 7, 0x12, 0x34, 0x56, 0x78], .size(6),
        .error(command: 8, status: 7, identifier: 0x1234_5678)
      ),
      (
        "more bytes after it", [8, 10, 0, 0, 0, 1, 8, 1, 0, 0, 0, 2], .size(4096),
        .error(command: 8, status: 10, identifier: 1)
      ),
      (
        "the command is not checked", [0x07, 1, 0xff, 0xff, 0xff, 0xff], .size(6),
        .error(command: 7, status: 1, identifier: .max)
      ),
      ("2 bytes, then 4", [8, 7, 0, 0, 0, 1], .ends([2, 6]), .short(sizes: [2, 4])),
      ("one at a time", [8, 7, 0, 0, 0, 1, 8, 7], .size(1), .short(sizes: [1, 1, 1, 1, 1, 1])),
      (
        "bytes after the error are not counted", [8, 7, 0, 0, 0, 1, 8, 7, 0, 0, 0, 1],
        .ends([5, 12]), .short(sizes: [5, 1])
      ),
      ("a cut stream", [8, 7, 0], .size(6), .short(sizes: [3])),
      ("nothing", [], .size(6), .short(sizes: [])),
    ] as [(String, [UInt8], Chunking, PHPReader.Reading)])
  func reads(_ name: String, _ stream: [UInt8], _ cut: Chunking, _ expected: PHPReader.Reading) {
    #expect(PHPReader.read(stream.span.bytes, cut: cut) == expected, "\(name)")
  }
}
