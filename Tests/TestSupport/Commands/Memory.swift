import Foundation
import Testing

extension ChildProcess {
  /// The peak memory so far in bytes, without its code, of which more or less is mapped. (What wait4 says of a spawned
  /// child counts the test runner's own memory in.) Nil where the system does not say.
  package var peakMemory: Int? {
    let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    func bytes(_ name: String) -> Int? {
      let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
      let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
      return kibibytes.flatMap { Int($0) }.map { $0 << 10 }
    }
    guard let peak = bytes("VmHWM:"), let code = bytes("RssFile:") else { return nil }
    return peak - code
  }
}

extension TestDirectory {
  /// Starts the command, and gives it what `write` writes. Before it ends, its memory must be below `limit`.
  package func expectMemory(
    below limit: Int, of arguments: [String], _ write: (Descriptor) throws -> Void
  ) throws {
    let (reading, writing) = try CommandTestSupport.makePipe()
    let child = try start(arguments, input: reading.number)
    reading.close()
    try write(writing)
    #if os(Linux)
      let peak = try #require(child.peakMemory)
      #expect(peak < limit, "\(arguments): \(peak) bytes")
    #endif
    writing.close()
    #expect(try child.wait() == .exit(0))
  }

  /// Runs the command, and says how much memory it had at most, in bytes. Python asks the system, as what the
  /// test runner would get includes its own memory.
  package func measured(_ arguments: String...) throws -> (outcome: Outcome, peak: Int) {
    let script = """
      import os, resource, subprocess, sys
      code = subprocess.run([os.environ["APNSIFT"], *sys.argv[1:]]).returncode
      unit = 1 if sys.platform == "darwin" else 1024
      with open("peak", "w") as file:
          file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit))
      sys.exit(code)
      """
    let words = ["python3", "-c", script] + arguments
    let outcome = try run("/usr/bin/env", words.map { Array($0.utf8) })
    return (outcome, try #require(Int(try text(of: "peak"))))
  }
}
