import Analysis
import Basics

/// Writes the inventory as Digital Forensics XML 1.2.0 (github.com/dfxml-working-group/dfxml_schema), which other
/// forensic tools read. What DFXML has no element for is in a namespace of apnsift.
package final class DFXMLWriter: EvidenceSink {
  private let output: OutputBuffer
  private let begun = ContinuousClock.now
  /// Bytes of carved records without a gap, and the file in an image that has them.
  private var carved: (labels: StreamLabels, bytes: Range<Int>)?

  package init(_ output: OutputBuffer) { self.output = output }

  package var needs: EvidenceNeeds { [.inventory, .extents, .fileNames] }

  /// Writes the head, before the files.
  /// - Parameter sources: the inputs as they were named.
  package func begin(_ facts: RunFacts, sources: [String]) throws {
    let process = facts.process
    let directory = (process.directory ?? []).map { CChar(bitPattern: $0) }
    let program = facts.programSHA256.map { " apnsift:program_sha256=\"\($0)\"" } ?? ""
    try output.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <dfxml xmlns="http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:apnsift="urn:apnsift:inventory:1" version="1.2.0">
        <metadata>
          <dc:type>Hash List</dc:type>
        </metadata>
        <creator\(program)>
          <program>apnsift</program>
          <version>\(XMLText.escaped(facts.version))</version>
          <build_environment>
            <compiler>\(RunFacts.compiler)</compiler>
          </build_environment>
          <execution_environment apnsift:directory="\(Self.exact(DirectoryEntry.text(of: directory)))">
            <os_sysname>\(XMLText.escaped(process.system))</os_sysname>
            <os_release>\(XMLText.escaped(process.release))</os_release>
            <os_version>\(XMLText.escaped(process.version))</os_version>
            <host>\(XMLText.escaped(process.host))</host>
            <arch>\(XMLText.escaped(process.machine))</arch>
            <command_line>\(XMLText.escaped(facts.commandLine))</command_line>
            <uid>\(process.userID)</uid>
      \(process.userName.map { "      <username>\(XMLText.escaped($0))</username>\n" } ?? "")\
            <start_time>\(facts.startedAt)</start_time>
          </execution_environment>
          <library name="libcrypto" version="\(XMLText.escaped(RunFacts.cryptoLibrary))"/>
        </creator>
        <source>
      \(sources.map { "    <image_filename>\(Self.exact($0))</image_filename>\n" }.joined())\
        </source>

      """)
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard records.labels.carving != nil else { return }
    try records.eachFile { part in
      let (run, file) = (part.run, part.labels.file)
      let start = part.origin.fileOffset(of: run.offset)
      let last = part.origin.fileOffset(of: run.offset &+ run.count &* run.stride &- 1)
      let end = last &+ part.origin.spacing.stride
      if let (labels, bytes) = carved, labels.source == part.labels.source, bytes.upperBound == start,
        (labels.file?.path, labels.file?.inode, labels.file?.state) == (file?.path, file?.inode, file?.state)
      {
        carved = (labels, bytes.lowerBound..<end)
      } else {
        try writeCarved()
        carved = (part.labels, start..<end)
      }
    }
  }

  /// Writes what was collected, as a file with a run of bytes.
  private func writeCarved() throws {
    guard let (labels, bytes) = carved else { return }
    carved = nil
    let file = labels.file
    // Text and packets have other bytes between those of records.
    let length = labels.carving?.form == .binary ? " len=\"\(bytes.count)\"" : ""
    try append([
      ("filename", file?.path.map { Self.exact($0) }),
      ("unalloc", file?.state == .deleted ? "1" : nil), ("alloc", file?.state == .allocated ? "1" : nil),
      ("inode", file?.inode.map { "\($0)" }),
      ("byte_runs", "<byte_run img_offset=\"\(bytes.lowerBound)\"\(length)/>"),
      ("apnsift:image", Self.exact(labels.source)), ("apnsift:state", file?.state?.rawValue),
    ])
  }

  package func inputEnded(_ input: InputRecord) throws {
    try writeCarved()
    let failed = input.verdict == .unreadable || input.verdict == .partial
    // In the order of the schema.
    try append([
      ("filename", Self.exact(input.source)),
      ("error", failed ? input.reason.map(XMLText.escaped) : nil),
      ("name_type", input.status.flatMap { Self.letters[$0.kind] }),
      ("filesize", input.size.map { "\($0)" }),
      ("mtime", input.modifiedAt?.text),
      ("link_target", input.linkTarget.map { Self.exact($0) }),
      ("libmagic", input.content.map(XMLText.escaped)),
      ("hashdigest type=\"sha256\"", input.digests[.sha256]),
      ("hashdigest type=\"md5\"", input.digests[.md5]),
      ("apnsift:verdict", input.verdict.rawValue),
      ("apnsift:medium_md5", input.mediumMD5),
      (
        "apnsift:acquisition",
        input.acquisition.isEmpty ? nil : XMLText.escaped(input.acquisition.joined(separator: "; "))
      ),
      ("apnsift:format", input.format),
      ("apnsift:compression", input.compression),
      ("apnsift:reason", failed ? nil : input.reason.map(XMLText.escaped)),
      ("apnsift:records", input.records.map { "\($0)" }),
      ("apnsift:findings", "\(input.findings)"),
    ])
  }

  private func append(_ elements: [(tag: String, value: String?)]) throws {
    try output.append("  <fileobject>\n")
    for (tag, value) in elements {
      guard let value else { continue }
      try output.append("    <\(tag)>\(value)</\(tag.prefix { $0 != " " })>\n")
    }
    try output.append("  </fileobject>\n")
  }

  /// Writes the end, with the resources that the run used.
  package func end() throws {
    try writeCarved()
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    let clock = (ContinuousClock.now - begun) / .seconds(1)
    try output.append(
      """
        <rusage>
          <utime>\(Self.seconds(usage.ru_utime))</utime>
          <stime>\(Self.seconds(usage.ru_stime))</stime>
          <maxrss>\(usage.ru_maxrss)</maxrss>
          <minflt>\(usage.ru_minflt)</minflt>
          <majflt>\(usage.ru_majflt)</majflt>
          <nswap>\(usage.ru_nswap)</nswap>
          <inblock>\(usage.ru_inblock)</inblock>
          <oublock>\(usage.ru_oublock)</oublock>
          <clocktime>\(clock)</clocktime>
        </rusage>
      </dfxml>

      """)
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// Those of `name_type`.
  private static let letters: [FileStatus.Kind: String] = [
    .file: "r", .directory: "d", .link: "l", .pipe: "p", .socket: "s", .characterDevice: "c",
    .blockDevice: "b",
  ]

  /// A name for XML from which its bytes can be had again: backslashes, hidden characters and bytes that are not UTF-8 are
  /// `\\xNN`, as bulk_extractor writes them.
  static func exact(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let text = scalars.indices.map { index in
      let one = String(scalars[index])
      let isPlain =
        one == "\\" ? DirectoryEntry.beginsEscape(name.utf8[index...]) : VisibleText.of(one) == one
      return isPlain ? one : one.utf8.map { "\\x" + Hex.string([$0], letterCase: .upper) }.joined()
    }
    return XMLText.escaped(text.joined())
  }
}
