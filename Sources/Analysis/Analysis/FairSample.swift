/// Chooses a few elements so that every input has its first one before any input has a second. Within an input, those
/// at earlier positions come first. The choice does not depend on the order in which elements are added.
///
/// Memory: up to twice `capacity` elements, and a position for each of their inputs.
package struct FairSample<Element> {
  /// The number of the stream, and an offset or another number within it.
  package typealias Position = (stream: Int, offset: Int)

  private struct Candidate {
    var input: Int
    var position: Position
    /// Number of earlier elements of the input. Valid in `cut` only.
    var rank = 0
    var element: Element
  }

  private let capacity: Int
  private var entries: [Candidate] = []
  /// The position from which on an input has no more elements in the sample, for inputs with enough elements.
  private var ends: [Int: Position] = [:]
  /// The last input with an element in the sample, if there are enough inputs.
  private var lastInput = Int.max

  /// - Parameter capacity: how many elements to choose.
  package init(capacity: Int) { self.capacity = capacity }

  /// Whether an element may be in the sample. If not, no later one of the input is either.
  /// - Parameter input: its number, from 0.
  package func admits(input: Int, at position: Position) -> Bool {
    capacity > 0 && input <= lastInput && ends[input].map { position < $0 } ?? true
  }

  package mutating func add(_ element: Element, input: Int, at position: Position) {
    guard admits(input: input, at: position) else { return }
    entries.append(Candidate(input: input, position: position, element: element))
    if entries.count == capacity || entries.count >= 2 * capacity { cut() }
  }

  /// By input, then by position.
  package var chosen: [Element] {
    var sample = self
    sample.cut()
    return sample.entries.map(\.element)
  }

  private static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
    left.input != right.input ? left.input < right.input : left.position < right.position
  }

  /// Removes the elements that are not in the sample, and notes which later ones cannot be.
  private mutating func cut() {
    entries.sort(by: Self.precedes)
    guard entries.count >= capacity else { return }
    for index in entries.indices.dropFirst() where entries[index].input == entries[index - 1].input {
      entries[index].rank = entries[index - 1].rank + 1
    }
    entries.sort { ($0.rank, $0.input) < ($1.rank, $1.input) }
    entries.removeLast(entries.count - capacity)
    guard let last = entries.last else { return }
    if last.rank == 0 { lastInput = last.input }
    for index in entries.indices {
      let entry = entries[index]
      if entry.rank == (entry.input <= last.input ? last.rank : last.rank - 1) {
        ends[entry.input] = entry.position
      }
      entries[index].rank = 0
    }
    entries.sort(by: Self.precedes)
  }
}
