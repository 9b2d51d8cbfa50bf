"""Dumps and connections decoded: the runs of each direction, and what became of requests."""

from oracle.correlation import correlate
from oracle.feedback import TupleRun
from oracle.gateway import RequestRun, ResponseRun
from oracle.runs import Limits, decode, split_at_gaps

UNREAD = {"stream-gap", "midstream-start", "skipped-bytes"}  # bytes of requests are missing or skipped
KINDS = {"feedback": TupleRun, "requests": RequestRun, "responses": ResponseRun}


def decode_dump(dump, kind="feedback", limits=Limits()):
    """Everything the rules say about one dump, in the order of the stream."""
    return decode_dumps({kind: dump}, limits)[0]


def decode_dumps(dumps, limits):
    """The directions of a connection, of {kind: dump}."""
    return decode_connection([decode(KINDS[kind], split_at_gaps(dump), limits) for kind, dump in dumps.items()], limits)


def decode_connection(directions, limits):
    """Sets the outcomes of the records of a connection, which may have only one direction."""
    requests = [record for one in directions for record in one.records if record["type"] == "request"]
    responses = [record for one in directions for record in one.records if record["type"] == "response"]
    is_incomplete = any(
        finding["code"] in UNREAD for one in directions if one.kind is RequestRun for finding in one.findings
    )
    first_left = correlate(requests, responses, limits.pending, is_incomplete)
    for direction in directions:
        if first_left and direction.kind is RequestRun:
            origin = {key: first_left[key] for key in ("file_offset", "packet")}
            direction.find("pending-limit", first_left["offset"], origin)
        for record in direction.records:
            record["flags"] = sorted(record["flags"])
    return directions
