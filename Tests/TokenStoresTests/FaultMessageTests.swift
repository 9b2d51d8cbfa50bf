import Basics
import Testing
import TokenStores
import Wording

/// What users read about a fault of a store.
@Suite struct FaultMessageTests {
  /// A journal file quotes it after the changes are done: it must not say that nothing was changed.
  @Test(arguments: [
    StoreFault.damaged("D"), .full("D"), .failed("D"), .refused("D"), .readOnly("D"), .unsettled("D"),
  ])
  func cause(_ fault: StoreFault) { #expect(fault.cause == "D") }

  @Test func message() {
    let error = StoreError(store: "sqlite:x", fault: .noReplay(7))
    #expect(error.message == .storeFailed("sqlite:x", .noReplay(7)))
    #expect(error.description == error.message.text)
    let limit = LimitExceeded(invalidated: 3, live: 5, most: 2)
    #expect(limit.message == .limitExceeded(3, ofLive: 5, most: 2))
  }
}
