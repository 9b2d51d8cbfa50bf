/// The RC4 key stream. libcrypto has it in a provider that is loaded from a file, which may be missing.
package final class RC4 {
  private let state: UnsafeMutablePointer<UInt8>
  private var i: UInt8 = 0
  private var j: UInt8 = 0
  /// Bytes of the key stream that were used or skipped.
  private(set) var position = 0

  /// A state without a key, to copy another one into.
  init() {
    state = .allocate(capacity: 256)
    state.initialize(repeating: 0, count: 256)
  }

  package convenience init(key: [UInt8]) {
    self.init()
    for index in 0..<256 { state[index] = UInt8(truncatingIfNeeded: index) }
    guard !key.isEmpty else { return }
    var j: UInt8 = 0
    for index in 0..<256 {
      j = j &+ state[index] &+ key[index % key.count]
      (state[index], state[Int(j)]) = (state[Int(j)], state[index])
    }
  }

  deinit { state.deallocate() }

  /// Copies the state of another one, whose position is not after `position`, and skips to there.
  func move(to position: Int, from other: RC4) {
    state.update(from: other.state, count: 256)
    (i, j, self.position) = (other.i, other.j, other.position)
    skip(position - other.position)
  }

  package func skip(_ count: Int) { advance(count) { _, _ in } }

  /// Encrypts or decrypts `count` bytes.
  package func apply(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
    advance(count) { output[$0] = input[$0] ^ $1 }
  }

  /// Gives `use` the next bytes of the key stream, each with its index.
  @inline(__always)
  private func advance(_ count: Int, _ use: (Int, UInt8) -> Void) {
    var (i, j) = (self.i, self.j)
    for index in 0..<max(0, count) {
      i &+= 1
      let first = state[Int(i)]
      j &+= first
      let second = state[Int(j)]
      state[Int(i)] = second
      state[Int(j)] = first
      use(index, state[Int(first &+ second)])
    }
    (self.i, self.j) = (i, j)
    position &+= max(0, count)
  }
}
