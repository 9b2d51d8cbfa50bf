import APNsWire
import Analysis
import Basics
import Foundation
import PacketCapture
import TestSupport
import Testing

#if os(Linux)
  /// Every byte of a stream could be in its own extent, which takes 40 bytes: extents of decided bytes are forgotten.
  @Suite("Memory of an analysis", .serialized)
  struct BoundedMemoryTests {
    /// The number of extents; keeping them would take at least 160 MB.
    private static let extents = 4_000_000
    private static let bound = 100 << 20
    /// Other tests run concurrently and take memory as well. A leak grows in every attempt.
    private static let attempts = 6

    static let cases: [(name: String, pattern: [UInt8])] = [
      ("tuples", Tuples.one()), ("noise", [UInt8](repeating: 0xff, count: 38)),
      ("ciphertext", [0x17, 3, 1] + [UInt8](repeating: 7, count: 35)),
    ]

    @Test("does not grow with the extents of a dump", arguments: cases)
    func extents(_ name: String, _ pattern: [UInt8]) throws {
      var growths: [Int] = []
      while growths.count < Self.attempts {
        let growth = try growth(over: pattern)
        if growth < Self.bound { return }
        growths.append(growth)
      }
      Issue.record("it grew by \(growths) bytes")
    }

    /// The growth of the process during a long stream, in bytes.
    private func growth(over pattern: [UInt8]) throws -> Int {
      let analyzer = Analyzer(sinks: [])
      try analyzer.log.begin(source: "extents")
      try analyzer.opened(.dump)
      let chunk = (0..<100).flatMap { _ in pattern }
      let before = try residentBytes()
      var offset = 0
      while offset < Self.extents {
        // Irregular distances, so that no extent continues the previous one.
        let origins = chunk.indices.map {
          SourceExtent(streamOffset: offset + $0, fileOffset: 3 * (offset + $0) + ($0 & 1), stride: 1)
        }
        try analyzer.bytes(chunk.span.bytes, of: .dump, origins: origins)
        offset += chunk.count
      }
      let growth = try residentBytes() - before
      try analyzer.closed(StreamReport(.dump))
      #expect(analyzer.log.summary.streamBytes + analyzer.log.summary.undecodedBytes == offset)
      return growth
    }

    private func residentBytes() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      return try #require(Int(status.split(separator: " ")[1])) * Int(getpagesize())
    }
  }
#endif
