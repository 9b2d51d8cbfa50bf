"""Holds the oracle to the cases of samples/corpus, whose expectations were worked out from how their bytes were composed.

Public vectors are read by the tests and by check-samples.
"""

import fnmatch
from datetime import datetime

import corpus_cases
from apnsift_tool import conclude
from oracle import tcp
from oracle.compare import BYTE_SUMS, Expected, differences, in_order
from oracle.decoder import KINDS, decode_connection, decode_dump, decode_dumps
from oracle.runs import Limits, parse_lengths
from oracle.wire import EARLIEST, LATEST

# Cases of samples/corpus that the oracle reads: raw dumps, and captures that tcp.py can read, with one copy of each byte.
LEAST_CASES = 231
CAPTURES = """
    acknowledged-* ciphertext* copy-with-more fin-* first-byte-* gap gap-at-the-end gateway* identifier-* ipv4-options keep-alive*
    late-within-* midstream* one-direction out-of-order overlaps padding-* payload-in-syn reset response-* retransmission reversed
    syn-* text-of-a-mark two-gaps two-gateway-* whole-session window-probe-that-* wrap-around* wrong-checksums
""".split()


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


def run():
    checks = list(check_corpus())
    wrong = (f"{name}:\n  expected  {expected}\n  actual    {actual}" for name, expected, actual in checks if expected != actual)
    conclude(wrong, f"{len(checks)} checks of the oracle hold")
