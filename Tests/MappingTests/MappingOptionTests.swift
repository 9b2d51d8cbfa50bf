import ArgumentParser
import TestSupport
import Testing
import TokenStores
import YAML
import apnsift

@Suite("A mapping by options")
struct MappingOptionTests {
  static let least = [
    "--table", "devices", "--token-column", "t", "--token-form", "hex", "--registered-column", "none",
    "--action",
    "delete",
  ]

  private func mapping(_ arguments: [String]) throws -> TableMapping? {
    try MappingOptions.parse(arguments).tableMapping()
  }

  @Test("there is none where nothing is given")
  func nothing() throws {
    #expect(try mapping([]) == nil)
  }

  @Test("options alone make one")
  func whole() throws {
    let arguments = [
      "--table", "public.devices", "--token-column", "device_token", "--token-form", "base64", "--app-column",
      "app",
      "--environment-column", "env", "--production-value", "p", "--sandbox-value", "s", "--registered-column",
      "updated_at", "--registered-form", "timestamp:Europe/Berlin", "--action", "flag", "--flag-column",
      "active",
      "--dead-value", "0", "--alive-value", "1",
    ]
    #expect(
      try mapping(arguments)
        == TableMapping(
          schema: "public", table: "devices", token: TokenColumn(name: "device_token", form: .base64),
          app: "app",
          environment: EnvironmentColumn(name: "env", production: "p", sandbox: "s"),
          registered: TimeColumn(name: "updated_at", form: .timestamp(zone: "Europe/Berlin")),
          action: .flag(column: "active", dead: "0", alive: "1")))
    #expect(
      try mapping(Self.least)
        == TableMapping(table: "devices", token: TokenColumn(name: "t", form: .hex), action: .delete))
  }

  /// Options that are wrong, and what the message begins with and has.
  static let mistakes: [(arguments: [String], start: String, part: String)] = [
    (["--token-form", "hex"], "--table is missing", "--mapping FILE"),
    (["--table", "a.b.c"], "--table: ", "mapping file"),
    (["--table", ""], "--table: ", "expected TABLE"),
    (["--table", "x"], "--token-column is missing", "the column of the tokens"),
    (least + ["--token-form", "Hex"], "--token-form: ", "nearest is hex"),
    (least + ["--token-column", ""], "--token-column: ", "empty"),
    (least + ["--registered-form", "iso"], "--registered-form: ", "--registered-column says none"),
    (least + ["--registered-column", "r"], "--registered-form is missing", "seconds"),
    (
      least + ["--registered-column", "r", "--registered-form", "timestamp:Mars"], "--registered-form: ",
      "'Mars'"
    ),
    (least + ["--action", "kill"], "--action: ", "mark, flag, delete"),
    (least + ["--action", "mark"], "--invalidated-column is missing", "died"),
    (
      least + ["--action", "mark", "--invalidated-column", "i", "--invalidated-form", "x"],
      "--invalidated-form: ",
      "nearest is"
    ),
    (least + ["--action", "flag", "--flag-column", "f"], "--dead-value is missing", "dead token"),
    (least + ["--flag-column", "f"], "--flag-column: ", "--action says delete"),
    (least + ["--production-value", "p"], "--production-value: ", "--environment-column"),
    (
      least + ["--environment-column", "e", "--production-value", "sandbox"], "--production-value: ",
      "for both"
    ),
    (least + ["--app-column", "\u{feff}a"], "--app-column: ", "byte order mark"),
    (least + ["--app-column", "t"], "--app-column: ", "token.column"),
  ]

  @Test("a mistake is named by its option", arguments: mistakes)
  func mistake(_ arguments: [String], _ start: String, _ part: String) {
    let error = #expect(throws: YAMLMistake.self) { try mapping(arguments) }
    let message = error?.message ?? ""
    #expect(message.hasPrefix(start) && message.contains(part), "\(message)")
  }
}

@Suite("Options over a mapping file")
struct MappingOverrideTests {
  private let files: TemporaryFiles
  private let path: String

  init() throws {
    files = try TemporaryFiles()
    let text = """
      table: public.devices
      token: {column: device_token, form: hex}
      app: bundle_id
      environment: {column: env, production: prod, sandbox: dev}
      registered: {column: updated_at, form: timestamp, zone: Europe/Berlin}
      action: mark
      invalidated: {column: unregistered_at, form: timestamp, zone: UTC}
      """
    path = try files.write(Array(text.utf8), to: "devices.yml")
  }

  /// What options change in the file's mapping.
  static let changes: [(arguments: [String], change: @Sendable (inout TableMapping) -> Void)] = [
    ([], { _ in }),
    (
      ["--table", "others"],
      {
        $0.schema = nil
        $0.table = "others"
      }
    ),
    (["--token-form", "bytes"], { $0.token.form = .bytes }),
    (["--app-column", "app"], { $0.app = "app" }),
    (["--environment-column", "e"], { $0.environment?.name = "e" }),
    (["--sandbox-value", "s"], { $0.environment?.sandbox = "s" }),
    (["--registered-column", "none"], { $0.registered = nil }),
    (["--registered-column", "seen_at"], { $0.registered?.name = "seen_at" }),
    (["--registered-form", "iso"], { $0.registered?.form = .iso }),
    (
      ["--invalidated-form", "seconds"],
      { $0.action = .mark(TimeColumn(name: "unregistered_at", form: .seconds)) }
    ),
    (["--action", "delete"], { $0.action = .delete }),
    (
      ["--action", "flag", "--flag-column", "f", "--dead-value", "1"],
      { $0.action = .flag(column: "f", dead: "1", alive: nil) }
    ),
  ]

  @Test("an option wins, and takes what went with the file's value along", arguments: changes.indices)
  func change(_ index: Int) throws {
    let (arguments, change) = Self.changes[index]
    var expected = TableMapping(
      schema: "public", table: "devices", token: TokenColumn(name: "device_token", form: .hex),
      app: "bundle_id",
      environment: EnvironmentColumn(name: "env", production: "prod", sandbox: "dev"),
      registered: TimeColumn(name: "updated_at", form: .timestamp(zone: "Europe/Berlin")),
      action: .mark(TimeColumn(name: "unregistered_at", form: .timestamp(zone: "UTC"))))
    change(&expected)
    #expect(try MappingOptions.parse(["--mapping", path] + arguments).tableMapping() == expected)
  }

  @Test("what is wrong between the two is named by the option")
  func mistake() throws {
    let options = try MappingOptions.parse(["--mapping", path, "--flag-column", "f"])
    let error = #expect(throws: YAMLMistake.self) { try options.tableMapping() }
    #expect(error?.message.hasPrefix("--flag-column: flag.column goes with action: flag alone") == true)
  }
}
