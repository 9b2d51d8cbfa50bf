import Basics
import CommandTestSupport
import Testing

@Suite("Lists of inputs (--files-from)")
struct InputListTests {
  private let directory = TestDirectory()

  /// A list of two dumps, of which one has a name with a line break if the form allows one.
  static let lists: [(form: String, list: [UInt8], names: [String])] = [
    ("lines", Array("a.bin\nb.bin\n".utf8), ["a.bin", "b.bin"]),
    ("lines without the last end, and an empty one", Array("a.bin\n\nb.bin".utf8), ["a.bin", "b.bin"]),
    ("lines of Windows", Array("a.bin\r\nb.bin\r\n".utf8), ["a.bin", "b.bin"]),
    ("names that look like options and patterns", Array("--from\n*.bin\n".utf8), ["--from", "*.bin"]),
    ("NUL", Array("a.bin\0line\nend.bin\0".utf8), ["a.bin", "line\nend.bin"]),
  ]

  @Test("a list in a file and on standard input, after the arguments", arguments: lists)
  func forms(_ form: String, _ list: [UInt8], _ names: [String]) throws {
    for name in ["first.bin"] + names { try directory.write(feedback(tuples(2)), to: name) }
    try directory.write(list, to: "list")
    let sources = (["first.bin"] + names).flatMap { [$0, $0] }
    for command in ["--files-from list", "--files-from - <list"] {
      let outcome = try directory.shell("\"$APNSIFT\" export first.bin \(command) --columns source").exits(0)
      #expect(parseCSV(outcome.text).dropFirst().map { $0[0] } == sources, "\(form)")
    }
  }

  @Test("a name that is not UTF-8")
  func bytes() throws {
    let name = Array("x".utf8) + [0xff] + Array(".bin".utf8)
    try directory.write(feedback(tuples(2)), to: "x.bin")
    // Not every file system has such names.
    guard try directory.run("/bin/mv", [Array("x.bin".utf8), name]).code == 0 else { return }
    try directory.write(name, to: "list")
    let outcome = try directory.apnsift("export", "--files-from", "list", "--columns", "source")
    #expect(parseCSV(outcome.text).map { $0[0] } == ["source", "x\\xFF.bin", "x\\xFF.bin"])
  }

  @Test("more names than the arguments of a program can be")
  func many() throws {
    try directory.write(feedback(tuples(2)), to: "a.bin")
    let name = String(repeating: "./", count: 2000) + "a.bin"
    try directory.write(String(repeating: name + "\n", count: 1000), to: "list")
    let outcome = try directory.apnsift("export", "--files-from", "list", "--columns", "offset", "--quiet")
    #expect(parseCSV(outcome.text).count == 2001)
  }

  static let wrong: [(list: String, message: String)] = [
    ("", "--files-from list: the list is empty; expected names of files or directories"),
    ("\n\n", "--files-from list: the list is empty; expected names of files or directories"),
    (
      "a.bin\n" + String(repeating: "x", count: 5000),
      "--files-from list: line 2 has 5000 bytes, which no path has; expected names of files"
    ),
    ("-\n-\n", "standard input (-) can be read only once"),
  ]

  @Test("a list that cannot be used", arguments: wrong)
  func refused(_ list: String, _ message: String) throws {
    try directory.write(list, to: "list")
    let outcome = try directory.apnsift("export", "--files-from", "list").exits(64)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    let missing = try directory.apnsift("inspect", "--files-from", "gone")
    #expect(missing.errors.contains("--files-from gone: cannot be opened: No such file or directory"))
  }
}
