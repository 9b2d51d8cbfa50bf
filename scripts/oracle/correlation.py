"""What became of requests: the rules of correlation for one connection, over all of its records in memory.

A record says when it was captured by `packet` (from 1) and, within one, `offset`. Records of dumps have no packet: of a
pair, all requests come before all responses.
"""

from collections import Counter, defaultdict, deque
from itertools import takewhile

from oracle.wire import swapped

SHUTDOWN, NO_ERROR = 10, 0  # statuses that name no failure
OF_TOKEN = {2, 5, 8}  # a gateway refuses each request with the same token alike
OF_REQUEST = {3, 4, 6, 7}  # likewise, if the payloads are of the same length, too


def correlate(requests, responses, max_pending, is_incomplete):
    """Sets `outcome` and `outcome_status` of requests, and `request_offset`, `token` and flags of responses.

    `is_incomplete`: whether bytes of the requests are missing or skipped.
    Returns the first request that left because too many waited, or None.
    """
    in_order = sorted(requests + responses, key=moment)
    connection = Connection(max_pending, is_incomplete and not have_own_identifiers(in_order, max_pending))
    for record in in_order:
        (connection.sent if record["type"] == "request" else connection.answered)(record)
    for request in requests:
        request["outcome"], request["outcome_status"] = connection.outcome(request)
    return connection.first_left


def have_own_identifiers(in_order, max_pending):
    """Do requests that still wait have several identifiers, each with one token?"""
    sent_first = list(takewhile(lambda record: record["type"] == "request", in_order))
    waiting = in_order[max(0, len(sent_first) - max_pending) :]
    pairs = {(item["identifier"], item["token"]) for item in waiting if item["type"] == "request"}
    tokens = Counter(identifier for identifier, _ in pairs if identifier is not None)
    return len(tokens) > 1 and max(tokens.values()) == 1


def moment(record):
    return record["packet"] or 0, record["type"] == "response", record["offset"]


class Connection:
    def __init__(self, max_pending, may_miss_any):
        self.max_pending = max_pending
        self.may_miss_any = may_miss_any  # missing bytes may hold a request with any identifier
        self.carriers = defaultdict(list)  # identifier: requests that carry it, in the order of the capture
        self.waiting = deque()
        self.left = set()  # offsets of requests that waited too long
        self.left_identifiers = []
        self.first_left = None
        self.is_answered = False
        self.accepted_before = 0  # the offset up to which requests were accepted
        self.discarded_after = None  # the offset of the last request before those that are discarded
        self.refused = None  # the offset and the status of the refused request

    def sent(self, request):
        if request["identifier"] is not None:
            self.carriers[request["identifier"]].append(request)
        if self.is_answered:
            return
        self.waiting.append(request)
        if len(self.waiting) > self.max_pending:
            oldest = self.waiting.popleft()
            self.left.add(oldest["offset"])
            if oldest["identifier"] is not None:
                self.left_identifiers.append(oldest["identifier"])
            self.first_left = self.first_left or oldest

    def answered(self, response):
        candidates, flags = self.candidates(response["identifier"])
        request = named(response["status"], candidates)
        flags |= set() if request else {"uncorrelated"}
        response["flags"] |= flags | ({"after-close"} if self.is_answered else set())
        response["request_offset"] = request and request["offset"]
        response["token"] = request and request["token"]
        if not self.is_answered and candidates and response["status"] != NO_ERROR:
            self.decide(response["status"], [item["offset"] for item in candidates], request)
        self.is_answered = True

    def decide(self, status, offsets, request):
        """The gateway read one of the requests at `offsets` last; which one is known if there is a `request`."""
        first, last = min(offsets), max(offsets)
        self.accepted_before, self.discarded_after = first + (status == SHUTDOWN), last
        if request and status != SHUTDOWN:
            self.refused, self.discarded_after = (request["offset"], status), request["offset"]

    def candidates(self, identifier):
        """The requests that a response may name, and the flags that it gets by that."""
        if self.may_miss_any:
            return [], set()
        for wanted, flags in ((identifier, set()), (swapped(identifier), {"identifier-swapped"})):
            if self.left_identifiers and min(self.left_identifiers) <= wanted <= max(self.left_identifiers):
                break
            if found := self.carriers.get(wanted, []):
                return (found, flags) if wanted or len(found) == 1 else ([], set())
        return [], set()

    def outcome(self, request):
        offset = request["offset"]
        if offset in self.left or self.discarded_after is None:
            return "unknown", None
        if self.accepted_before <= offset <= self.discarded_after:
            return ("rejected", self.refused[1]) if self.refused and offset == self.refused[0] else ("unknown", None)
        return "accepted" if offset < self.accepted_before else "discarded", None


def named(status, candidates):
    """The one request that a response with `status` names; None if there is none, or if it may be any of several.

    A gateway reads in order, and stops at the first request that it refuses.
    """
    if len(candidates) > 1:
        tokens = {request["token"] for request in candidates}
        lengths = {request.get("payload_length") or 0 for request in candidates}
        is_alike = status in OF_TOKEN or (status in OF_REQUEST and len(lengths) == 1)
        if len(tokens) > 1 or not is_alike:
            return None
    return min(candidates, key=lambda request: request["offset"], default=None)
