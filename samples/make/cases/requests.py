"""Dumps of requests to a gateway (decoding-rules.md, Gateway requests)."""

import struct

from cases.case import Case, Stream
from cases.wire import cut, enhanced, error_bytes, fixed_bytes, frame_bytes, framed, gap, item, join, simple, skip, token, words

REQUESTS = ["--from", "raw", "--protocol", "requests"]
NOISE = b"#not a request#"  # no byte of it is a command, and none begins a frame


def cases():
    return [*sound(), *flagged(), *malformed(), *limits(), *cuts(), *resuming()]


def asked(name, shows, covers, parts, options=REQUESTS, **more):
    return several(name, shows, covers, {"": parts}, options, **more)


def several(name, shows, covers, lists, options=REQUESTS, **more):
    """Several dumps of requests: lists of parts, by the middle part of the input's name."""
    names = {key: f"input.{key}.bin" if key else "input.bin" for key in lists}
    inputs = {names[key]: join(parts) for key, parts in lists.items()}
    streams = [Stream(client=parts, protocol="gateway", source=names[key]) for key, parts in lists.items()]
    return Case(name, shows, covers, inputs, streams, options=options, **more)


def braces(length):
    """A payload of this many bytes."""
    return b'{"a":"' + (length - 8) * b"x" + b'"}'


def sound():
    yield asked(
        "requests/command-0", "Command 0 has neither identifier nor expiry; requests are known by their content",
        ["requests/command-0", "format/recognised-requests"], [simple(1), simple(2), simple(3)], options=[],
    )  # fmt: skip
    yield asked(
        "requests/command-1", "Command 1 has an identifier and an expiry, both unsigned",
        ["requests/command-1", "format/recognised-requests"],
        [enhanced(1, expiry=1400003600), enhanced(2, identifier=2**32 - 1, expiry=2**32 - 1), enhanced(3, identifier=0)],
        options=[],
    )  # fmt: skip
    body, payload, number = item(1, token(5)), item(2, words(5)), item(3, struct.pack(">I", 5))
    expiry, priority = item(4, struct.pack(">I", 1400003600)), item(5, b"\x0a")
    yield asked(
        "requests/command-2", "Command 2 has its items in any order, of which 3 to 5 may be absent",
        ["requests/command-2", "format/recognised-requests"],
        [
            framed(1), framed(5, items=[number, body, payload, expiry, priority], expiry=1400003600, priority=10),
            framed(5, items=[priority, payload, body], identifier=None, priority=10),
            framed(5, items=[payload, body], identifier=None),
        ],
        options=[],
    )  # fmt: skip
    yield asked(
        "requests/all-commands", "Commands may be mixed",
        ["requests/command-0", "requests/command-1", "requests/command-2", "law/accounting"],
        [simple(1), enhanced(2), framed(3), simple(4), framed(5), enhanced(6)],
    )  # fmt: skip


def flagged():
    body, payload, number = item(1, token(1)), item(2, words(1)), item(3, struct.pack(">I", 1))
    sevens, ones = item(5, b"\x07"), item(5, b"\x01")
    yield asked(
        "requests/priorities", "Priorities other than 5 and 10 are flagged", ["requests/unusual-priority"],
        [
            framed(1, items=[body, payload, number, item(5, b"\x05")], priority=5),
            framed(1, items=[body, payload, number, item(5, b"\x0a")], priority=10),
            framed(1, "unusual-priority", items=[body, payload, number, sevens], priority=7),
            framed(1, "unusual-priority", items=[body, payload, number, ones], priority=1),
            framed(1, "unusual-priority", items=[body, payload, number, item(5, b"\0")], priority=0),
        ],
    )  # fmt: skip
    yield asked(
        "requests/unknown-items", "An item with another id than 1 to 5 is flagged, and the others are read",
        ["requests/unknown-item"],
        [
            framed(1, "unknown-item", items=[item(6, b"\x01"), body, payload, number]),
            framed(1, "unknown-item", items=[body, payload, number, item(0, b"")]),
            framed(1, "unknown-item", items=[body, payload, item(255, bytes(9)), item(255, b"x"), number]),
        ],
    )  # fmt: skip
    latin = '{"aps":{"alert":"Grüße"}}'.encode("latin-1")
    greetings = '{"aps":{"alert":"Grüße 👋"}}'.encode()
    yield asked(
        "requests/payloads-that-are-no-json", "A payload must be UTF-8 and one JSON value; an empty one is none",
        ["requests/payload-not-json"],
        [
            enhanced(1, payload=greetings), enhanced(2, "payload-not-json", payload=latin),
            enhanced(3, "payload-not-json", payload=b"{'aps':{}}"), enhanced(4, "payload-not-json", payload=b"{} {}"),
            enhanced(5, "payload-not-json", payload=b""), enhanced(6, payload=b'"text"'), enhanced(7, payload=b" [1e5, null] "),
            enhanced(8, "payload-not-json", payload=b'{"aps":{}}\0'), enhanced(9, "payload-not-json", payload=b'{"a":01}'),
        ],
    )  # fmt: skip
    flag = "payload-not-json"
    yield asked(
        "requests/json-at-its-edges", "What JSON is says RFC 8259, to the letter", ["requests/payload-not-json"],
        [
            enhanced(1, flag, payload=b'{"a":NaN}'), enhanced(2, payload=b'{"a":"\\ud800"}'),
            enhanced(3, payload=b'{"a":1e999}'),
            enhanced(4, flag, payload=b'{"a":"\x01"}'), enhanced(5, flag, payload=b'{"a":1,}'),
            enhanced(6, payload=b'{"a":1,"a":2}'), enhanced(7, flag, payload=b'"\xed\xa0\x80"'),
            enhanced(8, flag, payload=b'{"a":"\\x41"}'),
        ],
    )  # fmt: skip
    yield asked(
        "requests/long-payloads", "More than 256 bytes are flagged with commands 0 and 1, more than 2048 with command 2",
        ["requests/payload-too-large"],
        [
            simple(1, payload=braces(256)), simple(2, "payload-too-large", payload=braces(257)),
            enhanced(3, payload=braces(256)),
            enhanced(4, "payload-too-large", payload=braces(257)), long_frame(1, 2048),
            long_frame(1, 2049, "payload-too-large"),
        ],
    )  # fmt: skip
    zeros = token(7)[:24] + bytes(8)
    yield asked(
        "requests/odd-tokens",
        "Tokens of another length, empty ones and such with eight zeros are flagged, in requests of any command",
        ["requests/token-flags", "requests/zero-fill"],
        [
            simple(1, "unexpected-token-length", body=token(1, 54)), simple(2, "zero-length-token", body=b""),
            enhanced(3, "zero-length-token", "payload-not-json", body=b"", payload=b""),
            enhanced(7, "zero-filled-token", body=zeros),
            framed(
                1, "unexpected-token-length", items=[item(1, token(1, 31)), payload, number], token=token(1, 31).hex(),
                token_length=31,
            ),
            framed(1, "zero-length-token", items=[item(1, b""), payload, number], token="", token_length=0),
            framed(
                1, "unexpected-token-length", items=[item(1, token(1, 101)), payload, number], token=token(1, 101).hex(),
                token_length=101,
            ),
        ],
    )  # fmt: skip
    yield asked(
        "requests/normal-token-lengths", "The lengths that are normal hold for requests, too",
        ["requests/token-flags", "feedback/token-length-set"],
        [
            simple(1, body=token(1, 54)), enhanced(2, body=b""), framed(3),
            enhanced(4, "unexpected-token-length", body=token(4, 5)),
        ],
        options=[*REQUESTS, "--token-length", "0,32,54"],
    )  # fmt: skip


def long_frame(number, length, *flags):
    payload = braces(length)
    items = [item(1, token(number)), item(2, payload), item(3, struct.pack(">I", number))]
    return framed(number, *flags, items=items, payload=payload.decode(), payload_length=length)


def malformed():
    flag = "malformed-items"
    body, payload, number = item(1, token(1)), item(2, words(1)), item(3, struct.pack(">I", 1))
    no_token, no_payload = {"token": None, "token_length": None}, {"payload": None, "payload_length": None}
    other, later = item(1, token(2)), item(2, words(2))
    yield asked(
        "requests/items-missing-or-twice", "Token and payload must be there exactly once; of two the first counts",
        ["requests/malformed-items", "requests/first-item-counts"],
        [
            framed(1, flag, items=[payload, number], **no_token), framed(1, flag, items=[body, number], **no_payload),
            framed(1, flag, items=[body, other, payload, number]), framed(1, flag, items=[body, payload, later, number]),
            framed(1, flag, items=[], identifier=None, **no_token, **no_payload),
            framed(1, items=[body, payload, number, item(3, bytes(4))]),
            framed(1, flag, items=[number], **no_token, **no_payload),
        ],
    )  # fmt: skip
    yield asked(
        "requests/items-of-the-wrong-size", "Identifier, expiry and priority of another size than theirs are null, and flagged",
        ["requests/malformed-items", "requests/wrong-size-is-null"],
        [
            framed(1, flag, items=[body, payload, item(3, b"\0\x01")], identifier=None),
            framed(1, flag, items=[body, payload, number, item(4, bytes(8))]),
            framed(1, flag, items=[body, payload, number, item(5, b"\0\x0a")]),
            framed(1, flag, items=[body, payload, number, item(5, b"")]),
        ],
    )  # fmt: skip
    yield asked(
        "requests/items-that-do-not-fill-the-frame",
        "Bytes after the last item, or an item that reaches beyond the frame, are flagged",
        ["requests/malformed-items", "requests/one-request-whatever-is-inside"],
        [
            framed(1, flag, items=[body, payload, number], rest=b"\x05\0"),
            framed(1, flag, items=[body, number], rest=item(2, words(1), length=60), **no_payload), framed(2),
        ],
    )  # fmt: skip


def limits():
    long = token(1, 101)
    beyond = fixed_bytes(1, 2, 0, long, words(2))
    yield asked(
        "requests/token-of-101", "With command 1, a token of 100 bytes is accepted, one of 101 is not",
        ["requests/limits", "requests/step-5"],
        [
            enhanced(1, "unconfirmed-boundary", "unexpected-token-length", body=token(1, 100)), skip(beyond, "malformed-frame"),
            enhanced(3, "resynchronised"),
        ],
    )  # fmt: skip
    yield asked(
        "requests/token-of-101-when-it-is-the-longest", "--max-token-length raises that limit",
        ["requests/limits"], [simple(1, "unexpected-token-length", body=long), simple(2)],
        options=[*REQUESTS, "--max-token-length", "101"],
    )  # fmt: skip
    heads = {
        length: b"\0" + struct.pack(">H", 32) + token(2) + struct.pack(">H", length) + b'{"aps":'
        for length in (4096, 4097)
    }
    yield several(
        "requests/payload-of-4097", "With command 0, a payload of 4096 bytes is accepted, and here cut off; one of 4097 is not",
        ["requests/limits", "requests/cut", "requests/step-5"],
        {
            "4096": [simple(1), cut(heads[4096])],
            "4097": [simple(1, "unconfirmed-boundary"), skip(heads[4097], "malformed-frame")],
        },
    )  # fmt: skip
    yield asked(
        "requests/payload-beyond-a-given-limit", "--max-payload sets that limit; command 2 has none but that of its frame",
        ["requests/limits"],
        [
            simple(1, "payload-too-large", payload=braces(300)), long_frame(2, 301),
            enhanced(3, "payload-too-large", "unconfirmed-boundary", payload=braces(300)),
            skip(fixed_bytes(1, 4, 0, token(4), braces(301)), "malformed-frame"), enhanced(5, "resynchronised"),
        ],
        options=[*REQUESTS, "--max-payload", "300"],
    )  # fmt: skip
    head = frame_bytes(item(1, token(2)), length=65535)
    yield several(
        "requests/frame-of-65536", "A frame of 65535 bytes is accepted, and here cut off; one of 65536 is not",
        ["requests/limits", "requests/cut"],
        {
            "65535": [framed(1), cut(head)],
            "65536": [framed(1, "unconfirmed-boundary"), skip(frame_bytes(item(1, token(2)), length=65536), "malformed-frame")],
        },
    )  # fmt: skip
    yield asked(
        "requests/gap-filled-with-zeros", "Command 0 with both lengths 0 is what a gap was filled with, not a request",
        ["requests/zero-fill", "requests/step-5"],
        [enhanced(1, "unconfirmed-boundary"), skip(bytes(10), "malformed-frame"), enhanced(2, "resynchronised")],
    )  # fmt: skip


def cuts():
    whole = {0: simple(2).data, 1: enhanced(2).data, 2: framed(2).data}
    ends = {0: (1, 2, 3, 36), 1: (1, 10, 11, 44), 2: (1, 4, 5)}
    lists = {
        f"command-{command}.{end:02}": [enhanced(1), cut(whole[command][:end])]
        for command in ends for end in ends[command]
    }
    lists |= {f"command-{command}.end": [enhanced(1), cut(data[:-1])] for command, data in whole.items()}
    yield several(
        "requests/cut-anywhere", "A request that is cut off is reported with all its bytes, wherever the cut is",
        ["requests/cut", "law/accounting"], lists,
    )  # fmt: skip
    damaged = fixed_bytes(1, 2, 0, token(2), words(2))
    damaged = damaged[:43] + struct.pack(">H", 4000) + damaged[45:]
    yield asked(
        "requests/length-beyond-the-end-with-a-request-behind",
        "A request that seems cut off, but holds a start, is damaged instead",
        ["requests/cut", "requests/resynchronised"], [enhanced(1), skip(damaged), enhanced(3, "resynchronised"), enhanced(4)],
    )  # fmt: skip


def resuming():
    yield asked(
        "requests/unknown-command", "Where there is no command, bytes are skipped up to a request that is plausible",
        ["requests/step-5", "requests/unconfirmed-boundary", "requests/resynchronised"],
        [enhanced(1, "unconfirmed-boundary"), skip(NOISE, "unknown-command"), framed(2, "resynchronised"), enhanced(3)],
    )  # fmt: skip
    yield asked(
        "requests/nothing-but-noise", "Where no request begins, all bytes are skipped", ["requests/step-5"],
        [skip(NOISE, "unknown-command")],
    )  # fmt: skip
    yield asked(
        "requests/a-dump-of-responses", "A response is no request", ["requests/step-5"],
        [skip(error_bytes(8, 1), "unknown-command")],
    )  # fmt: skip
    short = framed(2).data[:50] + framed(2).data[60:]
    yield asked(
        "requests/lost-bytes-in-a-payload", "Bytes are lost inside a request, and another begins before its end: it is skipped",
        ["requests/lost-inside", "requests/resynchronised"], [framed(1), skip(short), framed(3, "resynchronised"), framed(4)],
    )  # fmt: skip
    whole = {number: enhanced(number).data for number in (2, 3)}
    torn = whole[2][:60] + whole[3][50:]  # from the payload of 2 into that of 3, so that nothing begins inside
    size = len(whole[2])
    payload = torn[45:size]
    yield asked(
        "requests/lost-header", "A header is lost, and no request begins inside the one before it: that is kept, with a flag",
        ["requests/unconfirmed-boundary", "requests/step-5"],
        [
            enhanced(1), enhanced(2, "payload-not-json", "unconfirmed-boundary", payload=payload),
            skip(torn[size:], "unknown-command"),
            enhanced(4, "resynchronised"),
        ],
    )  # fmt: skip
    body, payload, number = item(1, token(2)), item(2, words(2)), item(3, struct.pack(">I", 2))
    doubtful = {
        "no-brace-in-front": enhanced(2, payload=b" {}").data, "no-brace-behind": enhanced(2, payload=b"{} ").data,
        "no-payload": frame_bytes(body, number), "no-token": frame_bytes(payload, number),
        "empty-payload": simple(2, payload=b"").data,
        "token-of-31": enhanced(2, body=token(2, 31)).data, "item-6": frame_bytes(body, payload, item(6, b"x")),
        "identifier-twice": frame_bytes(body, payload, number, number),
        "identifier-of-2": frame_bytes(body, payload, item(3, b"\0\x02")),
        "priority-of-2": frame_bytes(body, payload, item(5, b"\0\x0a")),
        "expiry-of-8": frame_bytes(body, payload, item(4, bytes(8))),
        "rest": frame_bytes(body, payload, rest=b"\x05"), "noise-behind": frame_bytes(body, payload) + NOISE,
    }  # fmt: skip
    yield several(
        "requests/no-resuming-at-doubtful-requests", "After damage, only a request without a doubt allows resuming",
        ["requests/start"],
        {key: [skip(NOISE + data, "unknown-command"), enhanced(3, "resynchronised")] for key, data in doubtful.items()},
    )  # fmt: skip
    sound = {
        "braces": enhanced(2, "payload-not-json", "resynchronised", payload=b"{not json}"),
        "priority-7": framed(
            2, "resynchronised", "unusual-priority", items=[body, payload, number, item(5, b"\x07")], priority=7,
        ),
        "command-0": simple(2, "resynchronised"), "cut-behind": framed(2, "resynchronised"),
        "head-behind": framed(2, "resynchronised"),
    }  # fmt: skip
    lists = {key: [skip(NOISE, "unknown-command"), request] for key, request in sound.items()}
    lists["cut-behind"].append(cut(b"\x02"))
    lists["head-behind"].append(cut(enhanced(4).data[:60]))
    yield several(
        "requests/resuming-at-sound-requests", "After damage, a payload in braces and a cut request after it are enough",
        ["requests/start", "requests/resynchronised"],
        lists,
    )  # fmt: skip
    yield asked(
        "requests/gap", "After a gap, decoding begins at the first request that can be one; that has no flag",
        ["requests/run-start", "feedback/gap-mark"],
        [enhanced(1), cut(enhanced(2).data[:30]), gap(80), skip(enhanced(3).data[40:]), enhanced(4), gap(12), enhanced(5)],
    )  # fmt: skip
