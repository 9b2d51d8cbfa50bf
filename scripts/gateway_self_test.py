"""Holds the reference of the gateway to cases worked out by hand from the rules, to public vectors, and to laws.

Vectors: Tests/Fixtures/apns-vectors.json (origins: Tests/Fixtures/README.md).
"""

import json
import random
import sys

from apnsift_tool import ROOT
from damaged_gateways import ODD_PAYLOADS, draw_object, draw_stream, frame, item, sized
from damaged_streams import mark
from reference_correlation import correlate
from reference_gateway import Limits, RequestRun, ResponseRun, decode, decode_connection, chunks_of_dump
from strict_json import is_json

TOKEN, PAYLOAD = b"\xa1" * 32, b'{"aps":{}}'  # 32 and 10 bytes
SIMPLE = b"\0" + sized(TOKEN) + sized(PAYLOAD)  # 47 bytes
ENHANCED = b"\1" + bytes([0, 0, 0, 7, 0, 0, 0, 0]) + sized(TOKEN) + sized(PAYLOAD)  # 55 bytes
TOO_LONG = ENHANCED[:43] + b"\0\x0b" + PAYLOAD  # says 11 bytes of payload, and has 10
ID, EXPIRY, PRIORITY = item(3, b"\0\0\0\7"), item(4, b"\0\0\0\0"), item(5, b"\x0a")


def frame_of(*items):
    return b"\2" + sized(b"".join(items), 4)


SOUND = frame_of(item(1, TOKEN), item(2, PAYLOAD), ID)  # 60 bytes
ONE = bytes.fromhex("080800000001")
NUL = b"\0"  # after a mark; a command 0 there would be taken for it
CUT_OFF, SKIPPED, GAP = "truncated-record", "skipped-bytes", "stream-gap"
BAD_FRAME, BAD_COMMAND, AGAIN = "malformed-frame", "unknown-command", "resynchronised"

# name: (dump, (offset, flags…) of each record, (code, offset, length) of each finding)
REQUESTS = {
    "nothing": (b"", [], []),
    "all commands": (SIMPLE + ENHANCED + SOUND, [(0,), (47,), (102,)], []),
    "a lost byte": (SIMPLE[:10] + SIMPLE[11:] + SIMPLE * 2, [(46, AGAIN), (93,)], [(SKIPPED, 0, 46)]),
    "zeros between": (
        SIMPLE + bytes(64) + SIMPLE,
        [(0, "unconfirmed-boundary"), (111, AGAIN)],
        [(BAD_FRAME, 47, 1), (SKIPPED, 47, 64)],
    ),
    "four zeros after": (SIMPLE + bytes(4), [(0,)], [(CUT_OFF, 47, 4)]),
    "five zeros after": (
        SIMPLE + bytes(5),
        [(0, "unconfirmed-boundary")],
        [(BAD_FRAME, 47, 1), (SKIPPED, 47, 5)],
    ),
    "a unrelated byte between": (
        SIMPLE + b"\xff" + SIMPLE,
        [(0, "unconfirmed-boundary"), (48, AGAIN)],
        [(BAD_COMMAND, 47, 1), (SKIPPED, 47, 1)],
    ),
    "a token beyond the limit": (b"\0\0\x65" + SIMPLE, [(3, AGAIN)], [(BAD_FRAME, 0, 1), (SKIPPED, 0, 3)]),
    "a frame beyond the limit": (b"\2\0\1\0\0" + SIMPLE, [(5, AGAIN)], [(BAD_FRAME, 0, 1), (SKIPPED, 0, 5)]),
    "a cut frame around a sound one": (b"\2\0\0\xff\xff" + SIMPLE, [(5, AGAIN)], [(SKIPPED, 0, 5)]),
    "a cut frame": (SIMPLE + SOUND[:59], [(0,)], [(CUT_OFF, 47, 59)]),
    "a length that is cut": (SIMPLE + b"\2\0\0\0", [(0,)], [(CUT_OFF, 47, 4)]),
    "a length one too large": (TOO_LONG + SIMPLE * 2, [(55, AGAIN), (102,)], [(SKIPPED, 0, 55)]),
    "a frame whose end is nowhere": (
        frame_of(b"\0\0\0") + b"\xff",
        [(0, "malformed-items", "unconfirmed-boundary", "unknown-item")],
        [(BAD_COMMAND, 8, 1), (SKIPPED, 8, 1)],
    ),
    "a gap in a frame": (SIMPLE[:20] + mark(27, NUL) + SIMPLE, [(47,)], [(CUT_OFF, 0, 20), (GAP, 20, 27)]),
    "a rest after a gap": (
        SIMPLE[:20] + mark(7, NUL) + SIMPLE[27:] + SIMPLE,
        [(47,)],
        [(CUT_OFF, 0, 20), (GAP, 20, 7), (SKIPPED, 27, 20)],
    ),
    "nothing to begin with after a gap": (mark(9, NUL) + SIMPLE[:46], [], [(GAP, 0, 9), (SKIPPED, 9, 46)]),
    "ciphertext": (b"\x16\3\1\0\5" + SIMPLE, [], [("encrypted-stream", 0, 52)]),
    "an empty frame": (frame_of(), [(0, "malformed-items")], []),
    "no payload": (frame_of(item(1, TOKEN)), [(0, "malformed-items")], []),
    "two tokens": (frame_of(item(1, TOKEN), item(2, PAYLOAD), item(1, TOKEN)), [(0, "malformed-items")], []),
    "two identifiers": (frame_of(item(1, TOKEN), item(2, PAYLOAD), ID, ID), [(0,)], []),
    "an identifier of 3 bytes": (
        frame_of(item(1, TOKEN), item(2, PAYLOAD), item(3, b"\0\0\7")),
        [(0, "malformed-items")],
        [],
    ),
    "items that fill less": (frame_of(item(1, TOKEN), item(2, PAYLOAD), b"\0\0"), [(0, "malformed-items")], []),
    "an unknown item": (frame_of(item(1, TOKEN), item(9, b""), item(2, PAYLOAD)), [(0, "unknown-item")], []),
    "an unknown item that is cut": (
        frame_of(item(1, TOKEN), item(2, PAYLOAD), item(9, b"", 1)),
        [(0, "malformed-items")],
        [],
    ),
    "priority 7": (frame_of(item(1, TOKEN), item(2, PAYLOAD), item(5, b"\7")), [(0, "unusual-priority")], []),
    "the poison of an orderly end": (
        frame_of(ID, item(1, b""), item(2, b""), EXPIRY, PRIORITY),
        [(0, "payload-not-json", "zero-length-token")],
        [],
    ),
    "a token of 33 bytes": (
        b"\0" + sized(TOKEN + b"\1") + sized(PAYLOAD),
        [(0, "unexpected-token-length")],
        [],
    ),
    "eight zeros in a token": (
        b"\0" + sized(TOKEN[:12] + bytes(8) + TOKEN[:12]) + sized(PAYLOAD),
        [(0, "zero-filled-token")],
        [],
    ),
    "257 bytes for command 0": (b"\0" + sized(TOKEN) + sized(b"1" * 257), [(0, "payload-too-large")], []),
    "2048 bytes for command 2": (frame_of(item(1, TOKEN), item(2, b"1" * 2048)), [(0,)], []),
    "2049 bytes for command 2": (
        frame_of(item(1, TOKEN), item(2, b"1" * 2049)),
        [(0, "payload-too-large")],
        [],
    ),
}
RESPONSES = {
    "one": (ONE, [(0,)], []),
    "an unknown status": (b"\x08\x09" + ONE[2:], [(0, "unknown-status")], []),
    "fewer than six": (b"\xff" * 5, [], [(CUT_OFF, 0, 5)]),
    "a cut one": (ONE + ONE[:2], [(0,)], [(CUT_OFF, 6, 2)]),
    "garbage before": (b"\xff\xff" + ONE, [(2, AGAIN)], [(BAD_COMMAND, 0, 1), (SKIPPED, 0, 2)]),
    "no start with an unknown status": (b"\xff\x08\x09" + ONE[2:], [], [(BAD_COMMAND, 0, 1), (SKIPPED, 0, 7)]),
    "no start before a unrelated byte": (b"\xff\x08\x02" + ONE[2:] + b"\xff", [], [(BAD_COMMAND, 0, 1), (SKIPPED, 0, 8)]),
    "five bytes after a gap": (mark(3) + ONE[:5], [], [(GAP, 0, 3), (SKIPPED, 3, 5)]),
    "one after a gap": (mark(3) + b"\1" + ONE * 2, [(4,), (10,)], [(GAP, 0, 3), (SKIPPED, 3, 1)]),
}

# name: (identifiers of requests, or with a token, (status, identifier, requests captured before it) of responses, longest wait,
#        initials of the outcomes, (index of the request or None, flags…) of each response)
SWAPPED = "identifier-swapped"
CORRELATIONS = {
    "silence": ([1, 2], [], 9, "uu", []),
    "a rejection": ([1, 2, 3], [(8, 2, 3)], 9, "ard", [(1,)]),
    "requests after a response": ([1, 2, 3], [(8, 1, 1)], 9, "rdd", [(0,)]),
    "a shutdown": ([1, 2, 3], [(10, 2, 3)], 9, "aad", [(1,)]),
    "no error": ([1, 2], [(0, 2, 2)], 9, "uu", [(1,)]),
    "an unknown status": ([1, 2], [(77, 1, 2)], 9, "rd", [(0,)]),
    "no request": ([1, 2], [(8, 5, 2)], 9, "uu", [(None, "uncorrelated")]),
    "a request that comes only later": ([1, 2], [(8, 2, 1)], 9, "uu", [(None, "uncorrelated")]),
    "a repeated identifier, another token": ([1, 5, 2, 5, 5, 6], [(8, 5, 4)], 9, "auuudd", [(None, "uncorrelated")]),
    "a repeated identifier, the same token": ([1, (5, "a"), 2, (5, "a")], [(8, 5, 4)], 9, "ardd", [(1,)]),
    "another token only later": ([1, (5, "a"), (5, "a"), 5], [(8, 5, 3)], 9, "ardd", [(1,)]),
    "another token once": ([(5, "a"), (5, "a"), 5], [(8, 5, 3)], 9, "uuu", [(None, "uncorrelated")]),
    "an error that may pass": ([1, (5, "a"), (5, "a"), 2], [(1, 5, 4)], 9, "auud", [(None, "uncorrelated")]),
    "a payload of the same length": ([1, (5, "a"), (5, "a"), 2], [(7, 5, 4)], 9, "ardd", [(1,)]),
    "a shutdown at one of two": ([1, (5, "a"), 2, (5, "a"), 3], [(10, 5, 5)], 9, "aauud", [(None, "uncorrelated")]),
    "a repeated identifier in reverse": (
        [1, (5, "a"), (5, "a")],
        [(8, 5 << 24, 3)],
        9,
        "ard",
        [(1, SWAPPED)],
    ),
    "one that left may have had it": ([1, (5, "a"), 3, (2, "b"), 4], [(8, 2, 5)], 3, "uuuuu", [(None, "uncorrelated")]),
    "bytes in reverse": ([1, 2, 3], [(8, 2 << 24, 3)], 9, "ard", [(1, SWAPPED)]),
    "as it is comes before reverse": ([2 << 24, 2], [(8, 2, 2)], 9, "ar", [(1,)]),
    "zero, once": ([1, 0, 2], [(8, 0, 3)], 9, "ard", [(1,)]),
    "zero, twice": ([0, 0, 2], [(8, 0, 3)], 9, "uuu", [(None, "uncorrelated")]),
    "zero, the second one later": ([0, 2, 0], [(8, 0, 2)], 9, "rdd", [(0,)]),
    "requests without identifiers": ([None, 1, None], [(8, 1, 3)], 9, "ard", [(1,)]),
    "zero is none": ([None, None], [(8, 0, 2)], 9, "uu", [(None, "uncorrelated")]),
    "a second response": ([1, 2, 3], [(8, 2, 3), (8, 1, 3)], 9, "ard", [(1,), (0, "after-close")]),
    "only the first decides": (
        [1, 2],
        [(8, 9, 2), (8, 1, 2)],
        9,
        "uu",
        [(None, "uncorrelated"), (0, "after-close")],
    ),
    "too many wait": ([1, 2, 3, 4], [(8, 3, 4)], 2, "uurd", [(2,)]),
    "the request waited too long": ([1, 2, 3, 4], [(8, 1, 4)], 2, "uuuu", [(None, "uncorrelated")]),
    "none waits after a response": ([1, 2, 3, 4], [(8, 1, 1)], 1, "rddd", [(0,)]),
}
NOT_JSON = {
    b"", b"{", b"}", b"{} {}", b"[1,2,]", b'{"a":1,}', b'{"a" 1}', b"nul", b"01", b"+1", b"1.", b".5", b"NaN",
    b"[Infinity]", b"-Infinity", b"\xef\xbb\xbf{}", b'{"a":"\xff"}', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\\u12g4"',
    b'"\\x41"', b'"\t"', b'"\x00"', b"{\x00}", b"{}\x00", b"\x0c{}", b"\xe2\x80\xa8{}", b'"\xf4\x90\x80\x80"', b'"open',
    b"[" * 200 + b"]" * 199, b"{1:2}", b"{'a':1}", b'{"a":1}}', b"[1 2]", b" ", b"1e", b"-", b"tru", b"[,1]", b"{,}",
    b'{"a":}', b'{"a":1 "b":2}', b"(]", b"[}", b"{]",
}  # fmt: skip

JSON_PARTS = ["{", "}", "[", "]", ",", ":", '"a"', "1", "-", "0", "e", ".", "null", " ", "\\", '"']


def decoded(kind, dump, limits=Limits()):
    return decode_connection([decode(kind, chunks_of_dump(dump), limits)], limits)[0]


def check_cases(kind, cases):
    of_correlation = {"uncorrelated", "after-close"}
    for name, (dump, records, findings) in cases.items():
        one = decoded(kind, dump)
        actual = [(record["offset"], *sorted(set(record["flags"]) - of_correlation)) for record in one.records]
        yield name, records, actual
        yield name, sorted(findings), sorted((item["code"], item["offset"], item["length"]) for item in one.findings)


def check_correlations():
    for name, (identifiers, answers, longest_wait, outcomes, found) in CORRELATIONS.items():
        requests = [
            {
                "type": "request", "packet": 10 * number + 10, "offset": 100 * number, "identifier": identifier,
                "token": token,
            }
            for number, (identifier, token) in enumerate(
                item if isinstance(item, tuple) else (item, str(index)) for index, item in enumerate(identifiers)
            )
        ]  # fmt: skip
        responses = [
            {
                "type": "response", "packet": 10 * before + 1 + number, "offset": 6 * number, "status": status,
                "identifier": identifier, "flags": set(),
            }
            for number, (status, identifier, before) in enumerate(answers)
        ]  # fmt: skip
        correlate(requests, responses, longest_wait)
        yield name, outcomes, "".join(request["outcome"][0] for request in requests)
        rejected = [request["outcome_status"] for request in requests if request["outcome"] == "rejected"]
        yield name, [answers[0][0]] if "r" in outcomes else [], rejected
        tokens = [None if index is None else requests[index]["token"] for index, *_ in found]
        yield name, tokens, [response["token"] for response in responses]
        offsets = [None if index is None else 100 * index for index, *_ in found]
        yield name, offsets, [response["request_offset"] for response in responses]
        yield name, [flags for _, *flags in found], [sorted(response["flags"]) for response in responses]


def check_vectors():
    vectors = json.loads((ROOT / "Tests/Fixtures/apns-vectors.json").read_text())["vectors"]
    for vector in vectors:
        kind, dump, expected = vector["kind"], bytes.fromhex(vector["hex"]), vector["expected"]
        if kind == "error" and dump:
            one = decoded(ResponseRun, dump)
            actual = [(record["status"], record["status_text"], record["identifier"]) for record in one.records]
            answer = (expected["status"], expected["status_text"].replace("APNs", "").lower(), expected["identifier"])
            actual = [(status, text.replace("APNs", "").lower(), number) for status, text, number in actual]
            yield vector["id"], [answer] if expected["valid_command"] else [], actual
        if kind.startswith("cmd"):
            yield from check_request_vector(vector["id"], int(kind[3:]), dump, expected)


def check_request_vector(name, command, dump, expected):
    records = decoded(RequestRun, dump).records
    if "error" in expected:
        yield name, [], records
        return
    keys = {"expiration": "expiry"}
    answer = {keys.get(key, key): value for key, value in expected.items() if key not in ("frame_length", "items")}
    answer |= {"command": command, "length": len(dump), "offset": 0}
    if "items" in expected:
        answer["items"] = [part["id"] for part in expected["items"]]
    yield name, [answer], [{key: record[key] for key in answer} for record in records]


def check_json():
    for payload in ODD_PAYLOADS:
        yield f"JSON {payload[:20]}", payload not in NOT_JSON, is_json(payload)
    deep = 100_000
    yield "very deep JSON", True, is_json(b'{"a":[' * deep + b"]}" * deep)
    draw = random.Random(8259)
    for _ in range(5000):
        text = "".join(draw.choices(JSON_PARTS, k=draw.randrange(1, 9)))
        yield f"JSON {text}", python_reads(text), is_json(text.encode())


def python_reads(text):
    """Another reader's opinion, where it is strict enough."""
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def check_laws():
    """What holds for any bytes; and sound requests come back as they were drawn."""
    draw = random.Random(2195)
    for number in range(2000):
        limits = draw.choice([Limits(), Limits(frozenset({0, 3, 32})), Limits(longest=54, payload=256)])
        kind = draw.choice([RequestRun, ResponseRun])
        _, dump = draw_stream(draw, sorted(limits.allowed), "requests" if kind is RequestRun else "responses")
        one = decoded(kind, dump, limits)
        name = f"accounting {number}"
        yield name, one.stream_bytes, one.record_bytes + one.skipped_bytes + one.truncated_bytes
        yield name, one.offset, one.stream_bytes + one.undecoded_bytes + one.gap_bytes
        yield name, one.record_bytes, sum(record.get("length", 6) for record in one.records)
        if number % 10 == 0:
            frames = [frame(draw, draw.randbytes(32), draw_object(draw), index) for index in range(5)]
            drawn = draw.sample([*frames, SIMPLE, ENHANCED], 7)
            offsets = [sum(map(len, drawn[:index])) for index in range(len(drawn))]
            yield name, offsets, [record["offset"] for record in decoded(RequestRun, b"".join(drawn)).records]


def run():
    checks = [
        *check_cases(RequestRun, REQUESTS), *check_cases(ResponseRun, RESPONSES), *check_correlations(),
        *check_vectors(), *check_json(), *check_laws(),
    ]  # fmt: skip
    wrong = [check for check in checks if check[1] != check[2]]
    for name, expected, actual in wrong[:20]:
        print(f"{name}:\n  expected  {expected}\n  actual    {actual}", file=sys.stderr)
    if wrong:
        sys.exit(f"cross-check-gateway: {len(wrong)} of {len(checks)} checks of the reference fail")
    print(f"cross-check-gateway: {len(checks)} checks of the reference hold")
