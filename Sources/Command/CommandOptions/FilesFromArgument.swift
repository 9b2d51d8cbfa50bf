import ArgumentParser
import Basics
import PacketCapture
import StreamInputs

/// A list of inputs: names one a line or, if it has a NUL byte, separated by NUL (docs/spec/interface.md#input-options).
struct FilesFromArgument: ExpressibleByArgument {
  /// Bytes of a list.
  private static let limit = 1 << 30
  /// Bytes of a path that a system takes, with its NUL (PATH_MAX of Linux).
  private static let longestPath = 4096

  let name: String
  let inputs: [Input]
  /// Why the list cannot be used.
  let message: Message?

  init?(argument: String) {
    name = argument
    do throws(InputError) {
      let list = Input(argument).of(option: "--files-from")
      inputs = try Self.inputs(in: try InputFile.content(of: list, limit: Self.limit))
      message = nil
    } catch {
      (inputs, message) = ([], .about("--files-from \(argument)", error.located))
    }
  }

  private static func inputs(in content: [UInt8]) throws(InputError) -> [Input] {
    if content.count > limit { throw InputError("the list is longer than \(ByteSize.text(limit))") }
    let hasLines = !content.contains(0)
    // Editors of Windows put a byte order mark in front.
    let text = hasLines && content.starts(with: [0xef, 0xbb, 0xbf]) ? content.dropFirst(3) : content[...]
    let names = text.split(separator: hasLines ? UInt8(ascii: "\n") : 0, omittingEmptySubsequences: false)
    var inputs: [Input] = []
    for (index, name) in names.enumerated() {
      let path = hasLines && name.last == UInt8(ascii: "\r") ? name.dropLast() : name
      if path.isEmpty { continue }
      guard path.count < longestPath else {
        let unit: Message = hasLines ? "line" : "name"
        throw InputError("\(unit) \(index + 1) has \(path.count) bytes, which no path has; expected \(form)")
      }
      let bytes = path.map { CChar(bitPattern: $0) } + [0]
      inputs.append(Input(DirectoryEntry.text(of: bytes), path: bytes))
    }
    if inputs.isEmpty { throw InputError("the list is empty; expected \(form)") }
    return inputs
  }

  private static let form: Message = "names of files or directories, one a line or separated by NUL"
}
