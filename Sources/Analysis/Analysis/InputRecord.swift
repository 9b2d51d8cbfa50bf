import Basics
import PacketCapture
import StreamInputs

/// What became of a file among the inputs: a row of the inventory.
package struct InputRecord: Equatable, Sendable {
  /// One word for what became of it.
  package enum ReadStatus: String, CaseIterable, Sendable {
    /// Read in full, in a known or chosen format. It may have no records.
    case decoded
    /// Read in part: damage or an error ended it.
    case partial
    /// Searched for records, whatever its format.
    case carved
    /// A part of a disk image in several files, which is read with the first one.
    case part
    /// It has no bytes.
    case empty
    /// Not read: it has no known format, or one that is not supported.
    case skipped
    /// Left out: its hash is in a list of known files.
    case known
    /// Left out: an earlier input has the same bytes.
    case copy
    /// Nothing of it could be read.
    case unreadable
    /// A link, pipe, socket or device in a directory, which is not followed or read.
    case notAFile = "not-a-file"
  }

  package var source: String
  /// The path for system calls, NUL-terminated: not every file name is UTF-8. Nil for standard input.
  package var path: [CChar]?
  /// Nil if the file does not exist, and for members of archives.
  package var status: FileStatus?
  package var member: ArchiveMember?
  /// Bytes on disk. If there are digests, they are of these bytes. Nil if unknown, and for what has no size.
  package var size: Int?
  package var digests = FileDigests()
  package var verdict: ReadStatus
  /// Whether it is one of several files that form one stream or capture.
  var isShared = false
  /// Whether it is the first file of a split image.
  var isFirstPart = false
  /// The format as a value of `--from`; nil if it was not read.
  package var format: String?
  package var compression: String?
  /// What an E01 image says of its acquisition, and of the MD5 of the medium.
  package var acquisition: [String] = []
  package var mediumMD5: String?
  /// What read the lines of a log: `json 20, pushy 4 of 26 lines`; nil for other files.
  package var forms: String?
  /// What a file is that was not read, such as `an SQLite database`; nil if unknown.
  package var content: String?
  /// Why it was not read, or not in full.
  package var reason: String?
  /// What it is whose inside was not searched; nil for others.
  package var unsearched: String?
  /// Bytes of content that were searched for records, whatever they are of.
  package var searchedBytes = 0
  /// Records and findings in it; records are nil if it is one of several files that form one stream or capture.
  package var records: Int?
  package var findings = 0
  /// An earlier input with the same bytes; nil if none is known.
  package var sameBytesAs: String?

  package init(_ input: Input, _ verdict: ReadStatus, reason: Message? = nil) {
    source = input.name
    (path, isShared) = (input.path, input.isShared)
    self.verdict = verdict
    self.reason = reason?.text
    member = input.member
    if !input.isMember { status = input.path.map { FileStatus(at: $0) } ?? FileStatus(of: STDIN_FILENO) }
    size = status?.size
  }

  init(_ report: InputReport, of input: Input, sameBytesAs first: String?) {
    self.init(input, Self.verdict(report))
    digests = report.digests
    if report.format != nil || digests != FileDigests() || input.isMember { size = report.bytes }
    format = report.format?.name ?? report.archiveFormat?.rawValue
    compression = report.compression
    (acquisition, mediumMD5) = report.acquisition
    isFirstPart = report.parts > 1
    searchedBytes = report.isSearched ? report.contentBytes : 0
    content = Self.content(report.recognition)
    unsearched = report.unsearched?.text
    reason = report.errors.first?.located.text ?? unsearched
    if reason == nil, report.lostMembers > 0 {
      reason = "\(Count.of(report.lostMembers, "file")) in it not read in full"
    }
    if verdict == .skipped, reason == nil, content == nil { reason = Message.unknownFormat.text }
    sameBytesAs = first
  }

  mutating func hashFile(_ kinds: DigestKinds) {
    guard let path, digests == FileDigests() || isFirstPart else { return }
    let file = FileDigests.of(Input(source, path: path), kinds)
    digests = file?.digests ?? FileDigests()
    size = file?.bytes ?? status?.size
  }

  private static func verdict(_ report: InputReport) -> ReadStatus {
    if report.archiveFormat != nil {
      if report.errors.isEmpty, report.lostMembers == 0 { return .decoded }
      return report.members > 0 ? .partial : .unreadable
    }
    if case .imageSegment = report.recognition { return report.errors.isEmpty ? .part : .unreadable }
    guard let format = report.format else {
      return report.isSkipped || report.recognition != .nothing ? .skipped : .unreadable
    }
    if !report.errors.isEmpty { return report.contentBytes > 0 ? .partial : .unreadable }
    if report.contentBytes == 0 { return .empty }
    return format == .carve ? .carved : .decoded
  }

  private static func content(_ recognition: Recognition) -> String? {
    switch recognition {
    case .foreign(let kind, _), .known(let kind), .image(let kind), .unsearched(let kind): kind.text
    case .format, .packed, .imageSegment, .nothing: nil
    }
  }

  package var modifiedAt: CaptureTime? {
    if let seconds = member?.modified { return CaptureTime(seconds: Int64(seconds), fraction: 0, digits: 0) }
    return status.map {
      CaptureTime(seconds: $0.modifiedAt.seconds, fraction: UInt64($0.modifiedAt.nanoseconds), digits: 9)
    }
  }

  package var linkTarget: String? {
    get { status?.linkTarget.map { DirectoryEntry.text(of: $0) } }
    set { status?.linkTarget = newValue.map { Array($0.utf8CString) } }
  }
}

extension InputReport {
  /// What is not searched, because it may be compressed or encoded; nil if nothing is known of such content.
  var unsearched: Message? {
    switch recognition {
    case .unsearched(let kind) where format != nil: .searchedOnlyAsStored(kind)
    case .unsearched(let kind): "\(kind), not searched inside"
    case .foreign(let kind, _) where isSkipped: "\(kind), not searched inside"
    default: nil
    }
  }
}
