import Basics
import PacketCapture

/// Decides in which format an input is read: as the options say, or by its content.
struct FormatDetection: Sendable {
  var options: ReadingOptions
  var contentProbes: [FormatProbe]

  /// The format to read `input` in; nil, with the reason in the report, if it is not read.
  /// - Parameters:
  ///   - head: its first bytes, up to `FormatProbes.headLength`, or more of text with long lines.
  ///   - block: its first bytes, as far as they have been read.
  ///   - isWhole: whether the head has all bytes.
  func format(
    of input: Input, head: [UInt8], block: ArraySlice<UInt8>, isWhole: Bool, report: inout InputReport
  ) -> InputFormat? {
    guard
      let format = options.format ?? recognise(input, head: head, block, isWhole: isWhole, report: &report)
    else { return nil }
    if options.format == .dump(.raw) || options.format == .carve {
      noteStored(head, isWhole: isWhole, report: &report)
    }
    if options.joins, format != .capture {
      report.errors.append(InputError("not a capture, and --join joins captures only"))
      return nil
    }
    if input.half != nil, !format.isDump {
      report.errors.append(
        InputError("contains whole streams: --requests and --responses take dumps of one direction each"))
      return nil
    }
    return format
  }

  /// Bytes are searched or decoded as they are stored: notes what they are, if there may be more inside.
  private func noteStored(_ head: [UInt8], isWhole: Bool, report: inout InputReport) {
    if let archive = ArchiveFormat(of: head) {
      report.recognition = .unsearched(.archive(archive.rawValue))
      return
    }
    let found = FormatProbes.recognise(
      head, isWhole: isWhole, inside: report.compression, content: contentProbes, lines: options.lines,
      isStored: true)
    switch found {
    case .unsearched: report.recognition = found
    case .packed: report.recognition = .unsearched(.compressedData)
    case .format(.dump(.raw)), .image, .known, .nothing, .imageSegment: break
    case .format(let format) where options.format == .carve:
      report.undecoded = "looks like --from \(format.name): use apnsift export, which reads it"
    case .foreign(let kind, let remedy) where options.format == .carve:
      report.undecoded = "is \(kind): \(remedy)"
    case .format, .foreign: break
    }
  }

  private func recognise(
    _ input: Input, head: [UInt8], _ block: ArraySlice<UInt8>, isWhole: Bool, report: inout InputReport
  ) -> InputFormat? {
    report.recognition = FormatProbes.recognise(
      head, isWhole: isWhole, inside: report.compression, content: contentProbes, lines: options.lines)
    switch report.recognition {
    case .format(let format): return format
    case .foreign(let kind, let remedy):
      report.isSkipped = !input.isNamed
      if input.isNamed { report.errors.append(InputError("is \(kind): \(remedy)", fileOffset: 0)) }
      return nil
    case .imageSegment: return nil
    case .packed(let message):
      // In a directory, too: skipped evidence must not go unnoticed.
      report.errors.append(InputError(message, fileOffset: 0))
      return nil
    case .image: return .carve
    case .known, .unsearched:
      report.isSkipped = true
      return nil
    case .nothing:
      guard options.carvesUnknown, !options.joins, input.half == nil else {
        report.isSkipped = !input.isNamed
        return input.isNamed ? .dump(.raw) : nil
      }
      // Raw reading finds tuples, but no text and no requests among other bytes.
      guard input.isNamed, !carvesMoreThanTuples(block) else { return .carve }
      let dump = UnreadableDump.kind(ofUnknown: TextHead(head, isWhole: isWhole))
      guard case .foreign(let kind, let remedy)? = dump else { return .dump(.raw) }
      report.recognition = .foreign(kind: kind, remedy: remedy)
      report.errors.append(InputError("is \(kind): \(remedy)", fileOffset: 0))
      return nil
    }
  }

  /// Whether carving finds requests or text in the first block.
  private func carvesMoreThanTuples(_ block: ArraySlice<UInt8>) -> Bool {
    var source = CarveSource(options.carving, capture: options.capture)
    var batch = EventBatch()
    reading: while true {
      switch source.read(block.span.bytes, from: 0, windowOffset: 0, isLast: true, into: &batch) {
      case .isFull: batch.removeAll()
      case .needsBytes, .ended: break reading
      }
    }
    return source.hasRequests || source.leftOut.inUse > 0 || !source.found.isSubset(of: [.binary])
  }
}

extension Input {
  /// The files of a disk image, if it has file systems, as its first bytes say; nil for all else.
  package var filesOfImage: [[CChar]]? {
    var head = [UInt8](repeating: 0, count: FormatProbes.headLength)
    // Opening a pipe would take its data from the reader.
    guard let path, [.file, .blockDevice].contains(status?.kind), var file = try? InputFile(self),
      let filled = try? file.fill(&head, from: 0), [nil, EWFImage.name].contains(file.encoding),
      DiskImages.hasFileSystems(Array(head.prefix(filled)))
    else { return nil }
    return [path] + parts
  }
}
