import Analysis
import Basics
import StreamInputs
import TLSDecryption

/// The parsed options of a case, which are those of `export`.
package struct CaseOptions {
  /// The positional arguments.
  package var words: [String]
  /// The inputs of `--requests` and `--responses`.
  package var pair: [(name: String, half: Input.Half)]
  package var examination: Examination.Options
  /// Memory limit for the results, in bytes.
  package var memory: Int
  /// Reads the files of keys; the argument makes the input of a name.
  package var keys: (_ input: (String) throws -> Input) throws -> StreamKeys?

  package init(
    words: [String], pair: [(name: String, half: Input.Half)], examination: Examination.Options, memory: Int,
    keys: @escaping (_ input: (String) throws -> Input) throws -> StreamKeys?
  ) {
    (self.words, self.pair, self.examination, self.memory) = (words, pair, examination, memory)
    self.keys = keys
  }
}

extension CaseDirectory {
  /// The examination of the inputs, as `export` does it with the options of the description, and the memory limit for the
  /// results. Names are relative to the directory.
  /// - Parameter parse: parses the words of a command line.
  func examination(
    _ description: CaseDescription, parse: (_ words: [String]) throws(CommandError) -> CaseOptions
  ) throws(CommandError) -> (Examination, memory: Int) {
    let isPair = description.options.contains { word in
      ["--requests", "--responses"].contains(String(word.prefix { $0 != "=" }))
    }
    let names = isPair ? [] : inputs.map { DirectoryEntry.text(of: $0) }
    guard isPair || !names.isEmpty else {
      throw CommandError("no input; put the bytes into a file whose name begins with input.")
    }
    let words = description.options.map { String($0.prefix { $0 != "=" }) }
    if let word = words.first(where: Self.refused.contains) {
      throw CommandError("'\(word)' is not allowed in a case; correct the options in case.yml")
    }
    let options = try parse(description.options + names)
    if let word = options.words.first(where: { !names.contains($0) }) {
      throw CommandError("'\(word.shortened)' is not an option; the inputs of a case are its files input.*")
    }
    let keys = try keys(options)
    let named = try zip(names, inputs).map { name, file throws(CommandError) in try input(name, file) }
    let walk = try isPair ? InputWalk([], paired: pair(options.pair)) : InputWalk(named)
    var examination = Examination(walk, options.examination)
    // Cases already run in parallel.
    examination.options.jobs = 1
    examination.options.keys = keys
    return (examination, options.memory)
  }

  /// Of help, and with files that are no inputs.
  private static let refused = [
    "-h", "--help", "--help-hidden", "--version", "--", "--forms", "--known-hashes",
  ]

  private func keys(_ options: CaseOptions) throws(CommandError) -> StreamKeys? {
    do {
      return try options.keys { name in
        guard Self.isInside(name) else {
          throw CommandError("'\(name.shortened)' is not a file of the case; put the keys next to case.yml")
        }
        return try input(name)
      }
    } catch {
      throw error as? CommandError ?? CommandError(.verbatim("\(error)"))
    }
  }

  private func pair(_ pair: [(name: String, half: Input.Half)]) throws(CommandError) -> [Input] {
    try pair.map { name, half throws(CommandError) in
      guard Self.isInside(name) else {
        throw CommandError(
          "--\(half) must name a file of the case, not '\(name.shortened)'; put the file next to case.yml")
      }
      var one = try input(name)
      one.half = half
      return one
    }
  }

  /// Whether a name is that of a file in the directory or below it.
  private static func isInside(_ name: String) -> Bool {
    !name.hasPrefix("/") && name != "-" && !name.split(separator: "/").contains("..")
  }
}
