"""Holds the oracle to cases that were worked out by hand from the rules.

The cases are those of samples/corpus, whose expectations were worked out from how their bytes were composed, and some more of a
gateway below. Public vectors are read by the tests and by check-samples.
"""

import fnmatch
from datetime import datetime

import corpus_cases
from apnsift_tool import conclude
from oracle import tcp
from oracle.compare import BYTE_SUMS, Expected, differences, in_order
from oracle.correlation import correlate
from oracle.decoder import KINDS, decode_connection, decode_dump, decode_dumps
from oracle.runs import Limits, parse_lengths
from oracle.wire import EARLIEST, LATEST, error_bytes, fixed_bytes, frame_bytes, item, mark

# Cases of samples/corpus that the oracle reads: raw dumps, and captures that tcp.py can read, with one copy of each byte.
LEAST_CASES = 221
CAPTURES = """
    acknowledged-* ciphertext* copy-with-more fin-* first-byte-* gap gap-at-the-end gateway* identifier-* ipv4-options keep-alive*
    late-within-* midstream* one-direction out-of-order overlaps padding-* payload-in-syn reset response-* retransmission reversed
    syn-* text-of-a-mark two-gaps two-gateway-* whole-session window-probe-that-* wrap-around* wrong-checksums
""".split()
TOKEN, PAYLOAD = b"\xa1" * 32, b'{"aps":{}}'
SIMPLE = fixed_bytes(0, None, None, TOKEN, PAYLOAD)  # 47 bytes
ONE = error_bytes(8, 1)
CUT_OFF, SKIPPED, GAP = "truncated-record", "skipped-bytes", "stream-gap"
BAD_FRAME, BAD_COMMAND = "malformed-frame", "unknown-command"

# What no case of samples/corpus has. name: (dump, (offset, flags…) of each record, (code, offset, length) of each finding)
REQUESTS = {
    "nothing": (b"", [], []),
    "four zeros after": (SIMPLE + bytes(4), [(0,)], [(CUT_OFF, 47, 4)]),
    "five zeros after": (SIMPLE + bytes(5), [(0, "unconfirmed-boundary")], [(BAD_FRAME, 47, 1), (SKIPPED, 47, 5)]),
    "a frame whose end is nowhere": (
        frame_bytes(b"\0\0\0") + b"\xff",
        [(0, "malformed-items", "unconfirmed-boundary", "unknown-item")],
        [(BAD_COMMAND, 8, 1), (SKIPPED, 8, 1)],
    ),
    "a rest after a gap": (
        SIMPLE[:20] + mark(7) + SIMPLE[27:] + SIMPLE, [(47,)], [(CUT_OFF, 0, 20), (GAP, 20, 7), (SKIPPED, 27, 20)],
    ),
    "nothing to begin with after a gap": (mark(9) + SIMPLE[:46], [], [(GAP, 0, 9), (SKIPPED, 9, 46)]),
    "an unknown item that is cut": (
        frame_bytes(item(1, TOKEN), item(2, PAYLOAD), item(9, b"", 1)), [(0, "malformed-items")], [],
    ),
    "the poison of an orderly end": (
        frame_bytes(item(3, b"\0\0\0\7"), item(1, b""), item(2, b""), item(4, bytes(4)), item(5, b"\x0a")),
        [(0, "payload-not-json", "zero-length-token")], [],
    ),
}  # fmt: skip
RESPONSES = {
    "five bytes after a gap": (mark(3) + ONE[:5], [], [(GAP, 0, 3), (SKIPPED, 3, 5)]),
    "one after a gap": (mark(3) + b"\1" + ONE * 2, [(4,), (10,)], [(GAP, 0, 3), (SKIPPED, 3, 1)]),
}

# name: (identifiers of requests, (status, identifier, requests captured before it) of the response, longest wait,
#        initials of the outcomes, index of the request that is named or None)
CORRELATIONS = {
    "too many wait": ([1, 2, 3, 4], (8, 3, 4), 2, "uurd", 2),
    "one that left may have had it": ([1, 5, 3, 2, 4], (8, 2, 5), 3, "uuuuu", None),
    "none waits after a response": ([1, 2, 3, 4], (8, 1, 1), 1, "rddd", 0),
}


def is_read(case):
    area, name = case.name.split("/")
    if case.format == "capture":
        return area == "readers" or area == "capture" and any(fnmatch.fnmatch(name, pattern) for pattern in CAPTURES)
    return case.format == "raw" and all(name.endswith((".bin", ".txt")) for name in case.inputs)


def limits_of(case):
    earliest, latest = (case.option(name, default) for name, default in (("--earliest", EARLIEST), ("--latest", LATEST)))
    times = (datetime.fromisoformat(time).timestamp() if "-" in str(time) else time for time in (earliest, latest))
    numbers = [int(case.option(f"--max-{name}", default)) for name, default in (("payload", 4096), ("pending", 1_000_000))]
    lengths = parse_lengths(case.option("--token-length", "32"))
    return Limits(lengths, int(case.option("--max-token-length", 100)), *map(int, times), *numbers)


def connections(case):
    """(source, number, directions, keys of the stream object) of what the oracle reads: dumps, a pair of dumps, or a capture."""
    limits, streams = limits_of(case), case.of("stream")
    if case.format == "capture":
        capture = tcp.read(case.inputs[case.sources[0]], int(streams[0]["server"].rpartition(":")[2]))
        kinds = ["requests", "responses"] if streams[0]["client_bytes"] else ["feedback"]
        for number, port in enumerate(capture.ports):
            directions = [tcp.decode_captured(KINDS[kind], capture, port, limits) for kind in kinds]
            yield case.sources[0], number, decode_connection(directions, limits), capture.described(port)
    elif case.is_pair:
        contents = dict(zip(("requests", "responses"), map(case.inputs.get, case.sources)))
        yield case.sources[0], 0, decode_dumps(contents, limits), {}
    else:
        for stream in streams:
            sent = "feedback" if stream["protocol"] != "gateway" else "requests" if stream["client_bytes"] else "responses"
            yield stream["source"], stream["stream"], [decode_dump(case.inputs[stream["source"]], sent, limits)], {}


def check_corpus():
    """The objects of each case, in the keys that both it and the oracle know."""
    cases = [case for case in corpus_cases.collect() if is_read(case)]
    yield "cases of samples/corpus", True, len(cases) >= LEAST_CASES
    for case in cases:
        found = Expected()
        for *connection, keys in connections(case):
            found.add(*connection, **keys)
        yield case.name, {name: case.summary[name] for name in BYTE_SUMS}, found.sums
        # What an input as a whole is like, the oracle does not ask.
        here = in_order(item for item in case.expected if item.get("code") != "unrecognised-input")
        there = in_order(found.objects)
        keys = [one.keys() & other.keys() for one, other in zip(here, there)]
        yield case.name, len(here), len(there)
        here, there = ([{key: item[key] for key in some} for item, some in zip(items, keys)] for items in (here, there))
        yield case.name, [], list(differences(here, there))


def check_cases(kind, cases):
    for name, (content, records, findings) in cases.items():
        one = decode_dump(content, kind)
        actual = [(record["offset"], *sorted(set(record["flags"]) - {"uncorrelated", "after-close"})) for record in one.records]
        yield name, records, actual
        yield name, sorted(findings), sorted((item["code"], item["offset"], item["length"]) for item in one.findings)


def check_correlations():
    for name, (identifiers, (status, identifier, before), longest_wait, outcomes, named) in CORRELATIONS.items():
        requests = [
            {"type": "request", "packet": 10 * index + 10, "offset": 100 * index, "identifier": number, "token": str(index)}
            for index, number in enumerate(identifiers)
        ]
        response = {"type": "response", "packet": 10 * before + 1, "offset": 0, "status": status, "identifier": identifier,
            "flags": set()}
        correlate(requests, [response], longest_wait)
        yield name, outcomes, "".join(request["outcome"][0] for request in requests)
        yield name, None if named is None else 100 * named, response["request_offset"]
        yield name, set() if named is not None else {"uncorrelated"}, response["flags"]


def run():
    cases = *check_cases("requests", REQUESTS), *check_cases("responses", RESPONSES)
    checks = [*check_corpus(), *cases, *check_correlations()]
    wrong = (f"{name}:\n  expected  {expected}\n  actual    {actual}" for name, expected, actual in checks if expected != actual)
    conclude(wrong, f"{len(checks)} checks of the oracle hold")
