/// The readers of a merge, the one with the lowest token first: a binary heap.
struct RunHeap {
  private var readers: [RunReader] = []

  init(_ readers: [RunReader]) throws {
    for reader in readers { try insertAdvanced(reader) }
  }

  var first: RunReader? { readers.first }

  /// Takes the first reader out, without moving it.
  mutating func removeFirst() {
    readers.swapAt(0, readers.count - 1)
    readers.removeLast()
    if !readers.isEmpty { sink() }
  }

  /// Moves the first reader to its next entry, and to its place.
  mutating func advanceFirst() throws {
    guard let first else { return }
    if try first.advance() { sink() } else { removeFirst() }
  }

  /// Moves `reader` to its next entry, and puts it in its place; one that has ended is let go.
  mutating func insertAdvanced(_ reader: RunReader) throws {
    guard try reader.advance() else { return }
    readers.append(reader)
    var child = readers.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      readers.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < readers.count, precedes(left, least) { least = left }
      if left + 1 < readers.count, precedes(left + 1, least) { least = left + 1 }
      if least == parent { return }
      readers.swapAt(parent, least)
      parent = least
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    TokenOrder.precedes(readers[left].token, readers[right].token)
  }
}
