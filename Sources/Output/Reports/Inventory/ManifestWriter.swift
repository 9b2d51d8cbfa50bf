import Analysis
import Basics
import StreamInputs

/// Lists all files that a run reads, and its outputs, with their size and SHA-256. `sha256sum -c` verifies the list: it ignores the
/// lines that begin with `#`, which have the facts of the run.
package final class ManifestWriter: EvidenceSink {
  private let output: OutputBuffer

  package init(_ output: OutputBuffer) { self.output = output }

  package var needs: EvidenceNeeds { .inventory }

  /// Writes the head, before the inputs.
  package func begin(_ facts: RunFacts) throws {
    let process = facts.process
    try remark("Manifest of a run of apnsift. Verify it in this directory: sha256sum -c FILE")
    try remark("program: apnsift \(facts.version)")
    try remark("program SHA-256: \(facts.programSHA256 ?? "unknown")")
    try remark("command: \(facts.commandLine)")
    try remark("directory: \(process.directory.map { ShellWord.quoted($0) } ?? "unknown")")
    try remark("host: \(process.host), \(process.system) \(process.release) \(process.machine)")
    try remark("user: \(process.userName.map { "\($0) (\(process.userID))" } ?? "\(process.userID)")")
    try remark("started: \(facts.startedAt)")
    try remark("")
    try remark("Inputs")
  }

  package func inputEnded(_ input: InputRecord) throws {
    let size = input.size.map { "\(Count.of($0, "byte")), " } ?? ""
    let records = input.records.map { $0 > 0 ? ", \(Count.of($0, "record"))" : "" } ?? ""
    let remark = "\(size)\(input.verdict.rawValue)\(records)"
    if let digest = input.digests[.sha256], input.isFile, let path = input.path {
      try self.remark(remark)
      try output.append(ChecksumWriter.line(digest, path: path.dropLast().map { UInt8(bitPattern: $0) }))
    } else {
      let digest = input.digests[.sha256].map { ", SHA-256 \($0)" } ?? ""
      try self.remark("\(remark)\(digest): \(VisibleText.of(input.source))")
    }
  }

  /// Writes the other files that were read, and the outputs, which are complete.
  package func end(outputs: [String]) throws {
    let others = ReadFiles.ofOptions
    if !others.isEmpty {
      try remark("")
      try remark("Other files that were read")
      for file in others { try list(file.path, ", \(file.use)") }
    }
    try remark("")
    try remark("Outputs")
    for path in outputs { try list(Array(path.utf8CString), "") }
    try remark("")
    try remark("finished: \(RunFacts.text(ProcessFacts.now()))")
  }

  private func list(_ path: [CChar], _ use: String) throws {
    let name = VisibleText.of(DirectoryEntry.text(of: path))
    if use.hasSuffix("--passphrase-file") {
      return try remark("\(name)\(use), without SHA-256: it could be found by trying passphrases")
    }
    guard let file = FileDigests.of(Input(name, path: path), [.sha256]), let digest = file.digests[.sha256]
    else { return try remark("\(name)\(use), not a file that can be read again") }
    try remark(Count.of(file.bytes, "byte") + use)
    try output.append(ChecksumWriter.line(digest, path: path.dropLast().map { UInt8(bitPattern: $0) }))
  }

  private func remark(_ text: String) throws { try output.append(text.isEmpty ? "#\n" : "# \(text)\n") }
}
