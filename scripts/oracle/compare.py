"""What the command must print by the oracle, and where it prints something else.

A batch is a number of inputs that one process reads. Its inputs are kept in .build/cross-check where the command differs, with
the command that shows it.
"""

import json
import random
import shlex
import shutil
import sys
from collections import Counter

from apnsift_tool import KEPT, ROOT, program, run, sections

LINES = 12  # of a difference that are printed
RECORDS = ("feedback", "request", "response", "push")
BYTE_SUMS = ["stream_bytes", "record_bytes", "skipped_bytes", "truncated_bytes", "undecoded_bytes", "gap_bytes"]
SEVERITIES = sections(ROOT / "scripts" / "oracle" / "codes.txt")
SEVERITY = {code: severity for severity, codes in SEVERITIES.items() for code in codes}


def with_severity(item):
    return {**item, "severity": SEVERITY[item["code"]]} if item["type"] == "finding" else item


class Expected:
    """The objects of one run of the command, in the keys that are compared, from directions that the oracle decoded."""

    def __init__(self):
        self.objects = []
        self.sums = dict.fromkeys(BYTE_SUMS, 0)

    def add(self, source, number, directions, **more):
        """A connection, or a lone direction; `more` are keys of its stream object."""
        location = {"source": source, "stream": number}
        described = [item for one in directions for item in objects_of(location, one)]
        stream = {"type": "stream", **location, **protocol_key(directions), **more}
        for role in ("client", "server"):
            own = [one for one in directions if one.role == role]
            stream[f"{role}_bytes"] = sum(one.stream_bytes + one.undecoded_bytes for one in own)
            stream[f"{role}_gap_bytes"] = sum(one.gap_bytes for one in own)
        stream["records"] = sum(item["type"] in RECORDS for item in described)
        stream["findings"] = sum(item["type"] == "finding" for item in described)
        self.objects += [*described, stream]
        for name in BYTE_SUMS:
            self.sums[name] += sum(getattr(one, name) for one in directions)

    def add_repeated(self, contents):
        """Findings about each input that repeats an earlier one, of {path: bytes} (docs/reference/findings.md)."""
        seen = set()
        for path, content in contents.items():
            if content and content in seen:
                location = {"source": path, "stream": None, "direction": None, "offset": None}
                self.objects.append(with_severity({"type": "finding", **location, "code": "duplicate-input"}))
            seen.add(content)

    def of(self, source):
        return [item for item in self.objects if item["source"] == source]

    def summary(self):
        """The parts of a summary that follow from the sums of bytes and all other objects."""
        counts = Counter(item["type"] for item in self.objects)
        severities = Counter(SEVERITY[item["code"]] for item in self.objects if item["type"] == "finding")
        records = [item for item in self.objects if item["type"] in RECORDS]
        times = [item["timestamp"] for item in records if "timestamp" in item and "implausible-timestamp" not in item["flags"]]
        return {
            "type": "summary", **self.sums, "streams": counts["stream"], "feedback": counts["feedback"],
            "requests": counts["request"], "responses": counts["response"],
            "findings": {severity: severities[severity] for severity in SEVERITIES},
            "flags": dict(sorted(Counter(flag for item in records for flag in item["flags"]).items())),
            "earliest": min(times, default=None), "latest": max(times, default=None),
        }  # fmt: skip


def objects_of(location, direction):
    for record in direction.records:
        yield {**location, "original_packet": None, "captured_at": None, **record}
    for finding in direction.findings:
        yield with_severity({**location, **{key: value for key, value in finding.items() if key != "captured_at"}})


def protocol_key(directions):
    """Omitted if only one direction is ciphertext: the interface leaves that open."""
    with_bytes = [one for one in directions if one.stream_bytes + one.undecoded_bytes > 0]
    encrypted = [one for one in with_bytes if one.is_encrypted]
    if encrypted and len(encrypted) < len(with_bytes):
        return {}
    return {"protocol": "encrypted" if encrypted else directions[0].kind.protocol}


def run_export(command):
    """The objects between header and summary, and the summary."""
    header, *objects, last = map(json.loads, run(command).removesuffix("\n").split("\n"))
    if header["type"] != "header" or last["type"] != "summary":
        sys.exit(f"{program()}: the first object is no header or the last no summary: {shlex.join(command)}")
    return objects, last


def identity(item):
    """The identity of an object; objects of one location may be in any order."""
    stream, offset = (-1 if number is None else number for number in (item.get("stream", 0), item.get("offset")))
    return stream, item.get("direction") or "", offset, item["type"], item.get("code") or ""


def in_order(objects):
    """Objects in a comparable order."""
    return sorted(objects, key=lambda item: (identity(item), item.get("length") or 0))


def wrong_keys(expected, actual):
    return [key for key, value in expected.items() if key not in actual or actual[key] != value]


def same(expected, actual):
    """The command may say more than the oracle knows (message …), but not differ in what it knows."""
    return len(expected) == len(actual) and not any(map(wrong_keys, expected, actual))


def in_stream_order(objects):
    """In each direction in order of offset; only a ciphertext's finding comes at its end, when its length is known."""
    last = {}
    for item in objects:
        if item.get("offset") is None or item.get("code") == "encrypted-stream":
            continue
        direction = item["source"], item["stream"], item["direction"]
        if item["offset"] < last.get(direction, 0):
            return False
        last[direction] = item["offset"]
    return True


def text(item, keys=None):
    """An object in a line, without what does not apply to it."""
    keys = keys or [key for key, value in item.items() if value is not None]
    text = json.dumps({key: item.get(key, "(absent)") for key in keys}, ensure_ascii=False)
    return text if len(text) <= 400 else text[:400] + "…"


def differences(expected, actual):
    """Lines about objects that are missing, too many, or differ in some keys."""
    waiting = {}
    for item in in_order(actual):
        waiting.setdefault(identity(item), []).append(item)
    for item in in_order(expected):
        if not (there := waiting.get(identity(item))):
            yield f"missing   {text(item)}"
            continue
        other = there.pop(0)
        if keys := wrong_keys(item, other):
            location = " ".join(str(part) for part in identity(item) if part != "")
            yield f"at {location}\n    expected  {text(item, keys)}\n    apnsift   {text(other, keys)}"
    for item in (one for items in waiting.values() for one in items):
        yield f"too many  {text(item)}"


def differing(seed, name, make_batch):
    """What differs in a batch, whose inputs are kept then.

    `make_batch` takes a generator and a directory; its batch yields (what, command, lines) of each difference.
    """
    directory = KEPT / f"{program()}-{seed}-{name}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    found = list(make_batch(random.Random(f"{seed} {name}"), directory).check())
    if not found:
        shutil.rmtree(directory)
    for what, command, lines in found:
        lines = list(lines) or ["the order of offsets in a direction"]
        lines[LINES:] = [f"… and {len(lines) - LINES} more"] if len(lines) > LINES else []
        yield "\n  ".join([f"{what} differs: {shlex.join(map(str, command))}", *lines])
