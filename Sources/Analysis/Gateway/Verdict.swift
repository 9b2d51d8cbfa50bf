import APNsWire

/// What the first response of a connection says of its requests (decoding-rules.md, "Correlation"). Requests are
/// numbered from 0 in the order of their offsets.
enum Verdict: Equatable {
  /// There is no response, or it tells nothing: all stay unknown.
  case none
  /// Status 10: requests up to this one were accepted, those behind it discarded.
  case acceptedThrough(Int)
  /// Requests before this one were accepted, those behind it discarded.
  case rejected(Int, status: UInt8)

  /// - Parameter request: the request that the response names; nil where none is found.
  init(status: UInt8, request: Int?) {
    switch (request, ErrorStatus(rawValue: status)) {
    case (nil, _), (_, .noErrors): self = .none
    case (let request?, .shutdown): self = .acceptedThrough(request)
    case (let request?, _): self = .rejected(request, status: status)
    }
  }

  /// - Parameter request: the number of a request.
  func outcome(of request: Int) -> RequestOutcome {
    switch self {
    case .none: .unknown
    case .acceptedThrough(let last): request <= last ? .accepted : .discarded
    case .rejected(let named, _): request == named ? .rejected : request < named ? .accepted : .discarded
    }
  }

  /// The outcomes of the requests from `first` (from 0) up to and without `end`.
  func counts(from first: Int, to end: Int) -> GatewayCounts {
    var counts = GatewayCounts()
    switch self {
    case .none:
      counts.unknown = end - first
    case .acceptedThrough(let last):
      counts.accepted = last + 1 - first
      counts.discarded = end - last - 1
    case .rejected(let named, _):
      counts.accepted = named - first
      counts.rejected = 1
      counts.discarded = end - named - 1
    }
    return counts
  }
}
