// Prints the tuples of a small feedback dump as `time,token` lines, and what is no tuple after a `#`. Imports the library
// alone, so the dump comes as lines of hex digits: xxd -p dump.bin | small-dump
import APNsWire

func bytes(_ hex: String) -> [UInt8] {
  stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

var dump: [UInt8] = []
while let line = readLine() { dump += bytes(line) }

let found = FeedbackDecoder.decode(dump)
for tuple in found.records {
  // A flagged record is doubtful: an importer should skip it.
  let doubts = tuple.flags.isEmpty ? "" : "# \(tuple.flags.codes.joined(separator: ", ")): "
  print("\(doubts)\(tuple.time),\(hex(tuple.token))")
}
for rest in found.rest {
  print("# offset \(rest.offset): \(rest.length) bytes: \(rest.kind)")
}
