import TLSDecryption

/// What came of a connection.
struct Decrypted: Equatable {
  var plaintext: [Sender: [UInt8]] = [.client: [], .server: []]
  var records: [Sender: [[UInt8]]] = [.client: [], .server: []]
  var offsets: [Sender: [Int]] = [.client: [], .server: []]
  var gaps: [PlaintextGap] = []
  var failures: [DecryptionFailure] = []
  var session = TLSSession()
  private var firstData: [Sender: Int] = [:]
  private var lastData: [Sender: Int] = [:]

  /// Bytes from the first record of data to the end of the last one.
  func dataLength(of sender: Sender) -> Int? {
    guard let first = firstData[sender], let last = lastData[sender] else { return nil }
    return last - first
  }

  mutating func take(_ batch: inout DecryptedBatch) {
    for event in batch.events {
      switch event {
      case .record(let record):
        let bytes = Array(batch.bytes(of: record))
        if firstData[record.sender] == nil { firstData[record.sender] = record.ciphertextOffset }
        lastData[record.sender] = record.ciphertextOffset + record.ciphertextLength
        plaintext[record.sender, default: []] += bytes
        records[record.sender, default: []].append(bytes)
        offsets[record.sender, default: []].append(record.plaintextOffset)
      case .gap(let gap): gaps.append(gap)
      case .failure(let failure): failures.append(failure)
      case .alert: break
      }
    }
    batch.removeAll()
  }
}
