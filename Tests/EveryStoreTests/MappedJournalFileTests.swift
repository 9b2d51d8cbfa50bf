import Basics
import Foundation
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// A journal in its own file: its intents are settled by the state of the rows.
@Suite("Journals in files of their own") struct MappedJournalFileTests {
  private static let actions: [TableMapping] = [MappedDevices.mapping, MappedDevices.deleting]

  private struct Files {
    var path: String
    var file: JournalFile

    init(_ fixture: StoreFixture, _ name: String) {
      path = fixture.file("\(name).journal")
      try? FileManager.default.removeItem(atPath: path)
      file = JournalFile(SQLiteDatabase(path: path))
    }

    /// As after a program that was ended between the intent and its outcome.
    func forget(_ id: Int) throws {
      try SQLiteClient(path).run("UPDATE apnsift_outcomes SET is_done = 0 WHERE replay = \(id)")
    }
  }

  /// Any replay that changes nothing makes the file settle what is pending.
  private func settle(_ store: TokenStore) throws { _ = try store.replay([], as: nil) }

  @Test("a replay is found out: done, not done, or its rows changed since", arguments: StoreKind.allCases)
  func replays(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for mapping in Self.actions {
      let files = Files(fixture, "replays")
      let (store, before) = try fixture.replayed(mapping, file: files.file)
      let after = try fixture.rows()
      #expect(after != before)
      // The commit was done.
      try files.forget(1)
      #expect(try store.history().map(\.isPending) == [true])
      try settle(store)
      #expect(try store.history().map(\.isPending) == [false] && fixture.rows() == after)
      // One row changed since: the other one decides.
      try files.forget(1)
      try fixture.run("DELETE FROM devices WHERE id = 1; INSERT INTO devices (id, token) VALUES (1, 'aa')")
      try settle(store)
      #expect(try store.history().map(\.isPending) == [false])
      // The commit was not done: the record goes, and a new run is number 1 or later.
      try fixture.run("DELETE FROM devices; \(MappedDevices.rows)")
      try files.forget(1)
      try settle(store)
      #expect(try store.history().isEmpty && fixture.rows() == before)
      #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
      #expect(try fixture.rows() == after)
    }
  }

  @Test("an undo is found out, too", arguments: StoreKind.allCases)
  func undos(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for mapping in Self.actions {
      let files = Files(fixture, "undos")
      let (store, before) = try fixture.replayed(mapping, file: files.file)
      let after = try fixture.rows()
      #expect(try store.undo(1, entry: .sample).id == 2)
      #expect(try fixture.rows() == before)
      try files.forget(2)
      try settle(store)
      #expect(try store.history().map(\.undoneBy) == [2, nil])
      #expect(try store.history().map(\.isPending) == [false, false])
      // The undo was not committed.
      try files.forget(2)
      let isDelete = mapping.action == .delete
      try fixture.run(isDelete ? "DELETE FROM devices" : "UPDATE devices SET gone = 1400000000")
      #expect(try fixture.rows() == after)
      try settle(store)
      #expect(try store.history().map(\.undoneBy) == [nil])
      #expect(try store.undo(1, entry: .sample).restored == 2)
      #expect(try fixture.rows() == before)
    }
  }

  @Test("what another mapping of the table did waits for that mapping", arguments: StoreKind.allCases)
  func mappings(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, MappedDevices.table, MappedDevices.rows)
    let files = Files(fixture, "mappings")
    let marking = try fixture.store(MappedDevices.mapping, file: files.file, text: #""mark""#)
    let deleting = try fixture.store(MappedDevices.deleting, file: files.file, text: #""delete""#)
    try marking.replay(MappedDevices.deaths, as: .sample)
    try files.forget(1)
    try settle(deleting)
    #expect(try marking.history().map(\.isPending) == [true])
    try settle(marking)
    #expect(try marking.history().map(\.isPending) == [false])
    let error = try error { _ = try deleting.undo(1, entry: .sample) }
    guard case .notUndoable(1, _) = error else { throw SourceError() }
  }

  @Test("one file serves several stores, each with its own history", arguments: StoreKind.allCases)
  func stores(_ kind: StoreKind) throws {
    let fixtures = [try StoreFixture(kind), try StoreFixture(kind)]
    let files = Files(fixtures[0], "stores")
    let stores = try fixtures.map { try $0.replayed(MappedDevices.mapping, file: files.file).store }
    #expect(try stores.map { try $0.history().map(\.id) } == [[1], [2]])
    #expect(try error { _ = try stores[0].undo(2, entry: .sample) } == .noReplay(2))
    #expect(try stores[1].undo(2, entry: .sample).restored == 2)
    #expect(try stores[0].history().map(\.undoneBy) == [nil])
    // Their files go with them.
    withExtendedLifetime(fixtures) {}
  }

  @Test("a file that cannot be written stops the replay before any change", arguments: StoreKind.allCases)
  func unwritable(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, MappedDevices.table, MappedDevices.rows)
    let before = try fixture.rows()
    let text = fixture.file("text.journal")
    try String(repeating: "no database ", count: 100).write(toFile: text, atomically: false, encoding: .utf8)
    for path in [text, fixture.file("nowhere/x.journal"), fixture.file("").appending("/")] {
      let file = JournalFile(SQLiteDatabase(path: path, lockTimeout: .zero))
      let store = try fixture.store(MappedDevices.mapping, file: file)
      #expect(try error { try store.check(for: .recording) } != nil, "\(path)")
      #expect(try error { try store.replay(MappedDevices.deaths, as: .sample) } != nil, "\(path)")
      #expect(try fixture.rows() == before, "\(path)")
    }
    let files = Files(fixture, "locked")
    let store = try fixture.store(
      MappedDevices.mapping, file: JournalFile(SQLiteDatabase(path: files.path, lockTimeout: .zero)))
    let other = try SQLiteClient(files.path)
    try other.run("CREATE TABLE other (x); BEGIN EXCLUSIVE")
    let error = try error { try store.replay(MappedDevices.deaths, as: .sample) }
    guard case .locked = error else { throw SourceError() }
    try other.run("COMMIT")
    #expect(try fixture.rows() == before)
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
  }

  @Test("a role without leave to insert or delete undoes by a file, too")
  func privileges() throws {
    let fixture = try StoreFixture(.postgreSQL, MappedDevices.table, MappedDevices.rows)
    let database = try #require(fixture.database)
    try database.withRole({ "GRANT USAGE ON SCHEMA public TO \($0); GRANT SELECT ON devices TO \($0)" }) {
      role in
      let store = try fixture.store(
        MappedDevices.mapping, file: Files(fixture, "privileges").file, user: role)
      /// A grant, and what the role lacks before it.
      for (grant, missing) in [
        ("UPDATE (seen)", Message.lacks("UPDATE", on: "public.devices")),
        ("UPDATE (gone)", "it lacks UPDATE on column \"gone\" of public.devices"),
      ] {
        let error = try error { try store.check(for: .recording) }
        #expect(error == .notPermitted(missing))
        try fixture.run("GRANT \(grant) ON devices TO \(role)")
      }
      try store.check(for: .recording)
      let inside = try fixture.store(MappedDevices.mapping, user: role)
      guard case .notPermitted(let lack) = try error({ try inside.check(for: .recording) }) else {
        throw SourceError()
      }
      #expect(
        lack.text.contains("it lacks CREATE on schema public, ")
          && lack.text.contains("--journal sqlite:PATH"))
      try inside.check(for: .writing)
      let before = try fixture.rows()
      #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
      #expect(try store.undo(1, entry: .sample).restored == 2)
      #expect(try fixture.rows() == before)
      try fixture.run(
        "REVOKE SELECT ON devices FROM \(role); GRANT SELECT (id, token, gone) ON devices TO \(role)")
      let other = try fixture.store(
        MappedDevices.mapping, file: Files(fixture, "privileges").file, user: role)
      guard case .notPermitted = try error({ try other.check(for: .recording) }) else { throw SourceError() }
    }
  }
}
