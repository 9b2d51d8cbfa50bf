"""Dumps of feedback tuples: one case for either side of every rule (decoding-rules.md, Feedback tuples)."""

import struct

from cases.case import dump, dumps
from cases.wire import EARLIEST, LATEST, between, cut, raw, rec, skip, token

GARBAGE = b"\xff"  # as a length it is beyond every limit, as a time implausible
ODD = "unexpected-token-length"


def cases():
    return [*records(), *boundaries(), *lengths(), *tails(), *separators(), *resuming(), *invisible()]


def time_bytes(seconds):
    return struct.pack(">I", seconds)


def records():
    zeros = token(3)[:12] + bytes(8) + token(3)[20:]
    seven = token(4)[:12] + bytes(7) + b"\x01" + token(4)[20:]
    yield dump(
        "feedback/whole-tuples", "Tuples in a row are records, one for each", ["feedback/record", "law/accounting"],
        [rec(0), rec(1), rec(2), rec(3)], chunks=[38],
    )  # fmt: skip
    yield dump("feedback/no-bytes", "An empty dump is a stream without records", ["feedback/record", "law/accounting"], [])
    yield dump(
        "feedback/same-token-twice", "A token that comes twice is two records, whatever the order of the times",
        ["feedback/record"],
        [rec(0, time=1500000000), rec(1), rec(0, time=1400000000), rec(0, time=1400000000)], chunks=[6, 32],
    )  # fmt: skip
    yield dump(
        "feedback/times-at-the-limits", "The earliest and the latest plausible second are plausible, their neighbours are not",
        ["feedback/implausible-timestamp", "feedback/plausible-times"],
        [
            rec(0, time=EARLIEST), rec(1, "implausible-timestamp", time=EARLIEST - 1), rec(2, time=LATEST),
            rec(3, "implausible-timestamp", time=LATEST + 1), rec(4, "implausible-timestamp", time=0),
            rec(5, "implausible-timestamp", time=2**32 - 1), rec(6),
        ],
        chunks=[4, 2, 32],
    )  # fmt: skip
    yield dump(
        "feedback/times-within-given-limits", "Limits of one's own replace the usual ones, both ends included",
        ["feedback/plausible-times"],
        [rec(0, time=0), rec(1, time=86400), rec(2, "implausible-timestamp", time=86401), rec(3, "implausible-timestamp")],
        options=["--from", "raw", "--earliest", "0", "--latest", "1970-01-02T00:00:00Z"], chunks=[5],
    )  # fmt: skip
    yield dump(
        "feedback/zeros-in-a-token", "Eight zero bytes in a row inside a token are flagged, seven are not",
        ["feedback/zero-filled-token"], [rec(3, "zero-filled-token", body=zeros), rec(4, body=seven), rec(5)], chunks=[19],
    )  # fmt: skip
    yield dump(
        "feedback/zeros-at-the-ends-of-tokens", "Zeros count inside the token alone: not together with those of a header",
        ["feedback/zero-filled-token"],
        [
            rec(0, "zero-filled-token", body=bytes(8) + token(0)[8:]), rec(1, body=bytes(7) + b"\x01" + token(1)[8:]),
            rec(2, "zero-filled-token", body=token(2)[:23] + b"\x01" + bytes(8)),
            rec(3, body=token(3)[:24] + b"\x01" + bytes(7)),
            rec(4, "implausible-timestamp", time=0x20), rec(5, "zero-filled-token", body=bytes(32)),
        ],
        chunks=[7, 31],
    )  # fmt: skip
    flagged = rec(0, "implausible-timestamp", "unconfirmed-boundary", "zero-filled-token", time=7, body=zeros)
    yield dump(
        "feedback/several-flags", "Flags of one record are sorted", ["feedback/flags-sorted", "feedback/unconfirmed-boundary"],
        [rec(9), flagged, skip(9 * GARBAGE), rec(1, "resynchronised", "zero-filled-token", body=zeros), rec(2)],
    )  # fmt: skip


def boundaries():
    yield dump(
        "feedback/boundary-before-any-time", "A normal length makes a boundary plausible, whatever time precedes it",
        ["feedback/boundary-by-length", "feedback/implausible-timestamp"],
        [rec(0), rec(1, "implausible-timestamp", time=1), rec(2)], chunks=[37, 1],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-with-wrong-time", "An odd length is accepted only with a plausible time",
        ["feedback/odd", "feedback/unconfirmed-boundary"],
        [rec(0, "unconfirmed-boundary"), skip(raw(1, length=54, time=1)), rec(2, "resynchronised")],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-before-any-time", "After an odd length, a normal length is enough to accept it",
        ["feedback/boundary-by-odd-length"], [rec(0), rec(1, ODD, length=54), rec(2, "implausible-timestamp", time=5)],
        chunks=[38, 6, 54],
    )  # fmt: skip
    yield dump(
        "feedback/odd-lengths-in-a-row", "After an odd length, another one is enough, too",
        ["feedback/boundary-by-odd-length", "feedback/odd"],
        [
            rec(0), rec(1, ODD, length=54), rec(2, ODD, length=5), rec(3, ODD, length=1), rec(4, ODD, length=31),
            rec(5, ODD, length=33),
        ],
        chunks=[3],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-before-garbage",
        "An odd length with garbage after it is not accepted, nor is the boundary before it",
        ["feedback/boundary-by-odd-length", "feedback/odd-not-believable", "feedback/skip-to-end"],
        [rec(0, "unconfirmed-boundary"), skip(raw(1, length=54) + 3 * GARBAGE)],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-before-an-odd-one-before-garbage", "Belief looks one record ahead, not two",
        ["feedback/boundary-by-odd-length", "feedback/odd-not-believable"],
        [rec(0), rec(1, ODD, length=54), skip(raw(2, length=5) + 20 * GARBAGE), rec(3, "resynchronised")],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-before-a-tail", "After an odd length, the beginning of a header is enough at the end",
        ["feedback/boundary-by-odd-length", "feedback/tail"], [rec(0), rec(1, ODD, length=54), skip(raw(2)[:4])], chunks=[44],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-at-the-end", "After an odd length, the end of the run is enough",
        ["feedback/boundary-by-odd-length"],
        [rec(0), rec(1, ODD, length=99)], chunks=[6, 32, 6, 98, 1],
    )  # fmt: skip
    yield dump(
        "feedback/odd-length-cut", "An odd tuple that is cut off is accepted by its header alone",
        ["feedback/boundary-by-odd-length", "feedback/truncated-record"], [rec(0), cut(raw(1, length=54)[:30])],
        chunks=[1, 2, 3],
    )  # fmt: skip


def lengths():
    yield dump(
        "feedback/length-100", "A token of 100 bytes is read, with a flag", ["feedback/odd", "feedback/longest"],
        [rec(0), rec(1, ODD, length=100), rec(2)], chunks=[100, 6],
    )  # fmt: skip
    yield dump(
        "feedback/length-101", "A length of 101 is beyond the longest one and is not accepted",
        ["feedback/odd", "feedback/longest"],
        [rec(0, "unconfirmed-boundary"), skip(raw(1, length=101)), rec(2, "resynchronised")],
    )  # fmt: skip
    yield dump(
        "feedback/length-101-when-it-is-the-longest",
        "The longest length can be raised, and longer ones are not accepted",
        ["feedback/longest"],
        [rec(0), rec(1, ODD, length=101), rec(2, "unconfirmed-boundary"), skip(raw(3, length=102)), rec(4, "resynchronised")],
        options=["--max-token-length", "101"],
    )  # fmt: skip
    yield dump(
        "feedback/longest-raised-by-a-normal-length", "The longest length is at least the longest normal one",
        ["feedback/longest", "feedback/token-length-set"],
        [
            rec(0), rec(1, length=120), rec(2, ODD, length=119), rec(3, "unconfirmed-boundary"), skip(raw(4, length=121)),
            rec(5, "resynchronised"),
        ],
        options=["--token-length", "32,120"],
    )  # fmt: skip
    yield dump(
        "feedback/length-of-65535", "Lengths of two bytes are read unsigned, up to the largest that there is",
        ["feedback/longest", "feedback/truncated-record"], [rec(0), cut(raw(1, length=120, field=65535))],
        options=["--token-length", "32,65535"], chunks=[50],
    )  # fmt: skip
    yield dump(
        "feedback/two-normal-lengths", "Several lengths can be normal", ["feedback/token-length-set"],
        [rec(0), rec(1, length=54), rec(2, length=54), rec(3), rec(4, ODD, length=53)],
        options=["--token-length", "32,54"], chunks=[38, 60],
    )  # fmt: skip
    yield dump(
        "feedback/lengths-1-to-100", "A range of lengths can be normal, and 0 is not in it",
        ["feedback/token-length-set", "feedback/zero-length-token"],
        [
            rec(0, length=1), rec(1, length=100), rec(2, length=3), rec(3, length=5), rec(4, "zero-length-token", length=0),
            rec(5, length=80),
        ],
        options=["--token-length", "1-100"], chunks=[1, 1, 2, 3, 5, 8, 13],
    )  # fmt: skip
    yield dump(
        "feedback/every-length-normal", "Where all lengths are normal, every boundary is accepted",
        ["feedback/token-length-set", "feedback/boundary-by-length"],
        [rec(0), rec(1, "implausible-timestamp", length=7, time=3), rec(2, length=300), cut(raw(3)[:9])],
        options=["--token-length", "0-65535"], chunks=[9, 1],
    )  # fmt: skip
    yield dump(
        "feedback/empty-tokens", "A tuple without a token is a record with a flag of its own", ["feedback/zero-length-token"],
        [
            rec(0), rec(1, "zero-length-token", length=0), rec(2), rec(3, "zero-length-token", length=0),
            rec(4, "zero-length-token", length=0),
        ],
        chunks=[40],
    )  # fmt: skip
    yield dump(
        "feedback/empty-tokens-as-normal", "Where 0 is a normal length, an empty token has no flag",
        ["feedback/zero-length-token", "feedback/token-length-set"],
        [rec(0, length=0), rec(1), rec(2, "implausible-timestamp", length=0, time=3), rec(3)],
        options=["--from", "raw", "--token-length", "0,32"], chunks=[7],
    )  # fmt: skip


def tails():
    yield dumps(
        "feedback/cut-tails", "A tuple that is cut off is reported with all its bytes",
        ["feedback/truncated-record", "feedback/tail", "law/accounting"],
        {f"{size:02}-bytes": [rec(0), cut(raw(1)[:size])] for size in (5, 6, 37)},
    )  # fmt: skip
    yield dumps(
        "feedback/short-rests", "Up to four bytes at the end of a dump do not show that a tuple begins",
        ["feedback/short-rest", "feedback/unconfirmed-boundary"],
        {f"{size}-bytes": [rec(0), rec(1, "unconfirmed-boundary"), skip(raw(2)[:size])] for size in (1, 2, 3, 4)},
    )  # fmt: skip
    yield dump(
        "feedback/cut-in-the-first-header", "Fewer than six bytes that begin no header are skipped",
        ["feedback/skip-to-end"],
        [skip(5 * GARBAGE)], options=["--from", "raw", "--protocol", "feedback"],
    )  # fmt: skip
    tails = {"earliest": time_bytes(EARLIEST) + b"\0", "latest": time_bytes(LATEST) + b"\0"}
    yield dumps(
        "feedback/tails-that-begin-a-header",
        "The end is accepted where its bytes begin a plausible time and a length within the limit",
        ["feedback/tail"], {key: [rec(0), cut(data)] for key, data in tails.items()},
    )  # fmt: skip
    others = {
        "below-earliest": time_bytes(EARLIEST - 1), "above-latest": time_bytes(LATEST + 1), "earliest-1": b"\x49",
        "latest-1": b"\x61",
        "latest-2": struct.pack(">H", (LATEST >> 16) + 1), "length": time_bytes(LATEST) + b"\x01",
    }  # fmt: skip
    yield dumps(
        "feedback/tails-that-begin-none",
        "The end is not accepted where no plausible time begins so, or the length is beyond the limit",
        ["feedback/tail", "feedback/unconfirmed-boundary"],
        {key: [rec(0, "unconfirmed-boundary"), skip(data)] for key, data in others.items()},
    )  # fmt: skip
    yield dump(
        "feedback/tail-with-a-long-length", "With a longest length of 256 and more, a tail may have a 1 in the fifth byte",
        ["feedback/tail", "feedback/longest"], [rec(0), cut(time_bytes(LATEST) + b"\x01")],
        options=["--max-token-length", "256"],
        chunks=[38, 3, 1, 1],
    )  # fmt: skip
    yield dump(
        "feedback/length-beyond-the-end-with-a-tuple-behind",
        "A tuple that seems cut off, but holds a start, is damaged instead",
        ["feedback/cut-then-start", "feedback/resynchronised"], [rec(0), skip(raw(1, field=100)), rec(2, "resynchronised")],
    )  # fmt: skip
    yield dump(
        "feedback/normal-length-beyond-the-end-with-a-tuple-behind", "The same where the damaged length is a normal one",
        ["feedback/cut-then-start"], [rec(0), skip(raw(1, field=80)), rec(2, "resynchronised")],
        options=["--token-length", "32,80"],
    )  # fmt: skip


def separated(separator, count=5):
    """Tuples with a separator after each."""
    return [part for number in range(count) for part in (rec(number), between(separator))]


def separators():
    whole = {
        "line-feeds": separated(b"\n"), "line-breaks": separated(b"\r\n"), "filled-buffers": separated(bytes(26)),
        "lengths": [part for number in range(5) for part in (between(b"\0\0\0\x26"), rec(number))],
        "texts": [part for number in range(5) for part in (between(b"read %d: " % (number + 7)), rec(number))],
        "two-in-a-read": [*(rec(number) for number in range(2)), between(b"\n"), rec(2), between(b"\n"), rec(3), between(b"\n")],
    }  # fmt: skip
    found = {"code": "separating-bytes", "direction": "server", "offset": None, "length": None}
    case = dumps(
        "feedback/separators", "Tuples are found with a separator before or after each, or after some of them",
        ["feedback/separators"], whole,
    )  # fmt: skip
    for stream in case.streams:
        stream.findings.append(found)
    yield case
    inserted = raw(4)[:20] + b"\0" + raw(4)[20:]
    damaged = [
        *separated(b"\n", 4), rec(4, "unconfirmed-boundary", body=inserted[6:38]), skip(inserted[38:] + b"\n"),
        rec(5, "resynchronised"), between(b"\n"), rec(6), between(b"\n"),
    ]  # fmt: skip
    case = dump(
        "feedback/separators-of-damaged-tuples", "A tuple with an inserted byte is doubtful between separators, too",
        ["feedback/separators", "feedback/unconfirmed-boundary"], damaged,
    )  # fmt: skip
    case.streams[0].findings.append(found)
    yield case


def resuming():
    short = raw(1)[:20] + raw(1)[21:]  # tuple 1 without byte 20
    yield dump(
        "feedback/lost-byte-in-a-token", "A byte is lost inside a token: what is left of the tuple is skipped",
        ["feedback/lost-inside", "feedback/resynchronised"], [rec(0), skip(short), rec(2, "resynchronised"), rec(3)],
    )  # fmt: skip
    for name, sizes in (("byte-by-byte", [1]), ("in-chunks-of-37", [37]), ("in-chunks-of-any-size", [5, 1, 33, 60, 2])):
        yield dump(
            f"feedback/damaged-stream-{name}", "However a damaged stream was cut into chunks, the same comes out",
            ["law/chunks", "law/accounting"],
            [rec(0), skip(short), rec(2, "resynchronised"), rec(3, ODD, length=54), cut(raw(4)[:17])], chunks=sizes,
        )  # fmt: skip
    yield dump(
        "feedback/one-whole-tuple-to-resume-at", "One whole tuple at the end is enough to resume at",
        ["feedback/start", "feedback/lost-inside"],
        [rec(0), skip(short), rec(2, "resynchronised")],
    )  # fmt: skip
    joined = short + raw(2)
    yield dump(
        "feedback/no-whole-tuple-to-resume-at", "A tuple that lacks its last byte is not enough to resume at",
        ["feedback/start", "feedback/unconfirmed-boundary", "feedback/skip-to-end"],
        [rec(0), rec(1, "unconfirmed-boundary", body=joined[6:38]), skip(joined[38:-1])],
    )  # fmt: skip
    tail = raw(3)[:5]
    yield dump(
        "feedback/resume-before-a-tail", "A tuple with the beginning of a header after it allows resuming",
        ["feedback/start", "feedback/tail"],
        [rec(0), skip(short), rec(2, "resynchronised"), cut(tail)],
    )  # fmt: skip
    yield dump(
        "feedback/no-resuming-before-garbage", "A tuple with garbage after it does not allow resuming",
        ["feedback/start", "feedback/skip-to-start"],
        [skip(10 * GARBAGE + raw(0) + 7 * GARBAGE), rec(1, "resynchronised"), rec(2)], options=["--from", "raw"],
    )  # fmt: skip
    yield dump(
        "feedback/no-resuming-at-a-wrong-time", "A tuple with an implausible time does not allow resuming", ["feedback/start"],
        [skip(10 * GARBAGE + raw(0, time=LATEST + 1)), rec(1, "resynchronised", time=LATEST), rec(2)],
        options=["--from", "raw"],
    )  # fmt: skip
    yield dump(
        "feedback/no-resuming-at-an-odd-length", "A tuple of an odd length does not allow resuming, but may follow such a tuple",
        ["feedback/start"], [skip(10 * GARBAGE + raw(0, length=54)), rec(1, "resynchronised"), rec(2, ODD, length=54), rec(3)],
        options=["--from", "raw"],
    )  # fmt: skip
    torn = raw(1)[:30] + raw(2)[20:]  # the end of token 1 is lost, and tuple 2 up to byte 20
    yield dump(
        "feedback/lost-header", "A header is lost, and no tuple begins inside the one before it: that is kept, with a flag",
        ["feedback/unconfirmed-boundary", "feedback/skip-to-start", "feedback/resynchronised"],
        [rec(0), rec(1, "unconfirmed-boundary", body=torn[6:38]), skip(torn[38:]), rec(3, "resynchronised"), rec(4)],
    )  # fmt: skip
    yield dump(
        "feedback/nothing-but-garbage", "Where no tuple begins, all bytes are skipped, and the input is named as unknown",
        ["feedback/skip-to-end", "format/unrecognised"], [skip(50 * GARBAGE)],
        findings=[{"source": "input.bin", "stream": None, "direction": None, "offset": None, "code": "unrecognised-input"}],
    )  # fmt: skip
    first = raw(1)[:28] + bytes(10)
    filled = first + bytes(38) + bytes(20) + raw(3)[20:]
    yield dump(
        "feedback/gap-filled-with-zeros", "Zeros that another tool wrote for a gap end in a flag and skipped bytes",
        ["feedback/zero-fill", "feedback/zero-filled-token"],
        [
            rec(0), rec(1, "unconfirmed-boundary", "zero-filled-token", body=first[6:]), skip(filled[38:]),
            rec(4, "resynchronised"),
        ],
    )  # fmt: skip


def invisible():
    """What no rule can see, as the documentation says."""
    yield dump(
        "feedback/a-whole-tuple-lost", "A tuple that is lost as a whole leaves no trace", ["feedback/invisible"],
        [rec(0), rec(2)], chunks=[11],
    )  # fmt: skip
    halves = raw(1)[:20] + raw(2)[20:]
    yield dump(
        "feedback/a-tuple-of-two-halves",
        "A loss of one tuple's length across a boundary makes one tuple of two, and nothing indicates it",
        ["feedback/invisible"], [rec(0), rec(1, body=halves[6:]), rec(3)], chunks=[13],
    )  # fmt: skip
    flipped = bytes([token(1)[0] ^ 1]) + token(1)[1:]
    yield dump(
        "feedback/flipped-bits", "Bits flipped in a token or in a time leave tuples like any other", ["feedback/invisible"],
        [rec(0), rec(1, body=flipped), rec(2, time=1400000000 ^ 0x10000), rec(3)], chunks=[2],
    )  # fmt: skip
