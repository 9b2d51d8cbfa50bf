import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing

/// `apnsift serve`, running on a port of its own.
final class RunningServer {
  let port: String
  private let directory: TestDirectory
  private let child: ChildProcess
  private let messages: String

  /// Starts it and waits until it listens, as a script does: by the line on its standard output.
  init(_ arguments: [String], in directory: TestDirectory) throws {
    self.directory = directory
    messages = "serve-\(UUID().uuidString).messages"
    let (reading, writing) = try makePipe()
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let errors = try Descriptor(opening: directory.path(of: messages), O_WRONLY | O_CREAT)
    child = try directory.start(
      Command.lab, (["serve", "--port", "0"] + arguments).map { Array($0.utf8) }, input: null.number,
      output: writing.number, errors: errors.number)
    writing.close()
    // Nothing comes where it ends without having listened.
    let line = String(decoding: try reading.read(), as: UTF8.self)
    if line.last != "\n" { try child.wait() }
    let said = try directory.text(of: messages)
    let colon = try #require(line.lastIndex(of: ":"), "\(said)")
    address = String(line.dropLast())
    port = String(line[line.index(after: colon)...].dropLast())
  }

  /// What it says that it listens on.
  let address: String

  /// Ends it by a signal; nil waits until it ends by itself.
  func end(by signal: Int32? = SIGTERM) throws -> Outcome {
    if let signal { child.send(signal) }
    let ending = try child.wait()
    return Outcome(ending: ending, output: [], errors: try directory.text(of: messages))
  }
}

/// What a client saw: what each read returned, and how it ended.
struct ServedReads: Decodable {
  /// What each read returned, in hex.
  var reads: [String]
  /// `end` or `reset`.
  var end: String
  /// With TLS, its version.
  var version: String?

  var sizes: [Int] { reads.map { $0.count / 2 } }
  var text: String { reads.joined() }
}

extension TestDirectory {
  struct Turn {
    var send: [UInt8]
    /// The number of reads that follow.
    var reads: Int
  }

  /// Starts `serve` in the directory.
  func serve(_ arguments: String...) throws -> RunningServer { try serve(arguments) }
  func serve(_ arguments: [String]) throws -> RunningServer { try RunningServer(arguments, in: self) }

  /// Serves one client, and waits for the end.
  func serveOnce(_ arguments: String..., turns: [Turn] = []) throws -> (read: ServedReads, outcome: Outcome) {
    let server = try serve(arguments + ["--once"])
    let read = try read(from: server, turns: turns)
    return (read, try server.end(by: nil))
  }

  /// Connects in Python, whose sockets and TLS are not ours, reads until the end, and says what each read returned.
  /// - Parameters:
  ///   - trusts: the file with the certificate that it trusts; nil without TLS.
  ///   - shows: files with its own certificate and key.
  func read(
    from server: RunningServer, trusting trusts: String? = nil, shows: [String]? = nil, turns: [Turn] = []
  ) throws -> ServedReads {
    var options: [String: Any] = ["turns": turns.map { ["send": hex($0.send), "reads": $0.reads] }]
    (options["trusts"], options["shows"]) = (trusts, shows)
    let text = String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
    let client = Repository.path(of: "Tests/Fixtures/programs/client.py")
    let output = try tool("python3", [client, server.port, text])
    return try JSONDecoder().decode(ServedReads.self, from: Data(output))
  }
}

/// A feedback connection as the tests of `serve` capture it.
enum ServedFeedback {
  static let sizes = [38, 1, 75, 400, 14]
  static let bytes = feedback(tuples(20))

  /// In segments of `sizes`, used in turn.
  static func conversation(_ sizes: [Int] = sizes, client: UInt8 = 10) -> Conversation {
    var conversation = Conversation(serverSends: bytes, in: sizes)
    conversation.client = .v4(client, port: 49_152)
    return conversation
  }

  /// The sizes of the chunks of `count` bytes that `sizes`, in turn, make.
  static func cut(_ sizes: [Int], count: Int = bytes.count) -> [Int] {
    var rest = count
    var made: [Int] = []
    while rest > 0 {
      made.append(min(rest, sizes[made.count % sizes.count]))
      rest -= made[made.count - 1]
    }
    return made
  }
}
