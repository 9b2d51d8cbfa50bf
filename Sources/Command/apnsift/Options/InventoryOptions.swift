import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports
import StreamInputs

/// Lists of all files among the inputs, in the forms of other tools.
struct InventoryOptions: ParsableArguments {
  @Option(help: .init("Also write the SHA-256 of every file, for sha256sum -c.", valueName: "FILE"))
  var checksums: String?
  @Option(help: .init("Also write all files as Digital Forensics XML.", valueName: "FILE"))
  var dfxml: String?
  @Option(help: .init("Also write the SHA-256 of inputs and outputs, with the command.", valueName: "FILE"))
  var manifest: String?
  @Flag(help: "Compute the MD5 of files, too.")
  var md5 = false

  var digests: DigestKinds { md5 ? [.sha256, .md5] : [.sha256] }

  /// Throws a usage error if an output cannot be in the manifest.
  /// - Parameter output: the file of `-o`; nil for standard output.
  func check(output: String?) throws {
    if manifest != nil, output ?? "-" == "-" {
      throw ValidationError(
        "--manifest lists output files, so standard output cannot be one: name a file with -o")
    }
  }

  /// Opens the files, after all others of the command, and writes the head of each.
  /// - Parameter version: of apnsift.
  func open(_ outputs: OutputSet, _ input: InputOptions, version: String) throws -> InventoryOutputs {
    let facts = dfxml == nil && manifest == nil ? nil : RunFacts(version: version)
    let written = InventoryOutputs(
      outputs: outputs,
      checksums: try checksums.map { ChecksumWriter(try outputs.open("--checksums", $0)) },
      dfxml: try dfxml.map { DFXMLWriter(try outputs.open("--dfxml", $0)) },
      manifest: try manifest.map { ManifestWriter(try outputs.open("--manifest", $0)) })
    if let facts {
      try written.dfxml?.begin(facts, sources: input.names)
      try written.manifest?.begin(facts)
    }
    return written
  }
}

/// The open files of `InventoryOptions`.
struct InventoryOutputs {
  fileprivate let outputs: OutputSet
  fileprivate let checksums: ChecksumWriter?
  fileprivate let dfxml: DFXMLWriter?
  fileprivate let manifest: ManifestWriter?

  var sinks: [(any EvidenceSink)?] { [checksums, dfxml, manifest] }

  /// Completes all outputs of the command, the manifest last.
  /// - Parameter others: the paths of files that are complete, and not in the set of outputs.
  func finish(others: [String] = []) throws {
    try dfxml?.end()
    try outputs.finish(besides: others, listing: manifest?.end)
    if let count = checksums?.leftOut, count > 0 {
      Console.note(
        "\(Count.of(count, "input")) left out of --checksums: standard input, pipes and devices cannot "
          + "be verified again")
    }
  }
}
