import Basics
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Compressed files")
struct CompressionTests {
  static let variants: [(Compression, [String])] = [
    (.gzip, ["-1"]), (.gzip, ["-9"]), (.gzip, ["-n"]),
    (.zstd, ["-1", "-q"]), (.zstd, ["-19", "-q"]), (.zstd, ["-q", "--no-check"]),
    (.zstd, ["-q", "--long=27"]),
    (.lz4, ["-1", "-q"]), (.lz4, ["-9", "-q"]), (.lz4, ["-q", "-B4", "-BD"]),
    (.lz4, ["-q", "--no-frame-crc"]), (.lz4, ["-q", "--content-size", "-BX"]),
  ]

  @Test("content of the tools' output, at every option", arguments: variants)
  func options(_ compression: Compression, _ options: [String]) throws {
    let bytes = compressibleBytes(700_000)
    let packed = try compress(bytes, compression.rawValue, options)
    for blockLength in [1000, 65_536, 262_144] {
      let reading = try FileReading(packed, blockLength: blockLength)
      #expect(reading.isWhole(bytes, compression) && reading.bytesRead == packed.count)
      #expect(reading.blockLengths.dropLast().allSatisfy { $0 == blockLength })
    }
  }

  @Test("content of every length around block borders", arguments: Compression.allCases)
  func lengths(_ compression: Compression) throws {
    for border in [0, 4096, 65_536, 131_072, 262_144] {
      for length in [border - 1, border, border + 1] where length >= 0 {
        let bytes = compressibleBytes(length)
        let reading = try FileReading(compress(bytes, compression.rawValue))
        #expect(reading.isWhole(bytes, compression), "\(length)")
      }
    }
  }

  @Test("frame after frame, empty ones among them", arguments: Compression.allCases)
  func frames(_ compression: Compression) throws {
    let parts = [5, 0, 100_000, 0, 0, 1, 70_000].enumerated().map { compressibleBytes($1, seed: UInt64($0)) }
    let packed = try parts.flatMap { try compress($0, compression.rawValue) }
    for blockLength in [1, 4096, 262_144] {
      let reading = try FileReading(packed, blockLength: blockLength)
      #expect(reading.isWhole(parts.flatMap { $0 }, compression))
    }
  }

  @Test("the digest and the length are those of the file on disk", arguments: Compression.allCases)
  func digests(_ compression: Compression) throws {
    let packed = try compress(compressibleBytes(300_000), compression.rawValue)
    // Sound, followed by other data, and damaged in the middle: read to its end each time.
    var damaged = packed
    damaged[packed.count / 2] ^= 0xff
    for file in [packed, packed + compressibleBytes(200_000), damaged, compressibleBytes(100_001)] {
      let line = try #require(try outputOf("openssl", ["dgst", "-sha256", "-r"], input: file))
      let reading = try FileReading(file)
      #expect(reading.sha256 == String(decoding: line.prefix(64), as: UTF8.self))
      #expect(reading.bytesRead == file.count)
    }
  }

  /// RFC 8878, section 3.1.2: the magic number, a little-endian length, and that number of bytes.
  private func skippable(_ count: Int) -> [UInt8] {
    [0x5a, 0x2a, 0x4d, 0x18, UInt8(count & 0xff), UInt8(count >> 8), 0, 0]
      + [UInt8](repeating: 0x20, count: count)
  }

  @Test("skippable frames before, between and after", arguments: [Compression.zstd, .lz4])
  func skippableFrames(_ compression: Compression) throws {
    let packed = try compress(compressibleBytes(1000), compression.rawValue)
    let file = skippable(3) + skippable(0) + packed + skippable(300) + packed + skippable(1)
    #expect(try FileReading(file).isWhole(compressibleBytes(1000) + compressibleBytes(1000), compression))
  }

  @Test("a raw dump whose first tuple's time is the magic number of a skippable frame is raw")
  func timeLikeMagic() throws {
    // 0x512a4d18 is 2013-02-24T17:26:16Z, 0x502a4d18 is in August 2012.
    for first in [UInt32(0x512a_4d18), 0x502a_4d18] {
      let dump = Tuples.one(time: first) + Tuples.one() + Tuples.one(fill: 0x28)
      #expect(try FileReading(dump).isWhole(dump, nil))
    }
  }

  static let lookalikes: [[UInt8]] = [
    [0x1f, 0x8b, 0x08, 0xe0], [0x1f, 0x8b, 0x08, 0x20], [0x1f, 0x8b, 0x07], [0x1f, 0x8b],
    [0x28, 0xb5, 0x2f, 0xfd, 0x08], [0x28, 0xb5, 0x2f], [0x04, 0x22, 0x4d, 0x18, 0x80],
    [0x04, 0x22, 0x4d, 0x18, 0x42],
  ]

  @Test("headers that the formats forbid are no compression", arguments: lookalikes)
  func impossibleHeaders(_ head: [UInt8]) throws {
    for file in [head, head + [UInt8](repeating: 0x11, count: 100_000)] {
      #expect(try FileReading(file, blockLength: 65_536).isWhole(file, nil))
    }
  }

  static let hollow: [(Compression, [UInt8])] = [
    (.gzip, [0x1f, 0x8b, 0x08]), (.gzip, [0x1f, 0x8b, 0x08, 0, 1, 1, 1, 1, 1, 1, 7, 7]),
    (.zstd, [0x28, 0xb5, 0x2f, 0xfd, 0, 0x50, 7]),  // block type 3, reserved
    (.lz4, [0x04, 0x22, 0x4d, 0x18, 0x44, 1, 1, 1]),
  ]

  @Test("headers without content are a fault, and raw bytes with --from raw", arguments: hollow)
  func onlyLooks(_ compression: Compression, _ head: [UInt8]) throws {
    let name = compression.rawValue
    // Where and how it is damaged is the library's matter.
    let damaged = "the \(name)-compressed data is damaged near offset "
    for file in [head, head + [UInt8](repeating: 1, count: 200_000)] {
      let refused = try FileReading(file)
      let message = try #require(refused.error?.message)
      let isTruncated = message == .compressedTruncated(name, at: file.count)
      #expect(isTruncated || message.text.hasPrefix(damaged), "\(message)")
      #expect(refused.bytes.isEmpty)
      let read = try FileReading(file, readsLookalikes: true)
      #expect(read.isWhole(file, nil) && read.bytesRead == file.count)
      #expect(read.blockLengths.dropLast().allSatisfy { $0 == 4096 })
    }
  }
}
