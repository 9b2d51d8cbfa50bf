import Basics
import Reports
import TestSupport
import Testing
import TokenStores

@Suite("Buffers and rows of a report")
struct OutputBufferTests {
  @Test("appended bytes come out in order, for all sizes")
  func order() throws {
    var generator = SeededGenerator(seed: 99)
    let sink = MemorySink()
    let output = OutputBuffer(sink)
    var expected: [UInt8] = []
    for _ in 0..<60 {
      let bytes = generator.bytes(
        generator.pick([0, 1, 100, 262_143, 262_144, 262_145, 300_000]) / generator.pick(1...9))
      try output.append(bytes)
      expected += bytes
    }
    try output.append(generator.bytes(0))
    try output.flush()
    try output.flush()
    let isSame = sink.bytes == expected
    #expect(isSame && sink.chunks.allSatisfy { $0 > 0 })
  }

  @Test("errors of the sink are rethrown")
  func failure() {
    struct Full: Error {}
    final class FullSink: ByteSink {
      func write(_ bytes: RawSpan) throws { throw Full() }
    }
    let output = OutputBuffer(FullSink())
    #expect(throws: Full.self) {
      for _ in 0..<3 { try output.append([UInt8](repeating: 1, count: 200_000)) }
    }
  }

  private func rows(_ format: RowWriter.Format, count: Int) throws -> String {
    try report { output in
      let writer = TokenRowWriter()
      let rows = RowWriter(writer.names, as: format, to: output)
      try rows.begin()
      for number in 0..<count {
        try writer.write(
          AppEnvironment(app: "a,\"b\""), [0xab, UInt8(number)].span.bytes,
          number == 0 ? TokenState(registeredAt: 1_367_400_600) : TokenState(invalidatedAt: -1), to: rows)
      }
      try rows.end()
      #expect(rows.count == count)
    }
  }

  @Test("rows of a token store as CSV")
  func tokenRowsCSV() throws {
    #expect(
      try rows(.csv, count: 2) == """
        app,environment,token,registered_at,invalidated_at
        "a,""b\""",production,ab00,2013-05-01T09:30:00Z,
        "a,""b\""",production,ab01,,-1

        """)
  }

  @Test("rows of a token store as JSON: an array of 0, 1 or 2 objects")
  func tokenRowsJSON() throws {
    let first =
      #"{"app":"a,\"b\"","environment":"production","token":"ab00","registered_at":"2013-05-01T09:30:00Z","invalidated_at":null}"#
    let second =
      #"{"app":"a,\"b\"","environment":"production","token":"ab01","registered_at":null,"invalidated_at":"-1"}"#
    #expect(try rows(.json, count: 0) == "[\n]\n")
    #expect(try rows(.json, count: 1) == "[\n\(first)\n]\n")
    #expect(try rows(.json, count: 2) == "[\n\(first),\n\(second)\n]\n")
    #expect(try rows(.ndjson, count: 2) == "\(first)\n\(second)\n")
    #expect(try rows(.ndjson, count: 0) == "")
  }

  @Test("times of a store that do not fit in 32 bits are shown as numbers")
  func storeTimes() {
    #expect(TokenRowWriter.time(nil) == nil)
    #expect(TokenRowWriter.time(0) == "1970-01-01T00:00:00Z")
    #expect(TokenRowWriter.time(4_294_967_295) == "2106-02-07T06:28:15Z")
    #expect(TokenRowWriter.time(4_294_967_296) == "4294967296")
    #expect(TokenRowWriter.time(.min) == "-9223372036854775808")
  }
}
