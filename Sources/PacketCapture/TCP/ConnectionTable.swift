/// The connections that are remembered, and which of them to forget first.
struct ConnectionTable {
  /// How dear a connection is: the cheapest list is emptied first, and in each the one that was idle longest.
  enum Rank: Int, CaseIterable {
    /// It has ended, or carried nothing so far.
    case ended, silent, speaking
  }

  private struct Place {
    var connection: Connection?
    var rank = Rank.silent
    /// Neighbours in the list of its rank, by the time of their last packets; -1 at an end.
    var before: Int32 = -1
    var behind: Int32 = -1
  }

  private let limit: Int
  private var slots: [ConnectionKey: Int32] = [:]
  private var places: ContiguousArray<Place> = []
  private var free: [Int32] = []
  private var lists: InlineArray<3, (oldest: Int32, newest: Int32)> = .init(repeating: (-1, -1))

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  var isFull: Bool { places.count &- free.count >= limit }

  func connection(_ key: ConnectionKey) -> Connection? {
    slots[key].flatMap { places[Int($0)].connection }
  }

  /// All connections, in the order of their numbers.
  var all: [Connection] {
    places.compactMap(\.connection).sorted { $0.number < $1.number }
  }

  mutating func insert(_ connection: Connection) {
    let slot = free.popLast() ?? Int32(places.count)
    if Int(slot) == places.count { places.append(Place()) }
    places[Int(slot)] = Place(connection: connection)
    connection.slot = slot
    slots[connection.key] = slot
    link(slot, .silent)
  }

  mutating func remove(_ connection: Connection) {
    unlink(connection.slot)
    places[Int(connection.slot)].connection = nil
    free.append(connection.slot)
    slots[connection.key] = nil
  }

  /// A packet of the connection came: it is the last to be forgotten among those of its rank.
  mutating func touch(_ connection: Connection, _ rank: Rank) {
    let place = places[Int(connection.slot)]
    if place.rank == rank, place.behind < 0 { return }
    unlink(connection.slot)
    link(connection.slot, rank)
  }

  /// The connection to forget where there is no room for another.
  var cheapest: Connection? {
    for rank in Rank.allCases where lists[rank.rawValue].oldest >= 0 {
      return places[Int(lists[rank.rawValue].oldest)].connection
    }
    return nil
  }

  private mutating func link(_ slot: Int32, _ rank: Rank) {
    let newest = lists[rank.rawValue].newest
    places[Int(slot)].rank = rank
    places[Int(slot)].before = newest
    places[Int(slot)].behind = -1
    if newest >= 0 { places[Int(newest)].behind = slot } else { lists[rank.rawValue].oldest = slot }
    lists[rank.rawValue].newest = slot
  }

  private mutating func unlink(_ slot: Int32) {
    let (before, behind) = (places[Int(slot)].before, places[Int(slot)].behind)
    let rank = places[Int(slot)].rank.rawValue
    if before >= 0 { places[Int(before)].behind = behind } else { lists[rank].oldest = behind }
    if behind >= 0 { places[Int(behind)].before = before } else { lists[rank].newest = before }
  }
}
