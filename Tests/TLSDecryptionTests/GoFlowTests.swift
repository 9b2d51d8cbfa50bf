import Foundation
import Testing

@testable import TLSDecryption

/// Connections that the tests of Go's crypto/tls recorded with OpenSSL, and whose server has a published key.
///
/// They are not part of the project: `samples/make/go-flows` writes them from a source of Go, into the directory that
/// `TLS_GO_FLOWS` names, else into `Tests/Fixtures/tls/go`.
enum GoFlows {
  static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["TLS_GO_FLOWS"] { return URL(filePath: path) }
    return Flow.directory.appending(path: "go")
  }()

  static let all: [Flow] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".flow") }.sorted().compactMap { Flow(directory.appending(path: $0)) }
  }()
}

@Suite(.enabled(if: !GoFlows.all.isEmpty, "There are no flows of Go.")) struct GoFlowTests {
  private func context() throws -> DecryptionContext {
    var store = SecretStore()
    let key = try Data(contentsOf: GoFlows.directory.appending(path: "rsa.key"))
    store.add(try PrivateKey(Array(key), file: 0))
    return DecryptionContext(store)
  }

  /// What Go's tests send: a line, from the side that is Go.
  @Test(arguments: GoFlows.all) func knownText(_ flow: Flow) throws {
    let context = try context()
    if !flow.first.isEmpty {
      var first = flow
      first.chunks = flow.first
      #expect(first.decrypt(context).plaintext == flow.plaintext)
    }
    let result = flow.decrypt(context)
    #expect(result.failures == [])
    #expect(result.gaps == [])
    #expect(result.plaintext == flow.plaintext)
    #expect(flow.decrypt(context, step: 1).plaintext == flow.plaintext)
  }

  /// The session of a ticket is not known without the connection that issued it.
  @Test func resumptionNeedsTheFirstConnection() throws {
    for flow in GoFlows.all where !flow.first.isEmpty {
      let result = flow.decrypt(try context())
      #expect(result.records[.server] == [])
      #expect(!result.failures.isEmpty)
    }
  }
}
