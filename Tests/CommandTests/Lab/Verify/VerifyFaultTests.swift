import CommandTestSupport
import Testing

/// The streams of samples/corpus/readers detect readers that are right until much, or something unusual, comes.
@Suite("Faults of readers")
struct VerifyFaultTests {
  private let directory = TestDirectory([
    "tuples.py": Self.tupleReader.utf8, "errors.py": Self.errorReader.utf8,
  ])

  /// A right reader, but for the error that is its argument.
  private static let tupleReader = """
    import os, struct, sys
    fault = sys.argv[1]
    chunks, records = list(iter(lambda: os.read(0, 1 << 20), b"")), []
    data = b"".join(chunk[:65536] for chunk in chunks) if fault == "short-buffer" else b"".join(chunks)
    data = data[:65536] if fault == "little-memory" else data
    while len(data) >= 6 and len(data) >= 6 + (length := struct.unpack_from(">IH", data)[1]):
        if length:
            records.append(f"{struct.unpack_from('>I', data)[0]},{data[6:6 + length].hex()}")
        data = data[6 + length:]
    records = list(dict.fromkeys(records)) if fault == "no-repeats" else records
    records = records[:100] if fault == "a-hundred" else records
    for record in records:
        print(record)

    """

  private static let errorReader = """
    import os, struct, sys
    fault = sys.argv[1]
    chunks = list(iter(lambda: os.read(0, 1 << 20), b""))
    data = b"".join(chunks[:1] if fault == "one-read" else chunks)
    for at in range(0, len(data) - 5, 6):
        command, status, identifier = struct.unpack_from(">BBi" if fault == "signed" else ">BBI", data, at)
        if command == 8 or fault == "any-command" or fault == "four-bits" and command & 15 == 8:
            print(status, identifier & 0xFFFF if fault == "16-bits" else identifier, sep=",")

    """

  private static let long = "thousands-of-tuples"
  private static let inSegments = "thousands-of-tuples-in-segments"
  private static let identifiers: Set = ["identifiers-of-four-bytes", "errors-in-pieces"]
  private static let otherCommands: Set = ["another-command", "another-command-behind-an-error"]

  static let errors: [(reader: String, detectedBy: Set<String>)] = [
    ("tuples.py none", []), ("tuples.py a-hundred", [long, inSegments]),
    ("tuples.py little-memory", [long, inSegments]), ("tuples.py no-repeats", [long, inSegments]),
    ("tuples.py short-buffer", [long]),
    ("errors.py none", []), ("errors.py signed", identifiers), ("errors.py 16-bits", identifiers),
    ("errors.py one-read", ["errors-in-pieces"]), ("errors.py any-command", otherCommands),
    ("errors.py four-bits", otherCommands),
  ]

  @Test("each is detected, and a right reader has none", arguments: errors)
  func detected(_ reader: String, _ cases: Set<String>) throws {
    let ofErrors = reader.hasPrefix("errors") ? ["--reader-of", "responses", "--damaged"] : []
    let rows = try directory.allReadings(
      Readers.samples, ["--reader", "python3 \(reader)"] + ofErrors, code: cases.isEmpty ? 0 : 1)
    let wrong = rows.filter { !($0["first_difference"] is Null) }.compactMap { $0["case"] as? String }
    let names = Set(wrong.map { String($0.split(separator: "/").last ?? "") })
    #expect(names.isSuperset(of: cases) && names.isEmpty == cases.isEmpty, "\(names)")
  }
}
