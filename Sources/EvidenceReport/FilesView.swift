import Analysis

/// The files among the inputs in the page: those that were read, and all others.
struct FilesView {
  /// An input that was read.
  struct Read {
    let source: String
    let format: String
    let records: String
    let size: String
    let digest: String
    let sameBytesAs: String?
    let fault: String?

    init(_ input: InputSummary, _ file: InputRecord?) {
      source = input.source
      let compression = input.compressionText
      let kind = input.captureKind.map { "\($0) capture" } ?? input.format ?? "not read"
      let packets = input.packets.map { ", \(Figures.count($0, "packet"))" } ?? ""
      let isPart = file?.verdict == .partial || file?.verdict == .unreadable
      format = kind + compression + packets + (isPart ? ", not read in full" : "")
      records = file?.records.map(Figures.grouped) ?? "–"
      size = Figures.size(input.bytes)
      digest = input.sha256 ?? "unknown"
      sameBytesAs = input.sameBytesAs
      fault = isPart ? file?.reason : nil
    }
  }

  /// A file that was not read.
  struct Other {
    let source: String
    let why: String
    let size: String
    let digest: String?

    init(_ file: InputRecord) {
      source = file.source
      let target = file.linkTarget.map { " (link to \($0))" } ?? ""
      why = Self.why(file) + target
      size = file.size.map(Figures.size) ?? "–"
      digest = file.digests.sha256
    }

    private static func why(_ file: InputRecord) -> String {
      let reason = file.content ?? file.reason
      switch file.verdict {
      case .part: return "a part of a disk image, read with the first one"
      case .known: return "left out: its hash is in a list of known files"
      case .notAFile: return "not followed or read" + (reason.map { ": \($0)" } ?? "")
      case .unreadable: return "could not be read" + (reason.map { ": \($0)" } ?? "")
      default: return "skipped" + (reason.map { ": \($0)" } ?? "")
      }
    }
  }

  let inputs: [Read]
  let others: [Other]
  let hasOthers: Bool
  /// How many files there are, by what became of them.
  let counts: String
  let hasCounts: Bool
  let isCut: Bool
  let shown: String
  let command: String

  init(_ page: ReportPage) {
    // An archive comes before its members among the inputs, and after them among the files.
    var read = Dictionary(grouping: page.files.lazy.filter { $0.format != nil }.reversed(), by: \.source)
    inputs = page.inputs.map { Read($0, read[$0.source]?.popLast()) }
    let rest = page.files.filter { $0.format == nil }
    others = rest.prefix(page.maxFiles).map(Other.init)
    hasOthers = !rest.isEmpty
    counts = Self.counts(page.files)
    hasCounts = !page.files.isEmpty
    isCut = others.count < rest.count
    shown = Figures.part(others.count, of: rest.count, "listed")
    command = page.commands.files
  }

  private static func counts(_ files: [InputRecord]) -> String {
    let words: [(InputRecord.Verdict, String)] = [
      (.decoded, "read"), (.carved, "searched for records"), (.partial, "read in part"),
      (.part, "parts of disk images"), (.empty, "empty"),
      (.skipped, "skipped"), (.known, "left out as known"), (.unreadable, "unreadable"),
      (.notAFile, "not regular files"),
    ]
    let parts = words.compactMap { verdict, word in
      let count = files.count { $0.verdict == verdict }
      return count > 0 ? "\(Figures.grouped(count)) \(word)" : nil
    }
    return "\(Figures.count(files.count, "file")): \(parts.joined(separator: ", "))"
  }
}
