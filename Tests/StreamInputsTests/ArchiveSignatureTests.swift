import Messages
import StreamInputs
import TestSupport
import Testing

/// Unsupported archives and compressions are distinguished from dumps by more than their magic numbers. The heads are
/// written by hand from the formats' specifications.
@Suite("Unsupported archives and compressions")
struct ArchiveSignatureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var head: [UInt8]
    var problem: Message
    var testDescription: String { name }
  }

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

  static let zipped = Message.packed("zip", isArchive: true, inside: nil, command: "unzip -p FILE")
  static let tarred = Message.packed("tar", isArchive: true, inside: nil, command: "tar -xOf FILE")

  static let cases: [Case] = [
    Case(name: "zip", head: zip(), problem: zipped),
    Case(name: "zip, stored", head: zip(version: 10, method: 0), problem: zipped),
    Case(name: "zip, encrypted", head: zip(version: 51, method: 99), problem: zipped),
    Case(name: "POSIX tar", head: tar("ustar\u{0}00"), problem: tarred),
    Case(name: "GNU tar", head: tar("ustar  \u{0}"), problem: tarred),
    Case(
      name: "xz", head: xz, problem: .packed("xz", isArchive: false, inside: nil, command: "xz -dc FILE")),
    Case(
      name: "bzip2", head: bzip2,
      problem: .packed("bzip2", isArchive: false, inside: nil, command: "bzip2 -dc FILE")),
    Case(
      name: "7z", head: sevenZip,
      problem: .packed("7z", isArchive: true, inside: nil, command: "7z x -so FILE")),
  ]

  @Test("is reported with a remedy, and read only with --from raw", arguments: cases)
  func named(_ example: Case) throws {
    let file = example.head + [UInt8](repeating: 1, count: 600)
    let (recording, report) = try DumpRecording.of(file, as: nil)
    #expect(recording.bytes.isEmpty && report.format == nil && !report.isSkipped)
    #expect(report.faults.first?.message == example.problem)
    #expect(try DumpRecording.of(file, as: .raw).recording.bytes == file)
  }

  @Test("is a fault in a directory, too", arguments: cases)
  func inDirectory(_ example: Case) throws {
    let files = try TemporaryFiles()
    try files.write(example.head + [UInt8](repeating: 1, count: 600), to: "in/x")
    let member = try #require(InputWalk([files.path + "/in"]).inputs.first)
    let report = try DumpRecording.of(member, as: nil).report
    #expect(report.faults.count == 1 && !report.isSkipped && report.format == nil)
  }

  /// Almost the same beginnings.
  static let lookalikes: [(name: String, bytes: [UInt8])] = [
    ("a tuple of 2012-09-08T08:31:48Z", [0x50, 0x4b, 3, 4, 0, 32] + [UInt8](repeating: 9, count: 32)),
    (
      "a tuple of that time with an odd length",
      [0x50, 0x4b, 3, 4, 0, 100] + [UInt8](repeating: 9, count: 100)
    ),
    ("an invalid zip method", zip(method: 77)), ("an invalid zip version", zip(version: 64)),
    ("half a zip header", Array(zip().prefix(9))),
    (
      "a tuple of 2005 that begins with BZh9",
      Array("BZh9".utf8) + [0, 32] + [UInt8](repeating: 9, count: 32)
    ),
    ("an invalid bzip2 level", Array("BZh0".utf8) + bzip2[4...] + [1]),
    ("a tar header with another checksum", tar("ustar\u{0}00", checksum: 1)),
    ("a tar header without its magic number", tar("usta")),
    ("half a tar header", Array(tar("ustar").prefix(511))),
    ("xz but for a byte", xz.dropLast() + [1]), ("7z but for a byte", sevenZip.dropLast() + [1]),
  ]

  @Test("a lookalike is detected by its bytes", arguments: lookalikes.map(\.name))
  func lookalike(_ name: String) throws {
    let bytes = try #require(Self.lookalikes.first { $0.name == name }).bytes
    let isContent = FormatProbe(.format(.dump(.raw))) { head, _ in head == bytes }
    let (recording, report) = try DumpRecording.of(bytes, as: nil, probes: [isContent])
    #expect(report.recognition == .format(.dump(.raw)) && recording.bytes == bytes)
  }

  @Test(
    "inside a compression, both are named",
    arguments: [
      (
        Array("BZh9".utf8) + bzip2[4...],
        Message.packed("bzip2", isArchive: false, inside: "gzip", command: "gzip -dc FILE | bzip2 -dc")
      ),
      (xz, .packed("xz", isArchive: false, inside: "gzip", command: "gzip -dc FILE | xz -dc")),
      (
        tar("ustar\u{0}00"),
        .packed("tar", isArchive: true, inside: "gzip", command: "gzip -dc FILE | tar -xOf -")
      ),
      (zip(), .packed("zip", isArchive: true, inside: "gzip", command: nil)),
    ] as [([UInt8], Message)])
  func nested(_ head: [UInt8], _ problem: Message) throws {
    let packed = try compress(head + [UInt8](repeating: 1, count: 100), "gzip")
    let report = try DumpRecording.of(packed, as: nil).report
    #expect(report.faults.first?.message == problem)
  }
}
