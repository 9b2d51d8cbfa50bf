/// What a finding or a flag means. The report page, `apnsift explain`, docs/reference and the tests read these texts:
/// they are written here once, for readers who do not know the code.
package struct CatalogueEntry: Equatable, Sendable {
  /// At most some eight words, without a full stop.
  package var title: String
  /// What happened to the bytes.
  package var cause: String
  /// What follows for the records and the figures.
  package var meaning: String
  /// What the reader can do.
  package var remedy: String
  /// A transcript: lines `$ command`, each with its output; `…` in it matches any text (scripts/check-readme).
  package var example: String
}
