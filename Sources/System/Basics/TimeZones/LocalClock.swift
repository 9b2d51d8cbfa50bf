/// The clock of a time zone, for local times next to those in UTC: `2014-05-13T18:53:20+02:00` (RFC 3339).
package struct LocalClock: Sendable {
  /// In the tz database, such as `Europe/Berlin`.
  package let name: String
  private let zone: Zone

  /// Nil if the tz database has no zone of that name.
  package init?(_ name: String) {
    guard let zone = Zone.named(name) else { return nil }
    (self.name, self.zone) = (name, zone)
  }

  /// The names of zones like `name`, for messages: of the same city, else the nearest if it is near.
  package static func namesLike(_ name: String) -> [String] {
    let names = ZoneFile.names
    let city = { (name: String) in name.lowercased().split(separator: "/").last }
    let same = names.filter { city($0) == city(name) }.sorted()
    if !same.isEmpty { return Array(same.prefix(3)) }
    return [Spelling.nearest(to: name, of: names.sorted())].filter { Spelling.distance(name, $0) <= 2 }
  }

  /// Moments with one offset from UTC.
  package struct Period: Sendable {
    /// Bytes of an offset, `+02:00`.
    package static let suffixLength = 6

    /// UNIX seconds.
    package let moments: Range<Int64>
    /// Seconds that the clock is ahead of UTC. RFC 3339 has no seconds of an offset: the offset of a zone that has some
    /// is rounded to a minute, and the local time is shown for the rounded one, so that it names the same moment.
    fileprivate let offset: Int64
    /// `+02:00`, in the order of its bytes from the lowest.
    private let suffix: (hours: UInt32, minutes: UInt16)

    fileprivate init(_ moments: Range<Int64>, offset seconds: Int64) {
      self.moments = moments
      let minutes = (seconds.magnitude + 30) / 60
      offset = (seconds < 0 ? -60 : 60) * Int64(minutes)
      let sign: UInt32 = seconds < 0 && minutes > 0 ? 0x2d : 0x2b
      let pair = { (number: UInt64) in UInt32(number / 10 | (number % 10) << 8) | 0x3030 }
      suffix = (sign | pair(minutes / 60) << 8 | 0x3a << 24, UInt16(pair(minutes % 60)))
    }

    /// Writes the local time of `time`, which `moments` contains: 25 bytes.
    @inline(__always)
    package func write(_ time: UInt32, _ texts: borrowing TimeTexts, to target: UnsafeMutableRawPointer) {
      if let local = UInt32(exactly: Int64(time) &+ offset) {
        texts.write(local, to: target)
      } else {
        _ = CaptureTime(seconds: Int64(time) &+ offset).write(to: target)
      }
      writeSuffix(to: target + (UTCTime.textLength - 1))
    }

    /// As `CaptureTime.write`, with at most 5 bytes more.
    package func write(_ time: CaptureTime, to target: UnsafeMutableRawPointer) -> Int {
      var local = time
      local.seconds &+= offset
      let length = local.write(to: target)
      guard length > 0 else { return 0 }
      writeSuffix(to: target + (length - 1))
      return length - 1 + Self.suffixLength
    }

    /// Replaces the `Z` of a time in UTC.
    @inline(__always)
    private func writeSuffix(to target: UnsafeMutableRawPointer) {
      target.storeBytes(of: suffix.hours.littleEndian, as: UInt32.self)
      target.storeBytes(of: suffix.minutes.littleEndian, toByteOffset: 4, as: UInt16.self)
    }
  }

  /// - Parameter moment: UNIX seconds.
  package func period(at moment: Int64) -> Period {
    let (moments, offset) = zone.period(at: moment)
    return Period(moments, offset: offset)
  }

  /// What the clock shows at `time`, as seconds since 1970 on it.
  package func seconds(at time: UInt32) -> UInt32 {
    UInt32(clamping: Int64(time) &+ period(at: Int64(time)).offset)
  }

  /// The moment at which the clock first shows `seconds` since 1970: a day with two midnights begins at the first.
  package func moment(ofLocal seconds: UInt32) -> UInt32 {
    UInt32(clamping: zone.firstMoment(ofLocal: Int64(seconds)))
  }

  /// The local time of `time`; nil outside the years 0000 to 9999.
  package func text(_ time: CaptureTime) -> String? {
    guard time.hasText else { return nil }
    let text = String(unsafeUninitializedCapacity: CaptureTime.maxTextLength + Period.suffixLength) {
      buffer in
      buffer.baseAddress.map { period(at: time.seconds).write(time, to: UnsafeMutableRawPointer($0)) } ?? 0
    }
    return text.isEmpty ? nil : text
  }

  /// - Parameter seconds: since 1970.
  package func text(_ seconds: UInt32) -> String { text(CaptureTime(seconds: Int64(seconds))) ?? "" }
}
