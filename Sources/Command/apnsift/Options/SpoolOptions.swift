import ArgumentParser
import Basics
import StreamInputs

/// What becomes of the files of a spool after their replay (docs/spec/interface.md#replay).
struct SpoolOptions: ParsableArguments {
  @Option(
    help: .init("After the commit, move files that were replayed, also earlier, to DIR.", valueName: "DIR"))
  var moveDone: String?
  @Option(
    help: .init("After the commit, move files that could not be read in full to DIR.", valueName: "DIR"))
  var moveFailed: String?

  /// Before anything is read or changed.
  /// - Parameter sources: the directories that are read.
  func check(_ sources: [String]) throws {
    for (option, path) in [("--move-done", moveDone), ("--move-failed", moveFailed)] {
      guard let path else { continue }
      guard let target = DirectoryEntry.resolved(path), access(target + "/.", W_OK) == 0 else {
        throw CommandError(
          "\(option) \(path) is no directory that can be written: make it, or name another one")
      }
      let outer = sources.first { "\(target)/".hasPrefix((DirectoryEntry.resolved($0) ?? $0) + "/") }
      if let source = outer {
        throw CommandError("\(option) \(path) is in \(source), which is read: name a directory outside of it")
      }
    }
  }

  /// Moves the files, or says what a replay would do; false if a file could not be moved.
  func move(_ files: (done: [Input], failed: [Input]), isDryRun: Bool) -> Bool {
    [(files.done, moveDone), (files.failed, moveFailed)].reduce(true) { areMoved, move in
      guard let directory = move.1 else { return areMoved }
      if isDryRun {
        Console.note("\(Count.of(move.0.count, "file")) would be moved to \(directory); a dry run moves none")
        return areMoved
      }
      // A file that was named twice is moved once.
      let moved = move.0.filter { $0.status == nil || Self.move($0, to: directory) }
      if !moved.isEmpty { Console.note("moved \(Count.of(moved.count, "file")) to \(directory)") }
      return areMoved && moved.count == move.0.count
    }
  }

  private static func move(_ file: Input, to directory: String) -> Bool {
    if DirectoryEntry.move(file.path ?? [], into: Array(directory.utf8CString)) { return true }
    Console.say(.about(file.name, "cannot be moved to \(directory): \(SystemError.text())"))
    return false
  }
}
