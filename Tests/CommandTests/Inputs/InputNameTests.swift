import Basics
import CommandTestSupport
import Testing

@Suite("Names of inputs")
struct InputNameTests {
  private let directory = TestDirectory()

  static let names = [
    "with space.bin", "line\nend.bin", "comma,quote\".bin", "--from", "tab\t.bin", "ünï.bin",
    "\u{1b}[31m.bin", "-", "back\\slash.bin", "carriage\r.bin",
  ]

  /// Writes a dump to a file whose name has any bytes; false where the file system has no such names.
  private func write(_ tuples: [Tuple], to name: [UInt8]) throws -> Bool {
    try directory.write(feedback(tuples), to: "new")
    return try directory.run("/bin/mv", [Array("new".utf8), name]).code == 0
  }

  /// A name as an argument that is no option.
  private func argument(_ name: String) -> String { name.hasPrefix("-") ? "./\(name)" : name }

  @Test("reports name the input as it was given", arguments: names)
  func unusualNames(_ name: String) throws {
    try directory.write(feedback(tuples(2)), to: name)
    let source = argument(name)
    #expect(try directory.apnsift("export", source).exits(0).rows.map { $0[0] } == [source, source])
    let objects = try directory.export(source).objects
    #expect(objects.compactMap { $0["source"] as? String } == [source, source, source])
  }

  @Test("what people see of a name is one line without commands to the terminal", arguments: names)
  func visibleNames(_ name: String) throws {
    try directory.write(feedback(tuples(2)).dropLast(3), to: name)
    let inspected = try directory.apnsift("inspect", argument(name), "missing-\(name)").exits(2)
    for text in [inspected.text, inspected.errors] {
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }
    #expect(inspected.messages.count == 2, "\(inspected.errors)")
  }

  @Test("a name that is not UTF-8, by argument and in a directory")
  func namesOfBytes() throws {
    let name = Array("dumps/x".utf8) + [0xff, 0xfe] + Array(".bin".utf8)
    try directory.makeDirectory("dumps")
    guard try write(tuples(2), to: name) else { return }
    let expected = "dumps/x\\xFF\\xFE.bin"
    for input in [name, Array("dumps".utf8)] {
      let outcome = try directory.run(Command.path, [Array("export".utf8), input]).exits(0)
      #expect(outcome.rows.map { $0[0] } == [expected, expected])
    }
    let bare = try directory.run(Command.path, [name]).exits(0)
    #expect(bare.text.hasPrefix(expected))
  }

  @Test("names that differ only in bytes that are not UTF-8 are different in every output")
  func differentBytes() throws {
    // The last is the text of the first.
    let names = [[0xff], [0xfe], [0xc3], [0xe2, 0x82], Array("\\xFF".utf8)] as [[UInt8]]
    let texts = ["\\xFF", "\\xFE", "\\xC3", "\\xE2\\x82", "\\x5CxFF"].map { "dumps/x\($0).bin" }
    try directory.makeDirectory("dumps")
    for (index, name) in names.enumerated() {
      let name = Array("dumps/x".utf8) + name + Array(".bin".utf8)
      guard try write(tuples(1, from: index), to: name) else { return }
    }
    let inventory = "--records inputs --columns source"
    let csv = try directory.apnsift("export dumps \(inventory) --dfxml inputs.xml".words)
    #expect(Set(csv.lines.dropFirst()) == Set(texts))
    let objects = try directory.export("dumps").objects
    #expect(Set(objects.compactMap { $0["source"] as? String }) == Set(texts))
    // bulk_extractor's form: a backslash of the name is \x5C.
    let dfxml = try directory.text(of: "inputs.xml")
    let page = try directory.report(["dumps"]).html
    let inspected = try directory.apnsift("inspect", "dumps").text
    for text in texts {
      #expect(dfxml.contains("<filename>\(text)</filename>"))
      #expect(page.contains(text) && inspected.contains(text + "\n"))
    }
    _ = try directory.tool("tar", ["-cf", "all.tar", "dumps"])
    let members = try directory.apnsift("export all.tar \(inventory)".words)
    #expect(Set(members.lines.dropFirst()) == Set(texts.map { "all.tar!\($0)" } + ["all.tar"]))
  }

  @Test(
    "characters that cannot be seen are escaped", arguments: ["\u{200b}", "\u{feff}", "\u{2060}", "\u{ad}"])
  func invisible(_ character: String) throws {
    try directory.write(feedback(tuples(2)), to: "a\(character)b")
    let outcome = try directory.apnsift(
      "export", "a\(character)b", "missing\(character)", "-o", "all.csv", "--dfxml", "x")
    let inspected = try directory.apnsift("inspect", "a\(character)b").text
    for text in [outcome.errors, try directory.text(of: "x"), inspected] {
      #expect(text.unicodeScalars.allSatisfy { $0 != character.unicodeScalars.first })
    }
    #expect(inspected.hasPrefix("a\\u{"))
  }

  @Test("what is deeper than the longest path is named, and the rest is read")
  func deeperThanPaths() throws {
    try directory.write(feedback(tuples(2)), to: "dumps/a.bin")
    let script = """
      import os
      os.chdir("dumps")
      for _ in range(20):
          os.mkdir("d" * 250)
          os.chdir("d" * 250)
      open("lost.bin", "wb").close()
      """
    _ = try directory.tool("python3", ["-c", script])
    let outcome = try directory.apnsift("export", "dumps")
      .exits(2, saying: "cannot be read: \(SystemError.text(ENAMETOOLONG))")
    #expect(outcome.lines.count == 3)
  }

  // MARK: - Lists of names (--files-from)

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

  @Test("a name that is not UTF-8, in a list")
  func listedBytes() throws {
    let name = Array("x".utf8) + [0xff] + Array(".bin".utf8)
    guard try write(tuples(2), to: name) else { return }
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
