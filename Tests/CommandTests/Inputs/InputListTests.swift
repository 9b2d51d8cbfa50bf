import Basics
import CommandTestSupport
import Testing

@Suite("Lists of inputs (--files-from)")
struct InputListTests {
  private let directory = TestDirectory()

  /// A list of two dumps, of which one has a name with a line break if the form allows one.
  static let lists: [(form: String, list: String, names: [String])] = [
    ("lines", "a.bin\nb.bin\n", ["a.bin", "b.bin"]),
    ("lines without the last end, and an empty one", "a.bin\n\nb.bin", ["a.bin", "b.bin"]),
    ("lines of Windows", "a.bin\r\nb.bin\r\n", ["a.bin", "b.bin"]),
    ("names that look like options and patterns", "--from\n*.bin\n", ["--from", "*.bin"]),
    ("NUL", "a.bin\0line\nend.bin\0", ["a.bin", "line\nend.bin"]),
  ]

  @Test("a list in a file and on standard input, after the arguments", arguments: lists)
  func forms(_ form: String, _ list: String, _ names: [String]) throws {
    for name in ["first.bin"] + names { try directory.write(feedback(tuples(2)), to: name) }
    try directory.write(list, to: "list")
    let sources = (["first.bin"] + names).flatMap { [$0, $0] }
    for command in ["--files-from list", "--files-from - <list"] {
      let outcome = try directory.shell("\"$APNSIFT\" export first.bin \(command) --columns source").exits(0)
      #expect(outcome.rows.map { $0[0] } == sources, "\(form)")
    }
  }

  @Test("a name that is not UTF-8")
  func bytes() throws {
    let name = Array("x".utf8) + [0xff] + Array(".bin".utf8)
    try directory.write(feedback(tuples(2)), to: "x.bin")
    // Not every file system has such names.
    guard try directory.run("/bin/mv", [Array("x.bin".utf8), name]).code == 0 else { return }
    try directory.write(name, to: "list")
    let outcome = try directory.apnsift("export --files-from list --columns source".words)
    #expect(outcome.lines == ["source", "x\\xFF.bin", "x\\xFF.bin"])
  }

  @Test("more names than the arguments of a program can be")
  func many() throws {
    try directory.write(feedback(tuples(2)), to: "a.bin")
    let name = String(repeating: "./", count: 2000) + "a.bin"
    try directory.write(String(repeating: name + "\n", count: 1000), to: "list")
    let outcome = try directory.apnsift("export --files-from list --columns offset --quiet".words)
    #expect(outcome.lines.count == 2001)
  }

  static let wrong: [(list: String, message: Message)] = [
    ("", "--files-from list: the list is empty; expected names of files or directories"),
    ("\n\n", "--files-from list: the list is empty; expected names of files or directories"),
    (
      "a.bin\n" + String(repeating: "x", count: 5000),
      "--files-from list: line 2 has 5000 bytes, which no path has; expected names of files"
    ),
    ("-\n-\n", "standard input (-) can be read only once"),
  ]

  @Test("a list that cannot be used", arguments: wrong)
  func refused(_ list: String, _ message: Message) throws {
    try directory.write(list, to: "list")
    try directory.apnsift("export", "--files-from", "list").exits(64, saying: message)
    let missing = try directory.apnsift("inspect", "--files-from", "gone")
    #expect(missing.said("--files-from gone: cannot be opened: No such file or directory"))
  }
}
