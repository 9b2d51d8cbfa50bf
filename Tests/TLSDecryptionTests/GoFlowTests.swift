import TLSDecryption
import TestSupport
import Testing

/// Connections that the tests of Go's crypto/tls recorded with OpenSSL, and whose server has a published key:
/// Tests/Fixtures/README.md.
@Suite struct GoFlowTests {
  private static let flows = FlowFile.names(in: "go").map { Flow($0) }

  private func context() throws -> DecryptionContext {
    var store = SecretStore()
    store.add(try PrivateKey(Flow.file("go/rsa.key"), file: 0))
    return DecryptionContext(store)
  }

  /// What Go's tests send: a line, from the side that is Go.
  @Test(arguments: flows) func knownText(_ flow: Flow) throws {
    let context = try context()
    if let first = flow.resumed { #expect(first.decrypt(context).plaintext == flow.plaintext) }
    let result = flow.decrypt(context)
    #expect(result.failures == [])
    #expect(result.gaps == [])
    #expect(result.plaintext == flow.plaintext)
    #expect(flow.decrypt(context, step: 1).plaintext == flow.plaintext)
  }

  @Test func allFlowsAreThere() { #expect(Self.flows.count == 17) }

  /// The session of a ticket is not known without the connection that issued it.
  @Test func resumptionNeedsTheFirstConnection() throws {
    for flow in Self.flows where flow.resumed != nil {
      let result = flow.decrypt(try context())
      #expect(result.records[.server] == [])
      #expect(!result.failures.isEmpty)
    }
  }
}
