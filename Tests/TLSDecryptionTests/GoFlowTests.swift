import Foundation
import TLSDecryption
import Testing

/// Connections that the tests of Go's crypto/tls recorded with OpenSSL, and whose server has a published key:
/// Tests/Fixtures/README.md.
@Suite struct GoFlowTests {
  private static let directory = Flow.directory.appending(path: "go")

  private static let flows: [Flow] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".flow") }.sorted().compactMap { Flow(directory.appending(path: $0)) }
  }()

  private func context() throws -> DecryptionContext {
    var store = SecretStore()
    let key = try Data(contentsOf: Self.directory.appending(path: "rsa.key"))
    store.add(try PrivateKey(Array(key), file: 0))
    return DecryptionContext(store)
  }

  /// What Go's tests send: a line, from the side that is Go.
  @Test(arguments: flows) func knownText(_ flow: Flow) throws {
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

  @Test func allFlowsAreThere() { #expect(Self.flows.count == 17) }

  /// The session of a ticket is not known without the connection that issued it.
  @Test func resumptionNeedsTheFirstConnection() throws {
    for flow in Self.flows where !flow.first.isEmpty {
      let result = flow.decrypt(try context())
      #expect(result.records[.server] == [])
      #expect(!result.failures.isEmpty)
    }
  }
}
