import Basics
import Testing

@Test("Messages about mappings", arguments: Golden.mapping + Golden.tableSubjects + Golden.tableFits)
func mappingMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let mapping: [Golden] = [
    Golden(
      .mappingTooLong("a.yml", limit: 1 << 20),
      "a.yml: expected a mapping of at most 1.0 MiB, found more; name the file that maps a table"),
    Golden(
      .unknownZone("Europe/Berlon"),
      "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, found 'Europe/Berlon'; correct it, or install the database (package tzdata)"
    ),
    Golden(
      .unknownValue("Hex", of: "token.form", known: ["hex", "base64"], nearest: "hex"),
      "expected one of hex, base64 for token.form, found 'Hex'; the nearest is hex"),
  ]

  static let tableSubjects: [Golden] = [
    Golden(.column("token"), "column token"),
    Golden(.primaryKey, "the primary key"),
    Golden(.tableName, "the name"),
    Golden(.deleteAction, "action delete"),
    Golden(.aTable, "a table"),
    Golden(.relation("view"), "a view"),
    Golden(.relation(ofKind: "x"), "a relation of kind x"),
    Golden(.engine("MyISAM"), "MyISAM (ALTER TABLE … ENGINE = InnoDB changes it)"),
    Golden(.nothingFound, "none"),
    Golden(.neither, "neither"),
    Golden(
      .dependentColumn("device", of: "mails", onDelete: "CASCADE"),
      "column device of mails with ON DELETE CASCADE"),
    Golden(
      .dependentConstraint("fk", of: "mails", onDelete: "SET NULL"),
      "constraint fk of mails with ON DELETE SET NULL"),
  ]

  static let tableFits: [Golden] = [
    Golden(.columnNames(["app", "token"]), "app, token"),
    Golden(.ordinaryColumn, "an ordinary column"),
    Golden(.generatedColumn, "a generated one"),
    Golden(.nullableColumn, "a column that may be null"),
    Golden(.notNull, "NOT NULL"),
    Golden(.columnType("text"), "type text"),
    Golden(.columnType(oneOf: ["timestamp"]), "type timestamp"),
    Golden(.columnType(oneOf: ["TEXT", "BLOB"]), "type TEXT or BLOB"),
    Golden(.columnType(oneOf: ["varchar", "char", "text"]), "type varchar, char or text"),
    Golden(.columnType(oneOfNames: ["bytea"]), "type bytea"),
    Golden(
      .columnType(oneOfNames: ["bigint", "integer", "double precision"]),
      "type bigint, or integer, or double precision"),
    Golden(.collation("NOCASE"), "collation NOCASE"),
    Golden(.tokens(inForm: "hex"), "tokens as hex"),
    Golden(.times(inForm: "iso"), "times as iso"),
  ]
}
