import Basics
import Testing
import TokenStores
import Wording

/// What users read about an error of a store.
@Suite struct ErrorMessageTests {
  /// A journal file quotes it after the changes are done: it must not say that nothing was changed.
  @Test(arguments: [
    StoreError.full("D"), .failed("D"), .refused("D"), .connectionLost("D"), .notPermitted("D"),
  ])
  func cause(_ error: StoreError) {
    #expect(error.message.text == "\(error.cause); nothing was changed" && error.cause.text.contains("(D)"))
    #expect(error.message(after: 1).text == "\(error.cause); \(Message.rowsStayChanged("1 row"))")
  }

  @Test func message() {
    let error = NamedStoreError(store: "sqlite:x", reason: .noReplay(7))
    #expect(error.message == .storeFailed("sqlite:x", .noReplay(7)))
    #expect(error.description == error.message.text)
    let limit = LimitExceeded(invalidated: 3, live: 5, most: 2)
    #expect(limit.message == .limitExceeded(3, ofLive: 5, most: 2))
  }
}
