import Basics
import CommandTestSupport
import Testing

/// Disk images: raw, split, E01 and sparse ones give the same records.
@Suite("Disk images")
struct DiskImageTests {
  private let directory = TestDirectory()
  private let columns = ["--from", "carve", "--columns", "stream,offset,file_offset,token,flags"]

  /// 3 MB in which two chains are planted, one over the end of the first part.
  init() throws {
    var image = [UInt8](repeating: 0xaa, count: 3_000_320)
    for (offset, first) in [(4321, 0), (1_048_576 - 100, 30), (2_999_000, 60)] {
      let bytes = feedback(tuples(20, from: first))
      image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    try directory.write(image, to: "disk.raw")
  }

  private func rows(_ input: String) throws -> [String] {
    try directory.apnsift(["export", input] + columns).exits(0).lines
  }

  @Test("a split image is one input", arguments: ["001", "000"])
  func split(_ first: String) throws {
    _ = try directory.shell("split -b 1M -a 3 --numeric-suffixes=\(first) disk.raw disk.")
    let whole = try rows("disk.raw")
    #expect(whole.count == 61)
    #expect(try rows("disk.\(first)") == whole)
    _ = try directory.shell("mkdir dir && mv disk.0* dir")
    #expect(try rows("dir") == whole)
    try directory.apnsift("export dir --from carve -t ndjson -o all.ndjson --checksums sums".words).exits(0)
    let sums = try directory.shell("sha256sum -c --quiet sums && wc -l <sums").exits(0)
    #expect(sums.text.hasPrefix("3"))
  }

  @Test("rotated dumps are no split image")
  func rotated() throws {
    for part in 1...3 { try directory.write(feedback(tuples(10)), to: "log/dump.00\(part)") }
    #expect(try directory.apnsift("export", "log").lines.count == 31)
  }

  @Test("an E01 image is read with all its segments, and damage is reported")
  func ewf() throws {
    let made = try directory.shell(
      "ewfacquire -u -t disk -f encase6 -c none -S 1048576 disk.raw >log 2>&1; ls disk.E*")
    #expect(made.lines.count == 3, "\(made.errors)")
    let whole = try rows("disk.raw")
    #expect(try rows("disk.E01") == whole)
    _ = try directory.shell("mkdir dir && mv disk.E* dir && cp -r dir bad && rm -r disk.raw log")
    #expect(try rows("dir") == whole)
    let inventory = try directory.apnsift(
      "export dir --from carve --records inputs --columns source,verdict".words
    ).lines
    #expect(inventory.dropFirst() == ["dir/disk.E01,carved", "dir/disk.E02,part", "dir/disk.E03,part"])
    // A byte of a chunk: its checksum is wrong.
    _ = try directory.shell("printf x | dd of=bad/disk.E01 bs=1 seek=500000 conv=notrunc 2>log")
    let damaged = try directory.apnsift(["export", "bad/disk.E01"] + columns)
      .exits(2, saying: "32768 bytes of the image are damaged or in a missing segment file; read as zeros")
    #expect(damaged.lines.count == 61)
    _ = try directory.shell("rm bad/disk.E01")
    let orphan: Message = "is segment 2 of an E01 image, whose first segment file is missing: find it"
    try directory.apnsift("export", "bad").exits(2, saying: .about("bad/disk.E02", orphan))
  }

  @Test("holes of a sparse image are not read")
  func sparse() throws {
    // The holes have 8 TiB: reading them would take an hour.
    let made = try directory.shell(
      "dd if=disk.raw of=sparse bs=1M count=1 conv=notrunc 2>log && "
        + "dd if=disk.raw of=sparse bs=4K oflag=seek_bytes seek=4398046511104 conv=notrunc 2>log && "
        + "truncate -s 8T sparse")
    try #require(made.code == 0, "\(made.errors)")
    let far = try rows("disk.raw").dropFirst().map { line in
      var fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      fields[0] = String((Int(fields[0]) ?? 0) + 1)
      fields[2] = String((Int(fields[2]) ?? 0) + 4_398_046_511_104)
      return fields.joined(separator: ",")
    }
    let sparse = try rows("sparse")
    #expect(Array(sparse.suffix(60)) == far)
    #expect(sparse.count == 1 + 20 + 60, "two tuples of the second chain are too few")
  }
}
