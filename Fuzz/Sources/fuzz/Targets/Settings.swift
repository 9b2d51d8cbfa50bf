import Basics
import PacketCapture
import ProviderLogs
import TokenStores
import YAML

/// What users write: mappings and filters.
extension Target {
  static let settings = [
    Target("mappings", checkMapping),
    Target("filters", checkFilter),
  ]

  /// A mapping is read, or its message is short and names the file.
  private static func checkMapping(_ sample: Sample) {
    if sample.options[0] & 1 != 0 {
      _ = try? LogMapping(String(decoding: sample.bytes, as: UTF8.self))
      return
    }
    let name = "mapping.yaml"
    do throws(YAMLError) {
      let file = try MappingFile(sample.bytes, name: name)
      let again = try MappingFile(sample.bytes, name: name)
      expect(
        file.mapping == again.mapping && file.store == again.store, "a mapping is read the same way twice")
    } catch {
      let text = error.message.text
      expect(text.hasPrefix(name), "a message names the file: \(text)")
      expect(text.utf8.count < 2000, "a message is short: \(text)")
    }
  }

  /// A filter matches a packet wherever it is.
  private static func checkFilter(_ sample: Sample) {
    let expression = String(decoding: sample.bytes, as: UTF8.self)
    var filter: PacketFilter
    do throws(InputError) {
      filter = try PacketFilter(expression)
    } catch {
      expect(!error.message.text.isEmpty, "a fault says what is wrong")
      return
    }
    let packet = sample.options + sample.bytes
    for linkType in [1, 101, UInt16(sample.options[0])] {
      let record = PacketRecord(
        number: 1, time: nil, linkType: LinkType(rawValue: linkType), start: 0, capturedLength: packet.count,
        originalLength: packet.count, fileOffset: 0)
      var moved = record
      moved.start = 3
      let matches = filter.matches(record, in: packet.span.bytes)
      let window = [1, 2, 3] + packet + [4]
      expect(
        filter.matches(moved, in: window.span.bytes) == matches, "a filter matches a packet wherever it is")
    }
    _ = filter.takeFindings()
  }
}
