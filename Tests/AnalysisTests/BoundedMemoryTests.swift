import APNsWire
import Analysis
import Foundation
import PacketCapture
import TestSupport
import Testing
import WireBytes

#if os(Linux)
  /// Every byte of a stream could be a stretch of its own, 40 bytes each: what is decided is forgotten.
  @Suite("Memory of an analysis", .serialized)
  struct BoundedMemoryTests {
    /// Stretches handed over; remembering them would take 160 MB at least.
    private static let stretches = 4_000_000
    private static let bound = 100 << 20
    /// Other tests run beside this one and take memory, too. What grows by itself does so every time.
    private static let attempts = 6

    struct Case: Sendable, CustomTestStringConvertible {
      var testDescription: String
      var pattern: [UInt8]
    }

    static let cases = [
      Case(testDescription: "tuples", pattern: Tuples.one()),
      Case(testDescription: "noise", pattern: [UInt8](repeating: 0xff, count: 38)),
      Case(testDescription: "ciphertext", pattern: [0x17, 3, 1] + [UInt8](repeating: 7, count: 35)),
    ]

    @Test("does not grow with the stretches of a dump", arguments: cases)
    func stretches(_ example: Case) throws {
      var growths: [Int] = []
      while growths.count < Self.attempts {
        let growth = try growth(over: example.pattern)
        if growth < Self.bound { return }
        growths.append(growth)
      }
      Issue.record("it grew by \(growths) bytes")
    }

    /// Bytes of memory that the process has more at the end of a long stream than at its beginning.
    private func growth(over pattern: [UInt8]) throws -> Int {
      let analyzer = Analyzer(sinks: [])
      try analyzer.begin(source: "stretches")
      try analyzer.opened(.dump)
      let piece = (0..<100).flatMap { _ in pattern }
      let before = try residentBytes()
      var offset = 0
      while offset < Self.stretches {
        // Distances that no two neighbours share, so that no stretch continues another.
        let origins = piece.indices.map {
          ByteOrigin(streamOffset: offset + $0, fileOffset: 3 * (offset + $0) + ($0 & 1), stride: 1)
        }
        try analyzer.bytes(piece.span.bytes, of: .dump, origins: origins)
        offset += piece.count
      }
      let growth = try residentBytes() - before
      try analyzer.closed(StreamReport(.dump))
      #expect(analyzer.summary.streamBytes + analyzer.summary.undecodedBytes == offset)
      return growth
    }

    private func residentBytes() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      return try #require(Int(status.split(separator: " ")[1])) * Int(getpagesize())
    }
  }
#endif
