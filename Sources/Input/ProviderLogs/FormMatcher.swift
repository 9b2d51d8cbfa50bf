import Basics

/// Matches lines with the patterns of forms. Used by one decoder.
final class FormMatcher {
  /// A form, and its pattern, which is compiled for the first line with the form's text.
  private struct CompiledForm {
    let form: LineForm
    var pattern: LinePattern?
    var fields: [(group: Int, meaning: LogNames.Meaning)] = []
    /// Whether the pattern cannot be compiled, since PCRE2 is missing.
    var isLost = false
  }

  @exclusivity(unchecked) private var entries: [CompiledForm]
  private let names: LogNames
  private let steps: Int
  /// Why built-in forms are not known, or not matched.
  private(set) var message: Message?

  init(_ options: LogOptions, _ names: LogNames) {
    self.names = names
    steps = options.patternSteps
    var forms = options.forms
    if options.hasBuiltInForms {
      switch LineForm.builtIn {
      case .success(let builtIn): forms += builtIn
      case .failure(let error): message = error.message
      }
    }
    entries = forms.filter { $0.kind == options.kind }.map { CompiledForm(form: $0) }
  }

  var formNames: [String] { entries.map(\.form.name) }

  enum Match {
    /// The values of the first form that matches, and its index.
    case values(LogValues, form: Int)
    /// The first form that matches does so several times: where, as in the line.
    case several([Range<Int>])
    case none
    case exhausted
  }

  func match(_ line: UnsafeRawPointer, _ range: Range<Int>) -> Match {
    let text = UnsafeRawBufferPointer(start: line + range.lowerBound, count: range.count)
    for index in entries.indices where contains(text, entries[index].form.literal) {
      guard let pattern = pattern(of: index) else { continue }
      switch pattern.search(text) {
      case .none: continue
      case .exhausted: return .exhausted
      case .found:
        let values = values(of: pattern, entries[index], line, range.lowerBound)
        let all = matches(of: pattern, entries[index].form.literal, in: text)
        return all.count < 2
          ? .values(values, form: index)
          : .several(all.map { $0.lowerBound &+ range.lowerBound..<$0.upperBound &+ range.lowerBound })
      }
    }
    return .none
  }

  /// The last match, and those after it: a line may have the answers to several pushes.
  private func matches(
    of pattern: LinePattern, _ literal: [UInt8], in text: UnsafeRawBufferPointer
  ) -> [Range<Int>] {
    var found: [Range<Int>] = []
    while let range = pattern.range(of: 0) {
      found.append(range)
      let rest = UnsafeRawBufferPointer(rebasing: text[range.upperBound...])
      guard !range.isEmpty, !rest.isEmpty, contains(rest, literal),
        pattern.search(text, from: range.upperBound) == .found
      else { break }
    }
    return found
  }

  private func values(
    of pattern: LinePattern, _ entry: CompiledForm, _ line: UnsafeRawPointer, _ offset: Int
  ) -> LogValues {
    var values = LogValues()
    for (group, meaning) in entry.fields {
      guard let range = pattern.range(of: group) else { continue }
      let value = LogValue(.text, offset &+ range.lowerBound, offset &+ range.upperBound)
      values.put(value, for: meaning, in: line)
    }
    return values
  }

  private func contains(_ text: UnsafeRawBufferPointer, _ literal: [UInt8]) -> Bool {
    guard let first = literal.first, let start = text.baseAddress else { return true }
    var index = 0
    while index &+ literal.count <= text.count,
      let found = memchr(start + index, Int32(first), text.count &- literal.count &- index &+ 1)
    {
      if memcmp(found, literal, literal.count) == 0 { return true }
      index = UnsafeRawPointer(found) - start &+ 1
    }
    return false
  }

  private func pattern(of index: Int) -> LinePattern? {
    if let pattern = entries[index].pattern { return pattern }
    guard !entries[index].isLost else { return nil }
    do throws(PatternError) {
      let pattern = try LinePattern(entries[index].form.pattern, steps: steps)
      entries[index].pattern = pattern
      entries[index].fields = pattern.groups.compactMap { group in
        let meaning = names.meaning(named: group.name) ?? LogNames.standard.meaning(named: group.name)
        return meaning.map { (group.number, $0) }
      }
      return pattern
    } catch {
      entries[index].isLost = true
      message = error.message
      return nil
    }
  }
}
