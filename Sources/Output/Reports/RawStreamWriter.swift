import Analysis
import Basics
import PacketCapture
import StreamInputs

/// Writes the bytes of every stream, one file per direction, and an index of the files to `streams.json`
/// (docs/spec/interface.md#raw-streams, `--to raw`).
package final class RawStreamWriter: EvidenceSink {
  /// The output of a direction whose stream has not ended.
  private final class DirectionFile {
    let name: String
    var descriptor: Int32?
    let hash = InputHash()
    var count = 0
    var gaps: [(offset: Int, length: Int)] = []

    init(name: String) { self.name = name }
  }

  /// Limit of open files: at most half of the process's limit. At the limit all are closed, and reopened on demand.
  private static let maxOpen = DescriptorBudget.limits.map { max(1, Int(min($0.rlim_cur / 2, 128))) } ?? 16

  private let directory: OutputDirectory
  private let inputCount: Int
  /// Number of the current input, from 1.
  private var input = 0
  private var source = ""
  private var directions: [StreamDirection: DirectionFile] = [:]
  private var openCount = 0
  private let catalogue: Int32
  private static let catalogueName = "streams.json"
  package private(set) var directionCount = 0

  /// - Parameter inputCount: number of inputs; with several, file names begin with the input's number.
  package init(_ directory: OutputDirectory, inputCount: Int) throws {
    self.directory = directory
    self.inputCount = inputCount
    catalogue = try directory.open(Self.catalogueName, isNew: true)
    try write(Array("[\n".utf8).span.bytes, to: catalogue, Self.catalogueName)
  }

  deinit {
    closeFiles()
    _ = close(catalogue)
  }

  /// Call it after all streams.
  package func finish() throws {
    try write(Array("\n]\n".utf8).span.bytes, to: catalogue, Self.catalogueName)
    closeFiles()
    try directory.finish()
  }

  // MARK: - Events

  package var needs: EvidenceNeeds { .bytes }

  package func inputBegan(_ source: String) {
    self.source = source
    input += 1
  }

  package func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) throws {
    let file = file(of: StreamDirection(stream: direction.stream, side: direction.side))
    let descriptor = try descriptor(of: file)
    file.hash.update(bytes)
    file.count &+= bytes.byteCount
    try write(bytes, to: descriptor, file.name)
  }

  package func gap(_ gap: StreamGap, in direction: DirectionState) throws {
    file(of: StreamDirection(stream: direction.stream, side: direction.side))
      .gaps.append((gap.offset, gap.length))
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    for side in Side.allCases {
      let key = StreamDirection(stream: report.identity.number, side: side)
      guard let file = directions.removeValue(forKey: key) else { continue }
      if let descriptor = file.descriptor {
        _ = close(descriptor)
        openCount -= 1
      }
      // A direction that consists only of gaps has no file.
      if file.count > 0 { try list(report, side, file) }
    }
  }

  // MARK: - Files

  private func list(_ report: StreamReport, _ side: Side, _ file: DirectionFile) throws {
    let half = report[side]
    let entry = JSONValue.object([
      ("source", .string(source)),
      ("stream", .int(report.identity.number)),
      ("file", .string(file.name)),
      ("src", JSONValue(report.identity.endpoint(side)?.text)),
      ("dst", JSONValue(report.identity.endpoint(side.other)?.text)),
      ("first_packet", JSONValue(half.firstPacket?.number)),
      ("syn_seen", .bool(half.isSYNSeen)),
      ("bytes", .int(file.count)),
      ("sha256", JSONValue(file.hash.hexDigest())),
      ("gaps", .array(file.gaps.map { .array([.int($0.offset), .int($0.length)]) })),
      ("duplicate_bytes", .int(half.duplicateBytes)),
      ("conflicting_bytes", .int(half.conflictingBytes)),
    ])
    let text = (directionCount > 0 ? ",\n" : "") + entry.text
    directionCount += 1
    try write(Array(text.utf8).span.bytes, to: catalogue, Self.catalogueName)
  }

  private func file(of direction: StreamDirection) -> DirectionFile {
    if let known = directions[direction] { return known }
    let name = "stream-\(direction.stream)-\(direction.side == .first ? "a" : "b").raw"
    let file = DirectionFile(name: inputCount > 1 ? "\(input)-\(name)" : name)
    directions[direction] = file
    return file
  }

  private func descriptor(of file: DirectionFile) throws -> Int32 {
    if let descriptor = file.descriptor { return descriptor }
    if openCount >= Self.maxOpen { closeFiles() }
    let descriptor = try directory.open(file.name, isNew: file.count == 0)
    openCount += 1
    file.descriptor = descriptor
    return descriptor
  }

  private func closeFiles() {
    for file in directions.values {
      if let descriptor = file.descriptor { _ = close(descriptor) }
      file.descriptor = nil
    }
    openCount = 0
  }

  private func write(_ bytes: RawSpan, to descriptor: Int32, _ file: String) throws {
    let number = bytes.withUnsafeBytes { SystemWrite.all($0, to: descriptor) }
    guard number == 0 else { throw directory.writeError(file, number) }
  }
}
