import Analysis
import ArgumentParser
import Corpora
import Platform
import StreamInputs

/// What is read of a case, and how: the options of its description as `export` takes them, and its files. Their
/// names are relative to the case, as if the command ran in its directory.
struct CaseInputs {
  let options: InputOptions
  let walk: InputWalk

  init(_ directory: CaseDirectory, _ description: CaseDescription) throws(BrokenCase) {
    let words = description.options
    let isPair = words.contains { Self.names($0, "--requests") || Self.names($0, "--responses") }
    let names = isPair ? [] : directory.inputs.map { DirectoryEntry.text(of: $0) }
    guard isPair || !names.isEmpty else {
      throw BrokenCase(
        "expected an input, found none; put the bytes into a file whose name begins with \(CaseFiles.inputPrefix)"
      )
    }
    options = try Self.parse(words, inputs: names)
    if isPair {
      walk = InputWalk([], paired: try Self.pair(options, in: directory))
    } else {
      var inputs: [Input] = []
      for (name, file) in zip(names, directory.inputs) {
        inputs.append(try directory.input(name, file))
      }
      walk = InputWalk(inputs)
    }
  }

  private static func names(_ word: String, _ option: String) -> Bool {
    word == option || word.hasPrefix("\(option)=")
  }

  private static func parse(_ words: [String], inputs: [String]) throws(BrokenCase) -> InputOptions {
    let remedy = "correct the options in \(CaseFiles.description)"
    if let help = words.first(where: { ["-h", "--help", "--help-hidden", "--version", "--"].contains($0) }) {
      throw BrokenCase("expected options of export, found '\(help)'; \(remedy)")
    }
    let options: InputOptions
    do {
      options = try InputOptions.parse(words + inputs)
    } catch {
      let message = InputOptions.message(for: error)
      throw BrokenCase("its options cannot be read: \(message.shortened); \(remedy)")
    }
    if let word = options.inputs.first(where: { !inputs.contains($0) }) {
      throw BrokenCase(
        "expected options, found the word '\(word.shortened)'; inputs are the files \(CaseFiles.inputPrefix)* of the case"
      )
    }
    return options
  }

  private static func pair(
    _ options: InputOptions, in directory: CaseDirectory
  ) throws(BrokenCase) -> [Input] {
    var pair: [Input] = []
    for (name, half) in [(options.requests, Input.Half.requests), (options.responses, .responses)] {
      guard let name else { continue }
      guard isInside(name) else {
        throw BrokenCase(
          "expected a file of the case for --\(half), found '\(name.shortened)'; put the file beside \(CaseFiles.description)"
        )
      }
      var one = try directory.input(name)
      one.half = half
      pair.append(one)
    }
    return pair
  }

  /// Whether a name is that of a file in the directory, or below it.
  private static func isInside(_ name: String) -> Bool {
    !name.hasPrefix("/") && name != "-" && !name.split(separator: "/").contains("..")
  }
}

extension CaseSource {
  /// What `export` with the options of its description finds of a case.
  static func open(_ directory: CaseDirectory, _ description: CaseDescription) throws -> CaseSource {
    let inputs = try CaseInputs(directory, description)
    return CaseSource(memory: inputs.options.memory.bytes) { sinks in
      let analyzer = Analyzer(inputs.options.analysis, sinks: sinks)
      var examination = Examination(inputs.options, hashing: .all, walk: inputs.walk)
      try examination.run(analyzer)
      return (analyzer.summary, examination.inputs)
    }
  }
}
