import Analysis
import TestSupport
import Testing

@Suite("A sample of all inputs")
struct FairSampleTests {
  private struct Element: Hashable {
    var input: Int
    var stream: Int
    var offset: Int
  }

  /// Takes the first element of each input, then the second of each, and so on.
  private func model(_ elements: [Element], _ capacity: Int) -> [Element] {
    let order: (Element, Element) -> Bool = {
      ($0.input, $0.stream, $0.offset) < ($1.input, $1.stream, $1.offset)
    }
    var inputs = Dictionary(grouping: elements, by: \.input).mapValues { Array($0.sorted(by: order)) }
    var chosen: [Element] = []
    while chosen.count < capacity, inputs.contains(where: { !$0.value.isEmpty }) {
      for input in inputs.keys.sorted() where chosen.count < capacity {
        if let first = inputs[input]?.first {
          chosen.append(first)
          inputs[input]?.removeFirst()
        }
      }
    }
    return chosen.sorted(by: order)
  }

  private func sample(_ elements: [Element], _ capacity: Int) -> [Element] {
    var sample = FairSample<Element>(capacity: capacity)
    for element in elements {
      sample.add(element, input: element.input, at: (element.stream, element.offset))
    }
    return sample.chosen
  }

  @Test("agrees with a plain choice, in any order")
  func plainChoice() {
    var generator = SeededGenerator(seed: 71)
    for _ in 0..<500 {
      let inputs = generator.pick(1...12)
      let elements = (0..<generator.pick(0...120)).map { number in
        Element(
          input: generator.pick(0...inputs) * generator.pick(0...1), stream: generator.pick(0...2),
          offset: number)
      }
      let capacity = generator.pick(0...20)
      let expected = model(elements, capacity)
      for order in [elements, elements.reversed(), elements.shuffled(using: &generator)] {
        #expect(sample(order, capacity) == expected)
      }
    }
  }

  @Test("an element that is not admitted is followed by none of its input")
  func admission() {
    var sample = FairSample<Int>(capacity: 3)
    for offset in 0..<6 { sample.add(offset, input: 0, at: (0, offset)) }
    #expect(!sample.admits(input: 0, at: (0, 3)))
    #expect(sample.admits(input: 1, at: (0, 3)))
  }
}
