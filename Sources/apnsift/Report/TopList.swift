/// The first few of many elements in some order, found in one pass: a heap of those so far, the last of them on top.
struct TopList<Element> {
  private let capacity: Int
  private let precedes: (Element, Element) -> Bool
  private var heap: [Element] = []

  /// - Parameters:
  ///   - capacity: how many are kept.
  ///   - precedes: a strict order of all elements.
  init(_ capacity: Int, by precedes: @escaping (Element, Element) -> Bool) {
    self.capacity = capacity
    self.precedes = precedes
  }

  /// The one that leaves next; nil while there is room.
  var last: Element? { heap.count < capacity ? nil : heap.first }
  var isFull: Bool { heap.count >= capacity }

  mutating func add(_ element: Element) {
    guard capacity > 0 else { return }
    if heap.count < capacity {
      heap.append(element)
      rise(from: heap.count - 1)
    } else if precedes(element, heap[0]) {
      heap[0] = element
      sink()
    }
  }

  /// In order.
  var sorted: [Element] { heap.sorted(by: precedes) }

  private mutating func rise(from index: Int) {
    var child = index
    while child > 0, precedes(heap[(child - 1) / 2], heap[child]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var last = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if precedes(heap[last], heap[child]) { last = child }
      }
      if last == parent { return }
      heap.swapAt(parent, last)
      parent = last
    }
  }
}
