"""What an export must say of a case, worked out from its parts, and where expected.ndjson says something else."""

import hashlib
import json
from collections import Counter

SEVERITIES = {
    "error": (
        "skipped-bytes", "truncated-record", "encrypted-stream", "stream-gap", "damaged-capture", "malformed-frame",
        "unknown-command", "unreadable-input", "late-segment", "malformed-packet",
    ),
    "warning": (
        "conflicting-overlap", "midstream-start", "truncated-packet", "pending-limit", "buffer-limit",
        "connection-evicted", "fragment-missing", "fragment-overlap", "duplicate-input",
    ),
    "note": ("separating-bytes", "unsupported-link-type", "unrecognised-input", "unverified-retransmission"),
}  # fmt: skip
SEVERITY = {code: severity for severity, codes in SEVERITIES.items() for code in codes}
RECORDS = ("feedback", "request", "response", "push")


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


def with_severity(item):
    return {**item, "severity": SEVERITY[item["code"]]} if item["type"] == "finding" else item


def stream_object(stream, position, described):
    present = {role: sum(len(part.data) for part in getattr(stream, role)) for role in ("client", "server")}
    missing = {role: sum(part.missing or 0 for part in getattr(stream, role)) for role in ("client", "server")}
    return {
        "type": "stream", **position, "protocol": stream.protocol, "client": stream.peers[0], "server": stream.peers[1],
        "client_bytes": present["client"], "server_bytes": present["server"], "client_gap_bytes": missing["client"],
        "server_gap_bytes": missing["server"], "records": sum(item["type"] in RECORDS for item in described),
        "findings": sum(item["type"] == "finding" for item in described), **stream.fields,
    }  # fmt: skip


def objects(case):
    """All objects of the export but header and summary. Keys that are not known here are absent."""
    nowhere = {"source": sources(case)[0], "stream": None, "direction": None, "offset": None}
    found = [with_severity({"type": "finding", **nowhere, **item}) for item in case.findings]
    for stream, source, number in numbered(case):
        position = {"source": source, "stream": number}
        described = list(positioned(stream, position))
        described += [with_severity({"type": "finding", **position, **item}) for item in stream.findings]
        yield from described
        yield stream_object(stream, position, described)
    yield from found


def sums(case):
    """Bytes by what became of them. Parts of ciphertext, and of undecoded protocols, are opaque."""
    total = Counter()
    for stream in case.streams:
        for part in (*stream.client, *stream.server):
            total[part.kind] += length_of(part)
    return total


def summary(case, described):
    total, counts = sums(case), Counter(item["type"] for item in described)
    severities = Counter(SEVERITY[item["code"]] for item in described if item["type"] == "finding")
    records = [item for item in described if item["type"] in RECORDS]
    times = [item["timestamp"] for item in records if "timestamp" in item and "implausible-timestamp" not in item["flags"]]
    record_bytes, skipped_bytes = total["record"] + total["separator"], total["skipped"] + total["rest"]
    return {
        "type": "summary", "inputs": [input_object(case, source) for source in sources(case) if source not in case.unread],
        "streams": len(case.streams), "stream_bytes": record_bytes + skipped_bytes + total["truncated"],
        "record_bytes": record_bytes, "skipped_bytes": skipped_bytes, "truncated_bytes": total["truncated"],
        "undecoded_bytes": total["opaque"], "gap_bytes": total["gap"], "feedback": counts["feedback"],
        "distinct_tokens": None, "requests": counts["request"], "responses": counts["response"],
        "findings": {severity: severities[severity] for severity in SEVERITIES},
        "flags": dict(sorted(Counter(flag for item in records for flag in item["flags"]).items())),
        "earliest": min(times, default=None), "latest": max(times, default=None),
    }  # fmt: skip


def input_object(case, source):
    data = case.inputs[source]
    return {"source": source, "format": case.format, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def agrees(truth, said):
    return all(said.get(key, "absent") == value for key, value in truth.items())


def compare(case, said):
    """Where the objects of expected.ndjson do not say what the case must give."""
    if case.pushes is not None:
        return (yield from compare_pushes(case, said))
    described = list(objects(case))
    described.append(summary(case, described))
    left = [item for item in said if item["type"] != "header"]
    for truth in described:
        match = next((item for item in left if agrees(truth, item)), None)
        if match is None:
            yield f"lacks {show(truth)}{nearest(truth, left)}"
        else:
            left.remove(match)
    yield from (f"has too much: {show(item)}" for item in left)


def compare_pushes(case, said):
    left = [item for item in said if item["type"] == "push"]
    for truth in case.pushes:
        match = next((item for item in left if agrees(truth, item)), None)
        if match is None:
            yield f"lacks {show(truth)}"
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
