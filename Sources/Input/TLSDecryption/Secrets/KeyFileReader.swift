import Basics

/// Reads a file of secrets line by line: an NSS key log, the text of `openssl s_client`, session files, or all of them
/// one after the other. The memory it takes does not grow with the file.
package struct KeyFileReader {
  package struct Report: Equatable, Sendable {
    package var lines = 0
    package var secrets = 0
    /// Lines that should be secrets and cannot be read.
    package var badLineCount = 0
    /// The first of them, by their numbers from 1.
    package var badLines: [Int] = []
    /// The file has a private key, which belongs to another option.
    package var hasPrivateKey = false
  }

  static let maxLine = 4096
  private static let maxBadLines = 20

  private let file: Int
  private var report = Report()
  private var line: [UInt8] = []
  private var isOverlong = false
  private var session = SessionText()
  private var pem: SessionPEM?
  /// Text of `s_client` has many lines that are no secrets.
  private var isSessionText = false

  /// - Parameter file: the number that the secrets' origins have.
  package init(file: Int) { self.file = file }

  package mutating func append(_ bytes: RawSpan, to store: inout SecretStore) {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      var start = 0
      while start < buffer.count, let end = memchr(base + start, 0x0a, buffer.count - start) {
        let next = UnsafeRawPointer(end) - base
        collect(buffer[start..<next])
        endLine(&store)
        start = next + 1
      }
      collect(buffer[start...])
    }
  }

  package mutating func finish(to store: inout SecretStore) -> Report {
    if !line.isEmpty || isOverlong { endLine(&store) }
    if isSessionText {
      report.badLineCount = 0
      report.badLines = []
    }
    return report
  }

  private mutating func collect(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let room = Self.maxLine - line.count
    if bytes.count > room { isOverlong = true }
    line.append(contentsOf: bytes.prefix(max(0, room)))
  }

  private mutating func endLine(_ store: inout SecretStore) {
    report.lines += 1
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if report.lines == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    // Mails and issues quote.
    let quotes: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ">"), UInt8(ascii: "|")]
    let text = line.drop { quotes.contains($0) }
    guard let first = text.first, first != UInt8(ascii: "#") else { return }
    if pem != nil { return readPEM(text, &store) }
    if isOverlong { return noteBadLine() }
    read(text, &store)
  }

  private mutating func read(_ text: ArraySlice<UInt8>, _ store: inout SecretStore) {
    let origin = SecretOrigin(file: file, line: report.lines)
    var result = KeyLogLine.read(text, at: origin, to: &store)
    if result == .other {
      if text.starts(with: "-----BEGIN ".utf8) {
        if text.starts(with: SessionPEM.begin) { pem = SessionPEM(origin: origin) }
        if String(decoding: text, as: UTF8.self).contains("PRIVATE KEY") { report.hasPrivateKey = true }
        isSessionText = true
        return
      }
      result = session.read(text, at: origin, to: &store)
      if result == .added || result == .ignored { isSessionText = true }
    }
    switch result {
    case .added: report.secrets += 1
    case .ignored: break
    case .malformed, .other: noteBadLine()
    }
  }

  private mutating func readPEM(_ text: ArraySlice<UInt8>, _ store: inout SecretStore) {
    guard text.starts(with: "-----END".utf8) else {
      pem?.append(text)
      return
    }
    if pem?.finish(to: &store) == true { report.secrets += 1 } else { noteBadLine() }
    pem = nil
  }

  private mutating func noteBadLine() {
    report.badLineCount += 1
    if report.badLines.count < Self.maxBadLines { report.badLines.append(report.lines) }
  }
}

enum KeyLineResult {
  case added
  /// Understood, and of no use here.
  case ignored
  /// It begins like a secret.
  case malformed
  case other
}
