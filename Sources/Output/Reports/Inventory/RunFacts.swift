import Basics
import CLibcrypto
import StreamInputs

/// Program, command line, host and time of a run, for documents that describe it. They differ from run to run, so other
/// outputs do not have them.
package struct RunFacts: Sendable {
  package let version: String
  let process = ProcessFacts()
  /// SHA-256 of the running program; nil if its file cannot be read.
  let programSHA256: String?

  static let compiler = "Swift 6"
  static let cryptoLibrary = String(cString: OpenSSL_version(OPENSSL_VERSION))

  package init(version: String) {
    self.version = version
    let file = Input("program", path: Array(process.executable.utf8CString))
    programSHA256 = FileDigests.of(file, [.sha256])?.digests[.sha256]
  }

  var commandLine: String { process.arguments.map { ShellWord.quoted($0) }.joined(separator: " ") }

  var startedAt: String { Self.text(process.time) }

  static func text(_ time: (seconds: Int64, nanoseconds: UInt32)) -> String {
    CaptureTime(seconds: time.seconds, fraction: UInt64(time.nanoseconds) / 1000, digits: 6).text ?? ""
  }
}
