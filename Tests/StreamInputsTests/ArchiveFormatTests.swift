import Basics
import StreamInputs
import TestSupport
import Testing

/// Archives are distinguished from dumps by more than their magic numbers. The heads are written by hand from the
/// formats' specifications.
@Suite("Detection of archives")
struct ArchiveFormatTests {
  /// The format is nil for a compression.
  typealias Case = (name: String, head: [UInt8], format: ArchiveFormat?)

  /// A tar header: a name, zeros, the checksum at 148, and at 257 the magic number with its version.
  static func tar(_ magic: String, checksum change: Int = 0) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    header.replaceSubrange(0..<5, with: Array("a.bin".utf8))
    header.replaceSubrange(124..<136, with: Array("00000000046 ".utf8))
    header.replaceSubrange(257..<(257 + magic.utf8.count), with: Array(magic.utf8))
    header.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
    let digits = String(header.reduce(0) { $0 + Int($1) } + change, radix: 8)
    let field = String(repeating: "0", count: 6 - digits.count) + digits + "\0 "
    header.replaceSubrange(148..<156, with: Array(field.utf8))
    return header
  }

  static func zip(version: UInt8 = 20, method: UInt8 = 8) -> [UInt8] {
    [0x50, 0x4b, 3, 4, version, 0, 0, 0, method, 0] + [UInt8](repeating: 7, count: 30)
  }

  static let bzip2 = Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
  static let xz: [UInt8] = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]
  static let sevenZip: [UInt8] = [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]

  /// Headers "newc" and "odc" of a member `a.bin` without bytes.
  static let newc = Array(
    ("070701" + String(repeating: "0", count: 88) + "00000006" + "00000000a.bin\0").utf8)
  static let odc = Array(
    ("070707" + String(repeating: "0", count: 53) + "000006" + "00000000000a.bin\0").utf8)

  static let cases: [Case] = [
    ("zip", zip(), .zip),
    ("zip, stored", zip(version: 10, method: 0), .zip),
    ("zip, encrypted", zip(version: 51, method: 99), .zip),
    ("POSIX tar", tar("ustar\u{0}00"), .tar),
    ("GNU tar", tar("ustar  \u{0}"), .tar),
    ("cpio, newc", newc, .cpio),
    ("cpio, odc", odc, .cpio),
    ("7z", sevenZip, .sevenZip),
    ("xz", xz + [0, 4], nil), ("bzip2", bzip2, nil),
  ]

  @Test(
    "by the head, in files, in directories and inside a compression; --from raw reads the bytes",
    arguments: cases)
  func detected(_ example: Case) throws {
    let files = TemporaryFiles()
    let file = example.head + [UInt8](repeating: 1, count: 600)
    let path = try files.write(file, to: "in/x")
    let member = try #require(InputWalk([files.path + "/in"]).inputs.first)
    for input in [Input(path), member] {
      let (recording, report) = try DumpRecording.of(input, as: nil)
      #expect(report.archiveFormat == example.format && !report.isSkipped)
      #expect(recording.bytes.isEmpty && report.format == nil)
      if example.format == nil { #expect(report.compression == example.name && report.errors.count == 1) }
    }
    #expect(try DumpRecording.of(file, as: .raw).recording.bytes == file)
    let packed = try DumpRecording.of(try compress(file, "gzip"), as: nil).report
    #expect(packed.archiveFormat == example.format && packed.compression == "gzip")
    let twice: Message =
      "is \(example.name)-compressed inside a gzip file: only one layer is decompressed; remove one: gzip -dc FILE | apnsift inspect -"
    #expect((packed.errors.first?.message == twice) == (example.format == nil))
  }

  /// Almost the same beginnings.
  static let lookalikes: [(name: String, bytes: [UInt8])] = [
    ("a tuple of 2012-09-08T08:31:48Z", [0x50, 0x4b, 3, 4, 0, 32] + [UInt8](repeating: 9, count: 32)),
    ("a tuple of that time and an odd length", [0x50, 0x4b, 3, 4, 0, 100] + Array(repeating: 9, count: 100)),
    ("an invalid zip method", zip(method: 77)), ("an invalid zip version", zip(version: 64)),
    ("half a zip header", Array(zip().prefix(9))),
    ("a tuple of 2005 that begins with BZh9", bzip2[..<4] + [0, 32] + [UInt8](repeating: 9, count: 32)),
    ("an invalid bzip2 level", Array("BZh0".utf8) + bzip2[4...] + [1]),
    ("a tar header with another checksum", tar("ustar\u{0}00", checksum: 1)),
    ("a tar header without its magic number", tar("usta")),
    ("half a tar header", Array(tar("ustar").prefix(511))),
    ("xz but for a byte", xz.dropLast() + [1]), ("7z but for a byte", sevenZip.dropLast() + [1]),
  ]

  @Test("a lookalike is detected by its bytes", arguments: lookalikes)
  func lookalike(_ name: String, _ bytes: [UInt8]) throws {
    let isContent = FormatProbe(.format(.dump(.raw))) { head, _ in head == bytes }
    let (recording, report) = try DumpRecording.of(bytes, as: nil, probes: [isContent])
    #expect(report.recognition == .format(.dump(.raw)) && recording.bytes == bytes)
  }
}
