import APNsWire
import Analysis
import Basics
import Foundation
import TestSupport
import Testing

@Suite("The table of distinct tokens") struct TokenTableTests {
  private let files = TemporaryFiles()

  /// A record to add to the table.
  struct Sighting: Sendable {
    var token: [UInt8]
    var time: UInt32
    /// Of that time; those of a tuple are 0.
    var milliseconds: UInt16 = 0
    var flags: RecordFlags = []
    var counts = true
  }

  struct Verdict: Equatable {
    var token: [UInt8]
    var time: UInt32?
    var milliseconds: UInt16 = 0
    var flags: RecordFlags
    var records: UInt32 = 0
    var countedRecords: UInt32 = 0
  }

  /// The expected result, from a dictionary, in bytewise order of the tokens.
  private func model(_ sightings: [Sighting]) -> [Verdict] {
    var verdicts: [[UInt8]: Verdict] = [:]
    for sighting in sightings {
      var verdict = verdicts[sighting.token] ?? Verdict(token: sighting.token, time: nil, flags: [])
      if sighting.counts {
        let latest = max(
          UInt64(verdict.time ?? 0) * 1000 + UInt64(verdict.milliseconds),
          UInt64(sighting.time) * 1000 + UInt64(sighting.milliseconds))
        (verdict.time, verdict.milliseconds) = (UInt32(latest / 1000), UInt16(latest % 1000))
      }
      verdict.flags.formUnion(sighting.flags)
      verdict.records += 1
      verdict.countedRecords += sighting.counts ? 1 : 0
      verdicts[sighting.token] = verdict
    }
    return verdicts.values.sorted { $0.token.lexicographicallyPrecedes($1.token) }
  }

  private func add(_ sighting: Sighting, to table: TokenTable) throws {
    if sighting.milliseconds > 0 {
      return try table.add(
        sighting.token.span.bytes, at: (sighting.time, sighting.milliseconds), flags: sighting.flags,
        counts: sighting.counts)
    }
    let bytes = Tuples.of(sighting.token, time: sighting.time)
    let run = RecordRun.sample(tokenLength: sighting.token.count, flags: sighting.flags)
    try table.add(run, in: bytes.span.bytes, counts: sighting.counts)
  }

  private func visited(_ table: TokenTable) throws -> [Verdict] {
    var verdicts: [Verdict] = []
    try table.visit { token, verdict in
      verdicts.append(
        Verdict(
          token: token.withUnsafeBytes { Array($0) }, time: verdict.time, milliseconds: verdict.milliseconds,
          flags: verdict.flags, records: verdict.records, countedRecords: verdict.countedRecords))
    }
    return verdicts
  }

  /// Random sightings of tokens that share prefixes, occur again, and are flagged now and then.
  private func sightings(_ count: Int, seed: UInt64, lengths: ClosedRange<Int>, longEvery: Int = .max)
    -> [Sighting]
  {
    var generator = SeededGenerator(seed: seed)
    var sightings: [Sighting] = []
    for number in 1...count {
      let token: [UInt8]
      switch generator.pick(0...9) {
      case 0...2 where !sightings.isEmpty: token = generator.pick(sightings).token
      case 3: token = [UInt8](repeating: 0, count: generator.pick(lengths))
      case 4 where !sightings.isEmpty: token = Array(generator.pick(sightings).token.prefix(9)) + [0]
      default:
        let length = number % longEvery == 0 ? 65_535 : generator.pick(lengths)
        token = generator.bytes(length)
      }
      sightings.append(
        Sighting(
          token: token, time: generator.pick([0, .max, UInt32.random(in: 0 ... .max, using: &generator)]),
          milliseconds: generator.chance(3) ? UInt16(generator.pick(1...999)) : 0,
          flags: generator.chance(4) ? generator.pick(RecordFlags.all).flag : [], counts: !generator.chance(3)
        ))
    }
    return sightings
  }

  private func expectModel(_ sightings: [Sighting], memory: Int, directory: String) throws {
    let table = TokenTable(memory: memory, temporaryDirectory: directory)
    for sighting in sightings { try add(sighting, to: table) }
    let expected = model(sightings)
    // Not compared within #expect, which would print all tokens.
    var isSame = try visited(table) == expected
    #expect(isSame)
    isSame = try visited(table) == expected
    #expect(isSame, "the second time")
    #expect(try table.distinctCount() == expected.count)
  }

  /// A directory that does not exist proves that nothing was written.
  private static let nowhere = "/nonexistent/apnsift"

  @Test("agrees with a dictionary, in memory") func inMemory() throws {
    try expectModel(sightings(20_000, seed: 1, lengths: 0...100), memory: 1 << 30, directory: Self.nowhere)
    try expectModel(
      sightings(3000, seed: 2, lengths: 0...100, longEvery: 500), memory: 1 << 30, directory: Self.nowhere)
  }

  @Test("agrees with a dictionary beyond memory: a few spills, and more than can be merged at once")
  func spilled() throws {
    // The least memory is 1 MiB.
    try expectModel(sightings(20_000, seed: 3, lengths: 0...100), memory: 0, directory: files.path)
    try expectModel(
      sightings(60_000, seed: 4, lengths: 0...100, longEvery: 900), memory: 1 << 20, directory: files.path)
    // Some 500 fit in, and then no more than 16.
    try expectModel(sightings(12_000, seed: 5, lengths: 1500...2500), memory: 1 << 20, directory: files.path)
    try expectModel(
      sightings(2500, seed: 6, lengths: 65_000...65_535), memory: 1 << 20, directory: files.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
  }

  @Test("tokens that share their first bytes, in order and each twice, agree with a dictionary beyond memory")
  func hardToDivide() throws {
    let prefix = [UInt8](repeating: 0, count: 32)
    let once = (0..<40_000).map { number in
      Sighting(
        token: prefix + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) },
        time: UInt32(number))
    }
    try expectModel(once + once, memory: 1 << 20, directory: files.path)
    try expectModel(once + once, memory: 1 << 30, directory: Self.nowhere)
  }

  @Test("more can be added once answers were asked for, before and after spills") func addedLater() throws {
    let all = sightings(40_000, seed: 7, lengths: 0...100)
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: files.path)
    for end in stride(from: 5000, through: all.count, by: 5000) {
      for sighting in all[(end - 5000)..<end] { try add(sighting, to: table) }
      let isSame = try visited(table) == model(Array(all[..<end]))
      #expect(isSame)
    }
  }

  @Test("an empty table has no answers") func empty() throws {
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: Self.nowhere)
    #expect(try visited(table).isEmpty)
    #expect(try table.distinctCount() == 0)
  }

  @Test("runs of records from a decoder") func runs() throws {
    var generator = SeededGenerator(seed: 8)
    let tokens = (0..<50).map { _ in generator.bytes(32) }
    let bytes: [UInt8] = [1, 2, 3] + tokens.flatMap { Tuples.of($0) }
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: Self.nowhere)
    try table.add(.sample(start: 3, tokenLength: 32, count: 50), in: bytes.span.bytes, counts: true)
    #expect(try visited(table).map(\.token) == tokens.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test("a directory for temporary files that is missing is an error that names it and the remedy")
  func missingDirectory() throws {
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: Self.nowhere)
    let error = #expect(throws: TokenTableError.self) {
      for sighting in sightings(2000, seed: 9, lengths: 1500...2500) { try add(sighting, to: table) }
    }
    let message = "cannot create a temporary file in \(Self.nowhere): No such file or directory; set TMPDIR"
    #expect(error?.message.text.hasPrefix(message) == true)
  }

  @Test("an error of the body ends the visit") func bodyThrows() throws {
    struct Stop: Error {}
    let table = TokenTable(memory: 1 << 20, temporaryDirectory: Self.nowhere)
    for sighting in sightings(100, seed: 10, lengths: 1...9) { try add(sighting, to: table) }
    var calls = 0
    #expect(throws: Stop.self) {
      try table.visit { _, _ in
        calls += 1
        if calls == 5 { throw Stop() }
      }
    }
    #expect(calls == 5)
  }
}
