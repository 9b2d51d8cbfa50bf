"""The origins of objects: packets, times and file offsets. They follow from how the files were written."""

from cases import truth
from cases.wire import join

FIRST_BYTE = {
    "feedback": lambda record: record["timestamp"] >> 24,
    "request": lambda record: record["command"],
    "response": lambda record: 8,
    "push": lambda record: ord("{"),  # a line of a log
}
DUMPS = ("raw", "hex", "base64")  # formats that know of no packets


def faults(case, items):
    known = in_dumps(case)
    for item in items:
        files = known.get((item.get("source"), item.get("direction"), item.get("offset")))
        if files and item["file_offset"] not in files:
            yield f"is at file offset {files[-1]}: {truth.show(item)}"
        position = next(position_faults(case, item), None) if item.get("source") else None
        if position:
            yield f"{position}: {truth.show(item)}"


def position_faults(case, item):
    spans = case.spans.get(item["source"])
    if item["type"] in truth.RECORDS:
        yield from first_byte(case, item)
    if case.format in DUMPS:
        yield from without_packets(item)
    elif item["type"] == "stream":
        yield from packets_of_stream(case, item, spans)
    elif spans and item["packet"]:
        yield from packet(item, spans[item["packet"] - 1])


def first_byte(case, record):
    """A record's file offset leads to its first byte."""
    if not case.positions:
        return
    source = record["source"]
    if truth.is_pair(case):
        source = truth.sources(case)[record["direction"] == "server"]
    at, data = record["file_offset"], case.inputs[source]
    if (data[at] if case.positions == "bytes" else int(data[at : at + 2], 16)) != FIRST_BYTE[record["type"]](record):
        yield f"file offset {at} does not lead to the first byte"


def without_packets(item):
    keys = ("packet", "captured_at", "original_packet", "first_packet", "last_packet", "started_at", "ended_at")
    if any(item.get(key) is not None for key in keys):
        yield "a dump knows of no packets"


def packet(item, span):
    """The file offset is in the named packet, and the time is its own."""
    if item["file_offset"] is not None and not span.begin <= item["file_offset"] < span.end:
        yield f"the file offset is not in packet {item['packet']}, which is at [{span.begin}, {span.end})"
    if span.time and item.get("captured_at", span.time) != span.time:
        yield f"packet {item['packet']} was captured at {span.time}"


def packets_of_stream(case, stream, spans):
    """A stream that is alone in its capture has all packets, unless the case says otherwise."""
    ours = [one for one, source, _ in truth.numbered(case) if source == stream["source"]]
    if not spans or "--join" in case.options:
        return
    first, last = stream["first_packet"], stream["last_packet"]
    if len(ours) == 1 and not ours[0].fields and (first, last) != (1, len(spans)):
        yield f"packets 1 to {len(spans)} are all of this stream"
    for key, number in (("started_at", first), ("ended_at", last)):
        if spans[number - 1].time not in (None, stream[key]):
            yield f"packet {number} was captured at {spans[number - 1].time}"


def in_dumps(case):
    """File offsets in raw dumps, by source, direction and offset: those of the parts, and of the marks for gaps."""
    if case.format != "raw" or case.positions != "bytes" or case.spans:
        return {}
    known = {}
    for stream, source, number in truth.numbered(case):
        for role in ("client", "server"):
            parts = getattr(stream, role)
            name = truth.sources(case)[role == "server"] if truth.is_pair(case) else source
            if parts and case.inputs[name] == join(parts):
                for at, file in both_offsets(parts):
                    known.setdefault((source, role, at), []).append(file)  # several where a gap has no length
    return known


def both_offsets(parts):
    at = file = 0
    for part in parts:
        yield at, file
        at, file = at + truth.length_of(part), file + len(join([part]))
