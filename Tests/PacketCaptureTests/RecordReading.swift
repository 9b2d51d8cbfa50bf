import Basics
import PacketCapture

/// The output of `CaptureRecords` for a file, with any windows.
struct RecordReading: Equatable {
  struct Packet: Equatable {
    var number: Int
    var time: CaptureTime?
    var linkType: UInt16
    var bytes: [UInt8]
    var original: Int
    var fileOffset: Int
  }

  private(set) var packets: [Packet] = []
  /// As `offset+length`.
  private(set) var damages: [String] = []
  private(set) var messages: [Message] = []
  private(set) var errors: [InputError] = []
  private(set) var secrets: DecryptionSecrets?
  /// Violations of the reader's contract.
  private(set) var misuse: [String] = []

  /// - Parameters:
  ///   - chunk: how many more bytes than needed each window has.
  ///   - maxPacket: as in `CaptureOptions`.
  init(
    _ file: [UInt8], as kind: CaptureRecords.FileFormat? = nil, maxPacket: Int = 1 << 20,
    chunk: () -> Int = { 1 << 40 }
  ) {
    guard let kind = kind ?? CaptureRecords.recognises(file.span.bytes) else {
      misuse.append("not recognised")
      return
    }
    var records = CaptureRecords(kind: kind, maxPacket: maxPacket)
    // File offsets. The end of the file is known only when no more bytes are left.
    var (start, end, position, knowsEnd, steps) = (0, 0, 0, false, 0)
    reading: while true {
      steps += 1
      if steps > 4 * file.count + 100 {
        misuse.append("does not end")
        break
      }
      let window = file.span.bytes.extracting(start..<end)
      let step = records.next(in: window, from: position - start, windowOffset: start, isLast: knowsEnd)
      switch step {
      case .packet(let record, let after):
        add(record, in: window)
        position = advance(position, to: start + after, by: record.capturedLength)
      case .skipped(let after):
        position = advance(position, to: start + after, by: 1)
      case .damaged(let finding, let after):
        add(finding, in: file)
        position = advance(position, to: start + after, by: 0)
      case .needsBytes(let count):
        if knowsEnd || count <= end - position || count > maxPacket + 2 << 20 {
          misuse.append("needs \(count) of \(end - position) bytes at \(position)")
          break reading
        }
        start = position
        knowsEnd = end == file.count
        end = min(file.count, position + count + chunk() % (1 << 41))
      case .unreadable(let error):
        errors.append(error)
      case .finished:
        break reading
      }
    }
    if errors.isEmpty, position != file.count { misuse.append("ends at \(position) of \(file.count)") }
    secrets = records.latestSecrets
    if records.packets != packets.count { misuse.append("counts \(records.packets) packets") }
  }

  private mutating func add(_ record: PacketRecord, in window: RawSpan) {
    let bytes = window.extracting(record.start..<(record.start + record.capturedLength))
    packets.append(
      Packet(
        number: record.number, time: record.time, linkType: record.linkType.rawValue,
        bytes: bytes.withUnsafeBytes { Array($0) }, original: record.originalLength,
        fileOffset: record.fileOffset))
    if record.number != packets.count { misuse.append("packet \(packets.count) is \(record.number)") }
  }

  private mutating func add(_ finding: StreamFinding, in file: [UInt8]) {
    let (offset, length) = (finding.fileOffset ?? -1, finding.length ?? -1)
    if offset < 0 || length <= 0 || offset + length > file.count || finding.code != .damagedCapture {
      misuse.append("\(finding)")
    }
    damages.append("\(offset)+\(length)")
    messages.append(finding.message)
  }

  private mutating func advance(_ position: Int, to end: Int, by least: Int) -> Int {
    if end < position + least { misuse.append("from \(position) back to \(end)") }
    return end
  }
}
