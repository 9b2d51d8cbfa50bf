import CommandTestSupport
import Testing

@Suite("Generated truth and decoded output") struct GenerateAgreementTests {
  /// A few sets: `make check` runs many.
  @Test("agree whatever the options, as a script draws and compares them") func agree() throws {
    let script = Repository.path(of: "scripts/cross-check-generated")
    let printed = try TestDirectory().tool("python3", [script, "20"])
    #expect(String(decoding: printed, as: UTF8.self).contains("20 sets of options agree"))
  }
}
