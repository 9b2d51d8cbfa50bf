/// What `case.yml` says of a case.
package struct CaseDescription: Equatable, Sendable {
  /// What the case shows, in a sentence.
  package var shows = ""
  /// Where its bytes come from, and under which licence they are.
  package var origin = ""
  /// Options of `export`, word by word.
  package var options: [String] = []
  /// Sizes in bytes of the reads in which a dump came, used in turn and again from the top; without any, reads
  /// are of 4096 bytes. Captures have their segments.
  package var chunks: [Int] = []
  /// Labels of the rules and faults that it covers.
  package var covers: [String] = []

  package init() {}

  /// The keys of the file, in the order in which they are explained.
  package enum Key: String, CaseIterable, Sendable {
    case shows, origin, options, chunks, covers

    package var isRequired: Bool { self == .shows || self == .origin }
  }
}

/// The files of a case.
package enum CaseFiles {
  package static let description = "case.yml"
  package static let expectation = "expected.ndjson"
  /// What names of inputs begin with.
  package static let inputPrefix = "input."
}

/// A directory of a corpus that is a case, or is to be one, with the parts that it has.
package struct CaseDirectory: Sendable {
  /// The path relative to the directory that was named.
  package var name: String
  /// The path as the system takes it, NUL-terminated: not every name is UTF-8.
  package var path: [CChar]
  package var hasDescription = false
  package var hasExpectation = false
  /// Names, NUL-terminated and in byte order, of the files whose name begins with `input.`.
  package var inputs: [[CChar]] = []

  package init(name: String, path: [CChar]) {
    self.name = name
    self.path = path
  }

  /// The NUL-terminated path of one of its files.
  package func path(of file: [CChar]) -> [CChar] {
    path.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + file
  }

  package func path(of file: String) -> [CChar] { path(of: Array(file.utf8CString)) }
}
