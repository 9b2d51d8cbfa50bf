import Basics
import Foundation
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Inputs named by arguments")
struct InputWalkTests {
  private let files = TemporaryFiles()

  @Test("files and standard input are inputs, in their order, whether they exist or not")
  func named() throws {
    let path = try files.write([1])
    let walk = InputWalk(["-", path, files.path + "/none", path])
    #expect(walk.inputs.map(\.name) == ["-", path, files.path + "/none", path])
    #expect(walk.inputs.map { $0.path == nil } == [true, false, false, false])
    #expect(walk.inputs.allSatisfy { $0.isNamed })
    #expect(walk.directories.isEmpty && walk.errors.isEmpty && walk.skipped.isEmpty)
  }

  @Test("directories are walked in the byte order of the names")
  func order() throws {
    for name in ["b", "a/2", "a/10", "Z", "a.x", ".hidden", "é", "z"] { try files.write([], to: name) }
    let walk = InputWalk([files.path])
    let names = walk.inputs.map { $0.name.dropFirst(files.path.count + 1) }
    #expect(names == [".hidden", "Z", "a/10", "a/2", "a.x", "b", "z", "é"])
    #expect(walk.directories == [files.path])
    #expect(walk.inputs.allSatisfy { $0.directory == files.path && !$0.isNamed })
  }

  @Test("names that begin with a dot can be left alone, but not if they are named")
  func hidden() throws {
    for name in [".b/c", "a", "b/.a", "b/c", "b/d."] { try files.write([], to: name) }
    let named = Input("\(files.path)/b/.a")
    let walk = InputWalk([Input(files.path), Input("\(files.path)/.b"), named], leavesHidden: true)
    func names(_ inputs: [Input]) -> [Substring] { inputs.map { $0.name.dropFirst(files.path.count + 1) } }
    #expect(names(walk.inputs) == ["a", "b/c", "b/d.", ".b/c", "b/.a"])
    #expect(names(walk.hidden) == [".b", "b/.a"])
  }

  @Test("a slash at the end is not doubled")
  func slash() throws {
    try files.write([], to: "x")
    #expect(InputWalk([files.path + "/"]).inputs.map(\.name) == [files.path + "/x"])
  }

  @Test("links to files are inputs; links to directories or to nothing, and pipes, are skipped")
  func links() throws {
    let target = try files.write([], to: "target/file")
    let manager = FileManager.default
    try manager.createDirectory(atPath: files.path + "/in", withIntermediateDirectories: false)
    try manager.createSymbolicLink(atPath: files.path + "/in/a", withDestinationPath: target)
    try manager.createSymbolicLink(atPath: files.path + "/in/b", withDestinationPath: files.path + "/target")
    try manager.createSymbolicLink(atPath: files.path + "/in/c", withDestinationPath: files.path + "/none")
    try manager.createSymbolicLink(atPath: files.path + "/in/d", withDestinationPath: files.path + "/in")
    #expect(mkfifo(files.path + "/in/e", 0o600) == 0)
    let walk = InputWalk([files.path + "/in"])
    #expect(walk.inputs.map(\.name) == [files.path + "/in/a"])
    #expect(walk.skipped.map(\.member.name) == ["b", "c", "d", "e"].map { files.path + "/in/" + $0 })
    let reasons: [Message] = [
      "a link to a directory", "a broken link", "a link to a directory", "neither a file nor a directory",
    ]
    #expect(walk.skipped.map(\.reason) == reasons)
    #expect(walk.errors.isEmpty)
  }

  @Test("a file whose name is not UTF-8 can be read")
  func names() throws {
    let name = Array(files.path.utf8) + Array("/x".utf8) + [0xff, 0xfe]
    let path = name.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    #expect(write(descriptor, [0x41], 1) == 1)
    close(descriptor)
    let input = try #require(InputWalk([files.path]).inputs.first)
    #expect(input.name.hasSuffix("/x\\xFF\\xFE"))
    #expect(try DumpRecording.of(input, as: .raw).recording.bytes == [0x41])
    unlink(path)
  }

  @Test("directories that are nested too deep are reported")
  func depth() throws {
    try files.write([], to: String(repeating: "d/", count: 127) + "x")
    try files.write([], to: String(repeating: "d/", count: 128) + "y")
    let walk = InputWalk([files.path])
    #expect(walk.inputs.map { $0.name.suffix(2) } == ["/x"])
    #expect(walk.errors.map(\.error.message) == ["nested more than 128 directories deep; name it directly"])
    let error = try #require(walk.errors.first?.member)
    #expect(error.name.hasSuffix("d/d") && error.directory == files.path)
  }
}
