import Basics
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Compressed files that are damaged")
struct DamagedCompressionTests {
  @Test("cut at every byte: a beginning of the content, then a fault", arguments: Compression.allCases)
  func cuts(_ compression: Compression) throws {
    let bytes = compressibleBytes(300)
    let packed = try compress(bytes, compression.rawValue)
    var last = 0
    // A file that ends inside its magic number is not compressed.
    for length in (compression == .xz ? 6 : 4)..<packed.count {
      let reading = try FileReading(Array(packed[..<length]), blockLength: 64)
      #expect(bytes.starts(with: reading.bytes) && reading.bytes.count >= last, "\(length)")
      #expect(reading.error?.message == Message.compressedTruncated(compression.rawValue, at: length))
      #expect(reading.error?.fileOffset == reading.bytes.count)
      last = reading.bytes.count
    }
  }

  @Test("cut in the second frame, its magic number included", arguments: Compression.allCases)
  func cutSecondFrame(_ compression: Compression) throws {
    let packed = try compress(compressibleBytes(300), compression.rawValue)
    for length in 1..<packed.count {
      let reading = try FileReading(packed + packed[..<length])
      #expect(reading.bytes.starts(with: compressibleBytes(300)))
      let end = packed.count + length
      #expect(reading.error?.message == Message.compressedTruncated(compression.rawValue, at: end))
    }
  }

  @Test("blocks before a damaged one are used", arguments: Compression.allCases)
  func blocksBeforeDamage(_ compression: Compression) throws {
    let bytes = compressibleBytes(2_000_000)
    // Blocks of at most 64 KiB and 100,000 bytes.
    let options: [Compression: [String]] = [.lz4: ["-B4", "-BX"], .bzip2: ["-1"]]
    var packed = try compress(bytes, compression.rawValue, options[compression] ?? [])
    let position = packed.count * 3 / 4
    // A block of noise instead of several: every format detects it somewhere after that.
    var generator = SeededGenerator(seed: 42)
    packed.replaceSubrange(position..<position + 50_000, with: generator.bytes(50_000))
    let reading = try FileReading(packed, blockLength: 262_144)
    #expect(reading.error != nil)
    // Half of the content is well before the damage.
    let isSame = reading.bytes.prefix(1_000_000) == bytes.prefix(1_000_000)
    #expect(isSame && reading.bytes.count > 1_000_000)
  }

  @Test("any flipped byte: no content is wrong without a fault", arguments: Compression.allCases)
  func flips(_ compression: Compression) throws {
    let bytes = compressibleBytes(300)
    let packed = try compress(bytes, compression.rawValue, compression == .gzip ? ["-n"] : [])
    for position in 10..<packed.count {
      for mask in [UInt8(0x01), 0x80, 0xff] {
        var damaged = packed
        damaged[position] ^= mask
        let reading = try FileReading(damaged)
        // Some bits mean nothing, such as those after the last code of a deflate stream.
        #expect(reading.error != nil || reading.bytes == bytes, "\(position) \(mask)")
        #expect(reading.bytesRead == packed.count)
      }
    }
  }

  @Test("trailing data is a fault with its offset, after the content", arguments: Compression.allCases)
  func garbage(_ compression: Compression) throws {
    let packed = try compress(compressibleBytes(300), compression.rawValue)
    for rest in [[UInt8(7)], [7, 7, 7, 7], [UInt8](repeating: 9, count: 100_000)] {
      let reading = try FileReading(packed + rest)
      #expect(reading.bytes == compressibleBytes(300))
      let message = Message.compressedWithOtherData(compression.rawValue, from: packed.count)
      #expect(reading.error?.message == message)
    }
  }

  @Test("zeros after gzip and xz are padding; after the others they are trailing data")
  func padding() throws {
    for count in [1, 3, 512, 65_536, 200_000] {
      for compression in Compression.allCases {
        let packed = try compress(compressibleBytes(300), compression.rawValue)
        let zeros = [UInt8](repeating: 0, count: count)
        let reading = try FileReading(packed + zeros)
        #expect(reading.bytes == compressibleBytes(300))
        let isPadded = compression == .gzip || compression == .xz
        #expect((reading.error == nil) == isPadded, "\(compression) \(count)")
        guard isPadded else { continue }
        let garbage = try FileReading(packed + zeros + [1])
        let end = packed.count + count
        #expect(garbage.error?.message == Message.compressedWithOtherData(compression.rawValue, from: end))
        #expect(try FileReading(packed + zeros + packed).bytes.count == 600)
      }
    }
  }

  @Test("a zstd window beyond 128 MiB is refused with a remedy, even with --from raw")
  func window() throws {
    // RFC 8878, section 3.1.1.1: no single segment, no checksum; window descriptor 0x90, exponent 18, is 2^28.
    let file: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x90, 0x01, 0, 0]
    for readsLookalikes in [false, true] {
      let message = try #require(try FileReading(file, readsLookalikes: readsLookalikes).error?.message)
      // At what offset is libzstd's matter.
      let messages = (0..<file.count).map {
        Message(
          "the zstd-compressed data cannot be decompressed from offset \($0) of the compressed file on: it needs a "
            + "window of more than 128 MiB of memory; decompress it first: "
            + "zstd -dc --long=31 FILE | apnsift inspect -")
      }
      #expect(messages.contains(message), "\(message)")
    }
  }
}
