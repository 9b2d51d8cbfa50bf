"""What became of requests: the rules of correlation for one connection, over all of its records in memory.

A record says when it was captured by `packet` (from 1) and, within one, `offset`. Records of dumps have no packet: of a
pair, all requests come before all responses.
"""

from collections import defaultdict, deque

SHUTDOWN, NO_ERROR = 10, 0  # statuses that name no failure


def correlate(requests, responses, max_pending):
    """Sets `outcome` and `outcome_status` of requests, and `request_offset`, `token` and flags of responses.

    Returns the first request that left because too many waited, or None.
    """
    connection = Connection(max_pending)
    for record in sorted(requests + responses, key=moment):
        if record["type"] == "request":
            connection.sent(record)
        else:
            connection.answered(record)
    for request in requests:
        request["outcome"], request["outcome_status"] = connection.outcome(request)
    return connection.first_left


def moment(record):
    return record["packet"] or 0, record["type"] == "response", record["offset"]


def swapped(identifier):
    return int.from_bytes(identifier.to_bytes(4, "big"), "little")


class Connection:
    def __init__(self, max_pending):
        self.max_pending = max_pending
        self.carriers = defaultdict(list)  # identifier: requests that carry it, in the order of the capture
        self.waiting = deque()
        self.left = set()  # offsets of requests that waited too long
        self.first_left = None
        self.is_answered = False
        self.status = None
        self.decided_at = None  # offset of the request that the first response found

    def sent(self, request):
        if request["identifier"] is not None:
            self.carriers[request["identifier"]].append(request)
        if self.is_answered:
            return
        self.waiting.append(request)
        if len(self.waiting) > self.max_pending:
            oldest = self.waiting.popleft()
            self.left.add(oldest["offset"])
            self.first_left = self.first_left or oldest

    def answered(self, response):
        request, flags = self.find(response["identifier"])
        response["flags"] |= flags | ({"after-close"} if self.is_answered else set())
        response["request_offset"] = request and request["offset"]
        response["token"] = request and request["token"]
        if not self.is_answered and request:
            self.status, self.decided_at = response["status"], request["offset"]
        self.is_answered = True

    def find(self, identifier):
        """The request that a response names, and the flags that it gets by that."""
        request = self.last(identifier)
        if request:
            return request, set()
        request = self.last(swapped(identifier))
        return request, {"identifier-swapped" if request else "uncorrelated"}

    def last(self, identifier):
        carriers = self.carriers.get(identifier, [])
        if not carriers or (identifier == 0 and len(carriers) > 1) or carriers[-1]["offset"] in self.left:
            return None
        return carriers[-1]

    def outcome(self, request):
        offset = request["offset"]
        if self.decided_at is None or self.status == NO_ERROR or offset in self.left:
            return "unknown", None
        if offset > self.decided_at:
            return "discarded", None
        if offset < self.decided_at or self.status == SHUTDOWN:
            return "accepted", None
        return "rejected", self.status
