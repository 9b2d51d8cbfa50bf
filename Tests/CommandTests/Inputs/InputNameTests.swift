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
    try directory.write(feedback(tuples(2)), to: "dumps/x.bin")
    // Not every file system has such names.
    guard try directory.run("/bin/mv", [Array("dumps/x.bin".utf8), name]).code == 0 else { return }
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
      try directory.write(feedback(tuples(1, from: index)), to: "new")
      let moved = try directory.run(
        "/bin/mv", [Array("new".utf8), Array("dumps/x".utf8) + name + Array(".bin".utf8)])
      guard moved.code == 0 else { return }
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
}
