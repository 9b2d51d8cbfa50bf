import ReaderModels
import TestSupport
import Testing

/// `cookbook` and `java`, which treat every read as a record. Expectations are derived by hand.
@Suite("Readers of records of 38 bytes")
struct FixedRecordReaderTests {
  private let time = Int64(Tuples.time)
  private let two = Tuples.one(fill: 0xaa) + Tuples.one(fill: 0xbb)

  @Test("a short read is a record, over stale bytes in cookbook and over zeros in java")
  func shortRead() {
    // Reads of 38, 18 and 20: the third begins at byte 12 of the second tuple's token.
    let cut = Chunking.ends([56, 76])
    let cookbook = ReaderRecording.of(.cookbook, two, cut: cut)
    let bb: Int64 = -0x4444_4445  // bb bb bb bb as signed
    #expect(
      cookbook.said == [
        record(time, bytes(0xaa, 32)), record(time, bytes(0xbb, 12) + bytes(0xaa, 20)),
        record(bb, bytes(0xbb, 14) + bytes(0xaa, 18)),
      ])
    #expect(cookbook.offsets == [0, 38, 56])
    #expect(
      cookbook.errors == [.none, .shortRead(count: 18, rest: .stale), .shortRead(count: 20, rest: .stale)])
    #expect(cookbook.ending == .completed)

    let java = ReaderRecording.of(.java, two, cut: cut)
    #expect(
      java.said == [
        record(time, bytes(0xaa, 32)), record(time, bytes(0xbb, 12) + bytes(0, 20)),
        record(bb, bytes(0xbb, 14) + bytes(0, 18)),
      ])
    #expect(java.offsets == [0, 38, 56])
    #expect(
      java.errors == [.none, .shortRead(count: 18, rest: .zeros), .shortRead(count: 20, rest: .zeros)])
    #expect(java.ending == .completed)
  }

  @Test("cookbook's buffer begins as zeros and keeps bytes of earlier reads")
  func buffer() {
    let recording = ReaderRecording.of(.cookbook, two, cut: .ends([7, 9, 47, 76]))
    // 7 bytes: a header and one of the token. 2 bytes over its time. 38 bytes: from token byte 3 of the first
    // tuple on, 29 of its token, then the header and 3 bytes of the second. 29 bytes of the second's token.
    let aa = "aa"
    let bb = "bb"
    #expect(
      recording.said == [
        "\(time),aa" + String(repeating: "00", count: 31),
        // aaaa4e00 is negative.
        "\(Int64(Int32(bitPattern: 0xaaaa_4e00))),aa" + String(repeating: "00", count: 31),
        "\(Int64(Int32(bitPattern: 0xaaaa_aaaa)))," + String(repeating: aa, count: 23) + "53724e000020"
          + String(repeating: bb, count: 3),
        "\(Int64(Int32(bitPattern: 0xbbbb_bbbb)))," + String(repeating: bb, count: 23) + "53724e000020"
          + String(repeating: bb, count: 3),
      ])
    #expect(
      recording.errors == [
        .shortRead(count: 7, rest: .zeros), .shortRead(count: 2, rest: .stale),
        .lengthIgnored(length: 0xaaaa), .shortRead(count: 29, rest: .stale),
      ])
  }

  @Test("the token is 32 bytes regardless of the length", arguments: [FeedbackModel.cookbook, .java])
  func lengthIgnored(_ model: FeedbackModel) {
    let long = Tuples.one(54, fill: 0xcc) + Tuples.one(fill: 0xbb)  // 60 + 38 bytes: reads of 38, 38, 22
    let recording = ReaderRecording.of(model, long, cut: .size(4096))
    #expect(recording.said.count == 3)
    #expect(recording.said.first == record(time, bytes(0xcc, 32)))
    #expect(recording.errors.first == .lengthIgnored(length: 54))
    let short = ReaderRecording.of(model, Tuples.one(3, fill: 0xcc) + Tuples.one(29, fill: 0xbb))
    #expect(
      short.errors == [
        .lengthIgnored(length: 3), .shortRead(count: 6, rest: model == .java ? .zeros : .stale),
      ])
    #expect(
      short.said.first == record(time, bytes(0xcc, 3) + Tuples.header(length: 29) + bytes(0xbb, 23)))
  }

  @Test(
    "a time from 2^31 on is negative",
    arguments: [
      (UInt32(0x7fff_ffff), Int64(2_147_483_647), ReaderError.none),
      (0x8000_0000, -2_147_483_648, .signedTime), (0xffff_ffff, -1, .signedTime),
    ])
  func signedTime(_ time: UInt32, _ expected: Int64, _ error: ReaderError) {
    for model in [FeedbackModel.cookbook, .java, .csharp] {
      let recording = ReaderRecording.of(model, Tuples.one(time: time))
      #expect(recording.said == [record(expected, bytes(0xaa, 32))])
      #expect(recording.errors == [error])
    }
    #expect(ReaderRecording.of(.node, Tuples.one(time: time)).said.first?.hasPrefix("\(time),") == true)
  }
}
