import Foundation
import GRDB
import SQLiteStore
import StoreTestSupport
import Testing
import TokenStores

/// A journal in a file beside its store: its intents are settled by what the rows say.
@Suite("Journals in files of their own") struct MappedJournalFileTests {
  private static let actions: [TableMapping] = [MappedDevices.mapping, MappedDevices.deleting]

  private struct Files {
    var path: String
    var file: JournalFile

    init(_ place: MappedPlace, _ name: String) {
      path = place.file("\(name).journal")
      try? FileManager.default.removeItem(atPath: path)
      file = JournalFile(SQLiteDatabase(path: path))
    }

    /// As after a program that was ended between the intent and its outcome.
    func forget(_ id: Int) throws {
      try DatabaseQueue(path: path).write {
        try $0.execute(sql: "UPDATE apnsift_outcomes SET is_done = 0 WHERE replay = ?", arguments: [id])
      }
    }
  }

  private func begin(_ place: MappedPlace) throws {
    try place.begin(MappedDevices.table, MappedDevices.rows)
  }

  private func rows(_ place: MappedPlace) throws -> [[String?]] {
    try place.texts("SELECT * FROM devices ORDER BY id")
  }

  /// Any replay that changes nothing makes the file settle what is pending.
  private func settle(_ store: TokenStore) throws {
    _ = try store.replay([], as: nil)
  }

  @Test("a replay is found out: done, not done, or its rows changed since", arguments: StoreKind.allCases)
  func replays(_ kind: StoreKind) throws {
    let place = try MappedPlace(kind)
    for mapping in Self.actions {
      try begin(place)
      let before = try rows(place)
      let files = Files(place, "replays")
      let store = try place.store(mapping, file: files.file)
      #expect(try store.replay(MappedDevices.deaths, as: JournalTests.entry()).replay == 1)
      let after = try rows(place)
      #expect(after != before)
      // The commit was done.
      try files.forget(1)
      #expect(try store.history().map(\.isPending) == [true])
      try settle(store)
      #expect(try store.history().map(\.isPending) == [false] && rows(place) == after)
      // One row changed since: the other tells.
      try files.forget(1)
      try place.run("DELETE FROM devices WHERE id = 1; INSERT INTO devices (id, token) VALUES (1, 'aa')")
      try settle(store)
      #expect(try store.history().map(\.isPending) == [false])
      // The commit was not done: the record goes, and a new run is number 1 or later.
      try place.run("DELETE FROM devices; \(MappedDevices.rows)")
      try files.forget(1)
      try settle(store)
      #expect(try store.history().isEmpty && rows(place) == before)
      #expect(try store.replay(MappedDevices.deaths, as: JournalTests.entry()).counts.invalidated == 2)
      #expect(try rows(place) == after)
    }
  }

  @Test("an undo is found out, too", arguments: StoreKind.allCases)
  func undos(_ kind: StoreKind) throws {
    let place = try MappedPlace(kind)
    for mapping in Self.actions {
      try begin(place)
      let before = try rows(place)
      let files = Files(place, "undos")
      let store = try place.store(mapping, file: files.file)
      try store.replay(MappedDevices.deaths, as: JournalTests.entry())
      let after = try rows(place)
      #expect(try store.undo(1, entry: JournalTests.entry()).id == 2)
      #expect(try rows(place) == before)
      try files.forget(2)
      try settle(store)
      #expect(try store.history().map(\.undoneBy) == [2, nil])
      #expect(try store.history().map(\.isPending) == [false, false])
      // The undo was not committed.
      try files.forget(2)
      if mapping.action == .delete {
        try place.run("DELETE FROM devices")
      } else {
        try place.run("UPDATE devices SET gone = 1400000000")
      }
      #expect(try rows(place) == after)
      try settle(store)
      #expect(try store.history().map(\.undoneBy) == [nil])
      #expect(try store.undo(1, entry: JournalTests.entry()).restored == 2)
      #expect(try rows(place) == before)
    }
  }

  @Test("what another mapping of the table did waits for that mapping", arguments: StoreKind.allCases)
  func mappings(_ kind: StoreKind) throws {
    let place = try MappedPlace(kind)
    try begin(place)
    let files = Files(place, "mappings")
    let marking = try place.store(MappedDevices.mapping, file: files.file, text: "mark")
    let deleting = try place.store(MappedDevices.deleting, file: files.file, text: "delete")
    try marking.replay(MappedDevices.deaths, as: JournalTests.entry())
    try files.forget(1)
    try settle(deleting)
    #expect(try marking.history().map(\.isPending) == [true])
    try settle(marking)
    #expect(try marking.history().map(\.isPending) == [false])
    let fault = try fault { _ = try deleting.undo(1, entry: JournalTests.entry()) }
    guard case .notUndoable(1, _) = fault else { throw SourceFailure() }
  }

  @Test("one file serves several stores, each with its own history", arguments: StoreKind.allCases)
  func stores(_ kind: StoreKind) throws {
    let places = [try MappedPlace(kind), try MappedPlace(kind)]
    let files = Files(places[0], "stores")
    for place in places {
      try begin(place)
      let store = try place.store(MappedDevices.mapping, file: files.file)
      try store.replay(MappedDevices.deaths, as: JournalTests.entry())
    }
    let stores = try places.map { try $0.store(MappedDevices.mapping, file: files.file) }
    #expect(try stores.map { try $0.history().map(\.id) } == [[1], [2]])
    #expect(try fault { _ = try stores[0].undo(2, entry: JournalTests.entry()) } == .noReplay(2))
    #expect(try stores[1].undo(2, entry: JournalTests.entry()).restored == 2)
    #expect(try stores[0].history().map(\.undoneBy) == [nil])
    // Their files go with them.
    withExtendedLifetime(places) {}
  }

  @Test("a file that cannot be written stops the replay before any change", arguments: StoreKind.allCases)
  func unwritable(_ kind: StoreKind) throws {
    let place = try MappedPlace(kind)
    try begin(place)
    let before = try rows(place)
    let text = place.file("text.journal")
    try String(repeating: "no database ", count: 100).write(toFile: text, atomically: false, encoding: .utf8)
    for path in [text, place.file("nowhere/x.journal"), place.file("").appending("/")] {
      let file = JournalFile(SQLiteDatabase(path: path, lockTimeout: .zero))
      let store = try place.store(MappedDevices.mapping, file: file)
      #expect(try fault { try store.check(for: .recording) } != nil, "\(path)")
      #expect(
        try fault { try store.replay(MappedDevices.deaths, as: JournalTests.entry()) } != nil, "\(path)")
      #expect(try rows(place) == before, "\(path)")
    }
    let files = Files(place, "locked")
    let store = try place.store(
      MappedDevices.mapping, file: JournalFile(SQLiteDatabase(path: files.path, lockTimeout: .zero)))
    try DatabaseQueue(path: files.path).inDatabase { database in
      try database.execute(sql: "CREATE TABLE other (x); BEGIN EXCLUSIVE")
      let fault = try fault { try store.replay(MappedDevices.deaths, as: JournalTests.entry()) }
      guard case .locked = fault else { throw SourceFailure() }
      try database.execute(sql: "COMMIT")
    }
    #expect(try rows(place) == before)
    #expect(try store.replay(MappedDevices.deaths, as: JournalTests.entry()).counts.invalidated == 2)
  }

  @Test("a role without leave to insert or delete undoes by a file, too")
  func privileges() throws {
    let place = try MappedPlace(.postgreSQL)
    try begin(place)
    let database = try #require(place.database)
    let role = "role_\(database.name)"
    try place.run(
      "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA public TO \(role); GRANT SELECT ON devices TO \(role)"
    )
    defer { try? place.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let store = try place.store(
      MappedDevices.mapping, file: Files(place, "privileges").file, user: role)
    /// A grant, and what the role lacks before it.
    for (grant, missing) in [
      ("UPDATE (seen)", "it lacks UPDATE on public.devices"),
      ("UPDATE (gone)", "it lacks UPDATE on column \"gone\" of public.devices"),
    ] {
      let fault = try fault { try store.check(for: .recording) }
      #expect(fault == .server(.notPermitted(detail: missing)))
      try place.run("GRANT \(grant) ON devices TO \(role)")
    }
    try store.check(for: .recording)
    let inside = try place.store(MappedDevices.mapping, user: role)
    guard case .server(.notPermitted(let detail)) = try fault({ try inside.check(for: .recording) }) else {
      throw SourceFailure()
    }
    #expect(detail.contains("--journal sqlite:PATH") && detail.contains("--no-journal"))
    try inside.check(for: .writing)
    let before = try rows(place)
    #expect(try store.replay(MappedDevices.deaths, as: JournalTests.entry()).counts.invalidated == 2)
    #expect(try store.undo(1, entry: JournalTests.entry()).restored == 2)
    #expect(try rows(place) == before)
    try place.run(
      "REVOKE SELECT ON devices FROM \(role); GRANT SELECT (id, token, gone) ON devices TO \(role)")
    guard case .server(.notPermitted) = try fault({ try store.check(for: .recording) }) else {
      throw SourceFailure()
    }
  }
}
