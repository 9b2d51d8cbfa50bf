"""Dumps and connections decoded: the runs of each direction, and what became of requests."""

from oracle.correlation import correlate
from oracle.feedback import TupleRun
from oracle.gateway import RequestRun, ResponseRun
from oracle.runs import Limits, decode, split_at_gaps
from oracle.tcp import decode_captured, read

UNREAD = {"stream-gap", "midstream-start", "skipped-bytes"}  # bytes of requests are missing or skipped
KINDS = {"feedback": TupleRun, "requests": RequestRun, "responses": ResponseRun}


def decode_dump(dump, kind="feedback", limits=Limits()):
    return decode_dumps({kind: dump}, limits)[0]


def decode_dumps(dumps, limits):
    """The directions of a connection, of {kind: dump}."""
    return decode_connection([decode(KINDS[kind], split_at_gaps(dump), limits) for kind, dump in dumps.items()], limits)


def decode_connection(directions, limits):
    """Sets the outcomes of the records of a connection, which may have only one direction."""
    records = [record for one in directions for record in one.records]
    requests, responses = ([record for record in records if record["type"] == kind] for kind in ("request", "response"))
    is_incomplete = any(finding["code"] in UNREAD for one in directions if one.kind is RequestRun for finding in one.findings)
    first_left = correlate(requests, responses, limits.pending, is_incomplete)
    for direction in directions:
        if first_left and direction.kind is RequestRun:
            origin = {key: first_left[key] for key in ("file_offset", "packet")}
            direction.find("pending-limit", first_left["offset"], origin)
        for record in direction.records:
            record["flags"] = sorted(record["flags"])
    return directions


def streams_of(content, port, kinds, limits):
    """(number, directions, keys of the stream object) of each connection of a capture, with a direction of each kind."""
    capture = read(content, port)
    for number, client in enumerate(capture.ports):
        directions = [decode_captured(KINDS[kind], capture, client, limits) for kind in kinds]
        yield number, decode_connection(directions, limits), capture.described(client)
