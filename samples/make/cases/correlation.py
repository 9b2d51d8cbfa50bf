"""Pairs of dumps: what an error makes of the requests (decoding-rules.md, Correlation)."""

import struct

from cases.case import Case, Stream
from cases.wire import cut, enhanced, error, error_bytes, framed, gap, item, join, opaque, position_of, simple, skip, token, words

PAIR = ["--requests", "input.requests.bin", "--responses", "input.responses.bin"]
ACCEPTED, DISCARDED = {"outcome": "accepted"}, {"outcome": "discarded"}


def cases():
    return [*outcomes(), *naming(), *repeated(), *several(), *losses()]


def pair(name, shows, covers, requests, responses, options=(), **more):
    """`responses` is a function of the requests if it needs their offsets."""
    responses = responses(requests) if callable(responses) else responses
    stream = Stream(client=requests, server=responses, protocol="gateway", findings=more.pop("described", []))
    inputs = {"input.requests.bin": join(requests), "input.responses.bin": join(responses)}
    return Case(name, shows, covers, inputs, [stream], options=[*PAIR, *options], **more)


def naming_one(status, identifier, index, number, *flags):
    """A response that names the request of `index`, which has the token of `number`."""
    return lambda requests: [error(status, identifier, *flags, names=position_of(requests, index), body=token(number))]


def rejected(status):
    return {"outcome": "rejected", "status": status}


def outcomes():
    yield pair(
        "correlation/rejected", "An error names the request that failed: those before were accepted, those after discarded",
        ["correlation/rejected", "correlation/pair"],
        [
            enhanced(1, **ACCEPTED), simple(2, **ACCEPTED), framed(3, **rejected(8)), simple(4, **DISCARDED),
            enhanced(5, **DISCARDED),
        ],
        naming_one(8, 3, 2, 3),
    )  # fmt: skip
    yield pair(
        "correlation/shutdown", "Status 10 names the last request that was accepted", ["correlation/shutdown"],
        [enhanced(1, **ACCEPTED), enhanced(2, **ACCEPTED), enhanced(3, **DISCARDED)], naming_one(10, 2, 1, 2),
    )  # fmt: skip
    yield pair(
        "correlation/no-error", "Status 0 decides nothing, though it names a request", ["correlation/status-0"],
        [enhanced(1), enhanced(2), enhanced(3)], naming_one(0, 2, 1, 2),
    )  # fmt: skip
    yield pair(
        "correlation/unknown-status", "A status that is not known is a failure like others",
        ["correlation/rejected", "responses/unknown-status"],
        [enhanced(1, **ACCEPTED), enhanced(2, **rejected(77))], naming_one(77, 2, 1, 2, "unknown-status"),
    )  # fmt: skip
    yield pair(
        "correlation/silence", "Without a response, nothing is known of any request", ["correlation/no-response"],
        [enhanced(1), framed(2), simple(3)], [],
    )  # fmt: skip


def naming():
    yield pair(
        "correlation/identifier-swapped",
        "Where no request has the identifier, one with its bytes in reverse is named, the first of those with one token",
        ["correlation/swapped", "correlation/first-with-the-identifier"],
        [enhanced(3, **ACCEPTED), enhanced(1, **rejected(8)), enhanced(1, **DISCARDED)],
        naming_one(8, 0x01000000, 1, 1, "identifier-swapped"),
    )  # fmt: skip
    yield pair(
        "correlation/identifier-as-it-is-goes-first",
        "A request with the very identifier is named before one with its bytes in reverse",
        ["correlation/swapped"], [enhanced(2, identifier=0x01000000, **rejected(8)), enhanced(1, **DISCARDED)],
        naming_one(8, 0x01000000, 0, 2),
    )  # fmt: skip
    yield pair(
        "correlation/identifier-0-once", "Identifier 0 names the one request that carries it", ["correlation/identifier-0"],
        [simple(1, **ACCEPTED), enhanced(2, identifier=0, **rejected(8)), enhanced(3, **DISCARDED)], naming_one(8, 0, 1, 2),
    )  # fmt: skip
    yield pair(
        "correlation/identifier-0-twice", "Where two requests carry identifier 0, it names none",
        ["correlation/identifier-0", "correlation/uncorrelated"],
        [enhanced(1, identifier=0), enhanced(2), enhanced(3, identifier=0)], [error(8, 0, "uncorrelated")],
    )  # fmt: skip
    items = [item(1, token(2)), item(2, words(2))]
    yield pair(
        "correlation/no-identifiers", "Command 0 and a frame without item 3 have no identifier, not even 0",
        ["correlation/no-identifier", "correlation/identifier-0"],
        [simple(1), framed(2, items=items, identifier=None), enhanced(3)],
        [error(8, 0, "uncorrelated")],
    )  # fmt: skip
    items = [item(1, token(9)), item(2, words(9)), item(3, struct.pack(">H", 9))]
    yield pair(
        "correlation/identifier-of-the-wrong-size", "An identifier of another size than its own names nothing",
        ["correlation/no-identifier"],
        [enhanced(1), framed(9, "malformed-items", items=items, identifier=None)], [error(8, 9, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/no-such-request", "A response that names no request leaves all unknown", ["correlation/uncorrelated"],
        [enhanced(1), enhanced(2)], [error(8, 3, "uncorrelated")],
    )  # fmt: skip


def repeated():
    """Several requests with one identifier: a gateway stops at the first that it refuses."""
    first, last = enhanced(1, **ACCEPTED), enhanced(4, **DISCARDED)
    longer = words(700)
    for status in (2, 5, 8):
        yield pair(
            f"correlation/identifier-twice-status-{status}",
            f"Of requests with one identifier and one token, status {status} is about the first, whatever the payloads are",
            ["correlation/first-with-the-identifier"],
            [first, enhanced(7, payload=longer, **rejected(status)), framed(7, **DISCARDED), last], naming_one(status, 7, 1, 7),
        )  # fmt: skip
    for status in (3, 4, 6, 7):
        yield pair(
            f"correlation/identifier-twice-status-{status}",
            f"Of requests with one identifier, one token and payloads of one length, status {status} is about the first",
            ["correlation/first-with-the-identifier"],
            [first, enhanced(7, payload=words(8), **rejected(status)), framed(7, **DISCARDED), last], naming_one(status, 7, 1, 7),
        )  # fmt: skip
    unknown = ["correlation/several-with-the-identifier", "correlation/uncorrelated"]
    yield pair(
        "correlation/identifier-twice", "Of two requests with one identifier and two tokens, none is named, and both are unknown",
        unknown, [first, enhanced(2, identifier=7), framed(7), last], [error(5, 7, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/identifier-twice-with-others-between",
        "What is between the first and the last request with the identifier is unknown, too",
        unknown, [first, enhanced(7), enhanced(3), simple(9), enhanced(5, identifier=7), last], [error(8, 7, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/identifier-twice-longer-payload",
        "Where one of two payloads is longer, a status about the payload may be about either request",
        unknown, [first, enhanced(7), enhanced(7, payload=longer), last], [error(7, 7, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/identifier-twice-processing-error", "A processing error need not be about the first request of two that are alike",
        unknown, [first, enhanced(7), enhanced(7), last], [error(1, 7, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/identifier-twice-shutdown", "Status 10 leaves open which of two requests was the last that was accepted",
        [*unknown, "correlation/shutdown"],
        [first, enhanced(7, **ACCEPTED), enhanced(3), enhanced(7), last], [error(10, 7, "uncorrelated")],
    )  # fmt: skip


def several():
    requests = [enhanced(1, **ACCEPTED), enhanced(2, **rejected(8)), enhanced(3, **DISCARDED), enhanced(4, **DISCARDED)]
    yield pair(
        "correlation/second-response", "The first response decides; a later one says which request it names, and no more",
        ["correlation/first-decides", "correlation/after-close"], requests,
        lambda all: [
            error(8, 2, names=position_of(all, 1), body=token(2)),
            error(8, 4, "after-close", names=position_of(all, 3), body=token(4)),
            error(1, 9, "after-close", "uncorrelated"),
        ],
    )  # fmt: skip
    yield pair(
        "correlation/first-response-uncorrelated", "Where the first response names nothing, a later one decides nothing either",
        ["correlation/first-decides", "correlation/uncorrelated"], [enhanced(1), enhanced(2)],
        lambda all: [
            error(8, 9, "uncorrelated"), error(8, 1, "after-close", names=0, body=token(1)), cut(error_bytes(8, 2)[:3]),
        ],
    )  # fmt: skip


def losses():
    ciphertext = bytes.fromhex("1703030010") + bytes(16)
    yield Case(
        "correlation/requests-in-ciphertext", "Of two directions, one may be ciphertext: the other is decoded",
        ["feedback/ciphertext", "correlation/uncorrelated"],
        {"input.requests.bin": ciphertext, "input.responses.bin": error_bytes(8, 1)},
        [
            Stream(
                client=[opaque(ciphertext)], server=[error(8, 1, "uncorrelated")], protocol="gateway",
                findings=[{"direction": "client", "code": "encrypted-stream", "offset": 0, "length": 21}],
            )
        ],
        options=PAIR,
    )  # fmt: skip
    torn = enhanced(3).data
    yield pair(
        "correlation/gap", "A gap changes no outcome of the requests that are there", ["correlation/gap"],
        [
            enhanced(1, **ACCEPTED), enhanced(2, **ACCEPTED), cut(torn[:20]), gap(len(torn) - 20), enhanced(4, **rejected(8)),
            enhanced(5, **DISCARDED),
        ],
        naming_one(8, 4, 4, 4),
    )  # fmt: skip
    yield pair(
        "correlation/named-request-in-a-gap", "A response whose request is in a gap names none",
        ["correlation/gap", "correlation/uncorrelated"],
        [enhanced(1), gap(len(torn)), enhanced(4)], [error(8, 3, "uncorrelated")],
    )  # fmt: skip
    yield pair(
        "correlation/named-request-skipped", "A response whose request is among skipped bytes names none",
        ["correlation/uncorrelated"],
        [enhanced(1), skip(torn[:50] + torn[60:]), enhanced(4, "resynchronised")], [error(8, 3, "uncorrelated")],
    )  # fmt: skip
    limit = {"direction": "client", "offset": 0, "code": "pending-limit"}
    yield pair(
        "correlation/pending-limit", "Beyond --max-pending, the oldest requests stay unknown, and the rest is decided",
        ["correlation/pending-limit"],
        [enhanced(1), enhanced(2), enhanced(3, **ACCEPTED), enhanced(4, **rejected(8)), enhanced(5, **DISCARDED)],
        naming_one(8, 4, 3, 4),
        options=["--max-pending", "3"], described=[limit],
    )  # fmt: skip
    yield pair(
        "correlation/pending-limit-reached", "Up to --max-pending requests may wait", ["correlation/pending-limit"],
        [enhanced(1, **rejected(8)), enhanced(2, **DISCARDED), enhanced(3, **DISCARDED)], naming_one(8, 1, 0, 1),
        options=["--max-pending", "3"],
    )  # fmt: skip
    yield pair(
        "correlation/named-request-beyond-the-limit", "A response that names a request that left names none",
        ["correlation/pending-limit", "correlation/uncorrelated"],
        [enhanced(1), enhanced(2), enhanced(3)], [error(8, 1, "uncorrelated")], options=["--max-pending", "2"], described=[limit],
    )  # fmt: skip
