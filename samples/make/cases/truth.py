"""What an export must say of a case, worked out from its parts, and where expected.ndjson says something else."""

import hashlib
import json
from collections import Counter

from oracle.compare import RECORDS, stream_object, summary as summarised, with_severity


def is_pair(case):
    return "--requests" in case.options or "--responses" in case.options


def sources(case):
    """The inputs that an export reads, in its order."""
    if is_pair(case):
        return [case.options[case.options.index(option) + 1] for option in ("--requests", "--responses")]
    return sorted(case.inputs, key=str.encode)


def numbered(case):
    """The streams with their sources and numbers, which count from 0 in each input, or in all of a joined capture."""
    seen = Counter()
    for stream in case.streams:
        source = stream.source or sources(case)[0]
        group = None if "--join" in case.options else source
        yield stream, source, seen[group]
        seen[group] += 1


def length_of(part):
    return len(part.data) if part.missing is None else part.missing


def positioned(stream, position):
    """The objects that the parts of both directions say, with their offsets."""
    peers = dict(zip(("client", "server"), stream.peers))
    for role in ("client", "server"):
        at = 0
        for part in getattr(stream, role):
            for described in part.truth:
                more = {} if described["type"] == "finding" else {"original_packet": None}
                more |= peers if described["type"] == "feedback" else {}
                packet = stream.packets.get((role, at))
                known = {} if packet is None else {"packet": packet}
                yield with_severity({**position, "direction": role, "offset": at, **more, **known, **described})
            at += length_of(part)


def parts_of(stream):
    return [(role, part) for role in ("client", "server") for part in getattr(stream, role)]


def objects(case):
    """All objects of the export but header and summary. Keys that are not known here are absent."""
    nowhere = {"source": sources(case)[0], "stream": None, "direction": None, "offset": None}
    found = [with_severity({"type": "finding", **nowhere, **item}) for item in case.findings]
    for stream, source, number in numbered(case):
        position = {"source": source, "stream": number}
        described = list(positioned(stream, position))
        described += [with_severity({"type": "finding", **position, **item}) for item in stream.findings]
        yield from described
        sent = [(role, len(part.data), part.missing or 0) for role, part in parts_of(stream)]
        peers = {"protocol": stream.protocol, "client": stream.peers[0], "server": stream.peers[1]}
        yield {**stream_object(position, sent, described), **peers, **stream.fields}
    yield from found


def sums(case):
    """Bytes by what became of them. Parts of ciphertext, and of undecoded protocols, are opaque."""
    total = Counter()
    for stream in case.streams:
        for _, part in parts_of(stream):
            total[part.kind] += length_of(part)
    return total


def summary(case, described):
    total = sums(case)
    record_bytes, skipped_bytes = total["record"] + total["separator"], total["skipped"] + total["rest"]
    inputs = [input_object(case, source) for source in sources(case) if source not in case.unread]
    parts = {
        "inputs": inputs, "stream_bytes": record_bytes + skipped_bytes + total["truncated"],
        "record_bytes": record_bytes, "skipped_bytes": skipped_bytes, "truncated_bytes": total["truncated"],
        "undecoded_bytes": total["opaque"], "gap_bytes": total["gap"], "distinct_tokens": None,
    }  # fmt: skip
    return summarised(parts, described)


def input_object(case, source):
    data = case.inputs[source]
    return {"source": source, "format": case.format, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def agrees(truth, said):
    return all(said.get(key, "absent") == value for key, value in truth.items())


def compare(case, said):
    """Where the objects of expected.ndjson do not say what the case must give."""
    if case.pushes is not None:
        described, left = case.pushes, [item for item in said if item["type"] == "push"]
    else:
        described, left = list(objects(case)), [item for item in said if item["type"] != "header"]
        described.append(summary(case, described))
    for truth in described:
        match = next((item for item in left if agrees(truth, item)), None)
        if match is None:
            yield f"lacks {show(truth)}{nearest(truth, left)}"
        else:
            left.remove(match)
    yield from (f"has too much: {show(item)}" for item in left)


def nearest(truth, left):
    """The object that may have been meant."""
    keys = ("type", "source", "stream", "direction", "offset", "code")
    like = [item for item in left if all(item.get(key) == truth.get(key, item.get(key)) for key in keys)]
    if not like:
        return ""
    other = {key: like[0].get(key) for key, value in truth.items() if like[0].get(key) != value}
    return f"; one like it has {show(other)}"


def show(item):
    return json.dumps(item, ensure_ascii=False)
