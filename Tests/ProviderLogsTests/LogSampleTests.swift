import Foundation
import ProviderLogs
import TestSupport
import Testing

/// What clients, loggers and databases print, with the records that a person reads in it (Tests/Fixtures/log-samples.json).
@Suite("Logs and lists as programs print them")
struct LogSampleTests {
  struct Sample: Decodable, CustomTestStringConvertible, Sendable {
    struct Record: Decodable, Sendable {
      var line: Int?
      var token: String?
      var status: Int?
      var reason: String?
      var timestamp_ms: Int64?
      var timestamp: UInt32?
      var apns_id: String?
    }

    var writer: String
    var form: String
    var kind: String
    var text: [String]
    var records: [Record]

    var testDescription: String { "\(writer): \(form)" }
  }

  static let samples =
    (try? JSONDecoder().decode([Sample].self, from: Fixtures.data("log-samples.json"))) ?? []

  @Test func areThere() { #expect(Self.samples.count > 100) }

  @Test(arguments: samples.filter { $0.kind == "pushes" }, [64 << 10, 7])
  func pushes(_ sample: Sample, chunk: Int) throws {
    let found = try DecodedLog(sample.text.joined(separator: "\n"), chunk: chunk).pushes.filter(
      Self.hasResult)
    #expect(found.count == sample.records.count)
    for (push, record) in zip(found, sample.records) {
      let words = push.split(separator: " ").map(String.init)
      #expect(words.contains("\(record.line ?? 0)"))
      let fields = [
        ("token", record.token), ("status", record.status.map { "\($0)" }), ("reason", record.reason),
        ("time", record.timestamp_ms.map { "\($0)" }), ("id", record.apns_id),
      ]
      for (name, value) in fields {
        // A status that is not printed is inferred from the reason.
        if name == "status", value == nil { continue }
        #expect(words.first { $0.hasPrefix("\(name)=") } == value.map { "\(name)=\($0)" }, "\(push)")
      }
    }
  }

  /// A push without a token and an id is of no use, nor one whose result the text does not have.
  private static func hasResult(_ push: String) -> Bool {
    (push.contains(" token=") || push.contains(" id="))
      && [" status=", " reason=", " id="].contains { push.contains($0) }
  }

  @Test(arguments: samples.filter { $0.kind == "feedback" }, [64 << 10, 7])
  func lists(_ sample: Sample, chunk: Int) throws {
    var options = LogOptions()
    options.kind = .reports
    let found = try DecodedLog(sample.text.joined(separator: "\n"), options: options, chunk: chunk).reports
    #expect(found == sample.records.map { "\($0.timestamp ?? 0) \($0.token ?? "")" })
  }
}
