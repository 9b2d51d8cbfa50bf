import Basics
import Testing

@Test("Messages about files and their formats", arguments: Golden.formats)
func formatMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages of decompression", arguments: Golden.decompression)
func decompressionMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let formats: [Golden] = [
    Golden(
      .lineTooLong(limit: 1 << 20), "the line is longer than 1.0 MiB; expected one entry per line"),
    Golden(.neitherFileNorDirectory, "neither a file nor a directory"),
    Golden(
      .foreign(.sqliteDatabase, remedy: "use --store to name a store"),
      "is an SQLite database: use --store to name a store"),
    Golden(.partitionedDisk, "an image of a disk with partitions"),
    Golden(.fileSystem("ext"), "an image of a file system (ext)"),
    Golden(.memoryImage, "an image of memory"),
  ]

  static let decompression: [Golden] = [
    Golden(
      .compressedDamaged("gzip", near: 100, reason: .verbatim("invalid block type")),
      "the gzip-compressed data is damaged near offset 100 of the compressed file (invalid block type): "
        + "the content before it is used; look for another copy"),
    Golden(
      .compressedRefused("gzip", from: 0, reason: .libraryOutOfMemory("zlib")),
      "the gzip-compressed data cannot be decompressed from offset 0 of the compressed file on: "
        + "zlib is out of memory; free some and try again"),
    Golden(
      .compressedTruncated("lz4", at: 200),
      "the lz4-compressed data is truncated at offset 200 of the compressed file, its end: "
        + "the content before it is used; get the whole file"),
    Golden(
      .compressedWithOtherData("zstd", from: 300),
      "the zstd-compressed data is followed by other data from offset 300 of the compressed file on, "
        + "which is not read; save that as a separate file"),
    Golden(
      .noLibrary("libzstd.so.1", package: "libzstd1", elsewhere: "zstd"),
      "libzstd.so.1 is missing or cannot be loaded; install libzstd1 (elsewhere: zstd)"),
    Golden(.libraryOutOfMemory("libzstd"), "libzstd is out of memory; free some and try again"),
    Golden(.libraryError("zlib", -3), "error -3 of zlib"),
    Golden(
      .zstdWindowTooLarge(limit: 128 << 20),
      "it needs a window of more than 128 MiB of memory; "
        + "decompress it first: zstd -dc --long=31 FILE | apnsift inspect -"),
  ]
}
