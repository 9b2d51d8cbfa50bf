import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Which store, whose tokens")
struct StoreChoiceTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])

  private func count(_ store: String) throws -> String {
    try directory.sqlite(store, "SELECT count(*) FROM device_tokens")
  }

  @Test("without a name it is tokens.sqlite here, made if missing, and said so once")
  func defaultStore() throws {
    let trial = try directory.apnsift("replay", "dump.bin", "--dry-run", "--json").exits(0)
    try trial.json(["inserted": 3])
    #expect(trial.messages.first?.hasPrefix("no store is named: taking sqlite:tokens.sqlite, ") == true)
    #expect(try directory.names == ["dump.bin"])
    let first = try directory.apnsift("replay", "dump.bin").exits(0)
    #expect(first.messages.first == "no store is named: making sqlite:tokens.sqlite")
    #expect(try count("tokens.sqlite") == "3")
    let second = try directory.apnsift("replay", "dump.bin")
    #expect(!second.said("no store is named: making sqlite:tokens.sqlite"))
  }

  private static let named = ["--store", "sqlite:tokens.sqlite"]

  @Test(
    "what reads makes no store, by default or by its name",
    arguments: [
      ["list"], ["show", "aa"], ["undo", "1"] + named, ["history"] + named, ["history", "1"] + named,
    ])
  func storeForReading(_ arguments: [String]) throws {
    try directory.apnsift(["store"] + arguments).exits(
      2, saying: .storeFailed("sqlite:tokens.sqlite", .notFound))
    #expect(try directory.names == ["dump.bin"])
  }

  @Test("APNSIFT_STORE names it, --store comes first, empty is not set")
  func environmentVariable() throws {
    for store in ["a.sqlite", "b.sqlite"] { try directory.makeStore(in: store) }
    for (variable, options, store) in [
      ("sqlite:a.sqlite", [], "a.sqlite"), ("sqlite:a.sqlite", ["--store", "sqlite:b.sqlite"], "b.sqlite"),
      ("", [], "tokens.sqlite"),
    ] {
      let arguments = ["replay", "dump.bin"] + options
      try directory.apnsift(arguments, environment: ["APNSIFT_STORE": variable]).exits(0)
      #expect(try count(store) == "3")
    }
    try directory.apnsift(["store", "list"], environment: ["APNSIFT_STORE": "a.sqlite"]).exits(64)
  }

  @Test("a named store that is missing is an error unless --create is given", arguments: [true, false])
  func create(_ isNamedByVariable: Bool) throws {
    let environment = isNamedByVariable ? ["APNSIFT_STORE": "sqlite:new.sqlite"] : [:]
    let arguments = ["replay", "dump.bin"] + (isNamedByVariable ? [] : ["--store", "sqlite:new.sqlite"])
    let refused = try directory.apnsift(arguments, environment: environment).exits(
      2, saying: .storeFailed("sqlite:new.sqlite", .notFound))
    #expect(refused.errors.contains("--create") && !directory.exists("new.sqlite"))
    #expect(try directory.apnsift(arguments + ["--create"], environment: environment).code == 0)
    #expect(try count("new.sqlite") == "3")
  }

  @Test(
    "a path is used literally",
    arguments: ["with space.sqlite", "q?mode=ro#x.sqlite", ":memory:", "file:x", "%41.db"])
  func unusualPaths(_ path: String) throws {
    try directory.apnsift("replay", "dump.bin", "--create", "--store", "sqlite:\(path)").exits(0)
    #expect(try count("./\(path)") == "3")
  }

  @Test(
    "--environment must be given once the store has both",
    arguments: [
      ["replay", "dump.bin"], ["replay", "dump.bin", "--dry-run"], ["store", "register", "aa"],
    ])
  func bothEnvironments(_ arguments: [String]) throws {
    try directory.makeStore([StoredToken(token: token(50))], environment: "sandbox")
    #expect(try directory.apnsift(["replay", "dump.bin"]).code == 0, "the store has one of them")
    let refused = try directory.apnsift(arguments).exits(64)
    #expect(
      refused.messages == [
        "sqlite:tokens.sqlite has tokens of production and of sandbox: choose one with --environment"
      ])
    #expect(try count("tokens.sqlite") == "4")
    for environment in ["production", "sandbox"] {
      #expect(try directory.apnsift(arguments + ["--environment", environment]).code == 0)
    }
  }
}
