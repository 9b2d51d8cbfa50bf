"""Streams over which the five faulty readers go wrong, each by one of its faults (docs/spec/readers.md#models). What each reader
makes of them was worked out by hand: records, correct ones, wrong ones, missed ones, and how it ends."""

from cases.captured import capture, feedback, on_ethernet, session
from cases.case import Case, Stream, dump
from cases.wire import cut, error, raw, rec, skip, token

ODD = "unexpected-token-length"
LONG = ["--token-length", "257"]  # 0x0101: a length that reads the same with its first byte twice
RESPONSES = ["--from", "raw", "--protocol", "responses"]


def cases():
    return [*fixed_reads(), *csharp(), *node(), *php(), *captured()]


def fixed_reads():
    yield dump(
        "readers/cookbook-stale-bytes", "cookbook takes a short read for a tuple, whose end is left from the one before",
        ["reader/cookbook/short-read", "reader/chunks"], [rec(0), rec(1), rec(2)], chunks=[38, 30, 8],
        readers={"cookbook": (4, 2, 2, 1, "completed"), "csharp": (3, 3, 0, 0, "completed")},
    )  # fmt: skip
    same = token(0)[:24] + token(5)[:8]
    yield dump(
        "readers/cookbook-stale-bytes-that-fit",
        "Where two tokens end in the same bytes, what is stale happens to be right: the fault does not show",
        ["reader/cookbook/short-read"], [rec(0, body=same), rec(1, body=token(1)[:24] + token(5)[:8])], chunks=[38, 30],
        readers={"cookbook": (3, 2, 1, 0, "completed"), "java": (3, 1, 2, 1, "completed")},
    )  # fmt: skip
    yield dump(
        "readers/java-short-read", "java takes a short read for a tuple, whose end is zeros",
        ["reader/java/short-read", "reader/chunks"],
        [rec(0), rec(1)], chunks=[30, 8], readers={"java": (4, 0, 4, 2, "completed"), "csharp": (2, 2, 0, 0, "completed")},
    )  # fmt: skip
    zeros = token(1)[:24] + bytes(8)
    yield dump(
        "readers/java-zeros-that-fit", "Where a token ends in zeros, those that java puts there happen to be right",
        ["reader/java/short-read"],
        [rec(0), rec(1, "zero-filled-token", body=zeros)], chunks=[38, 30, 8],
        readers={"java": (3, 2, 1, 0, "completed"), "cookbook": (3, 1, 2, 1, "completed")},
    )  # fmt: skip
    fits = {name: (3, 3, 0, 0, "completed") for name in ("cookbook", "csharp", "java")}
    yield dump(
        "readers/reads-of-38", "In chunks of 38 or 76 bytes, fixed reads go well", ["reader/chunks"],
        [rec(0), rec(1), rec(2)],
        chunks=[38, 76], readers=fits,
    )  # fmt: skip
    yield dump(
        "readers/reads-one-byte-off", "Chunks of 37 bytes: every read of 38 is short",
        ["reader/cookbook/short-read", "reader/java/short-read", "reader/chunks"],
        [rec(0), rec(1)], chunks=[37], readers={name: (3, 0, 3, 2, "completed") for name in ("cookbook", "java")},
    )  # fmt: skip
    four = {name: (4, 1, 3, 2, "completed") for name in ("cookbook", "java")}
    yield dump(
        "readers/fixed-reads-of-a-long-token",
        "cookbook and java take 32 bytes as the token, whatever its length, and lose the boundaries",
        ["reader/cookbook/length-ignored", "reader/java/length-ignored"], [rec(0), rec(1, ODD, length=54), rec(2)],
        chunks=[4096],
        readers={**four, "csharp": (3, 3, 0, 0, "completed")},
    )  # fmt: skip
    two = {name: (2, 0, 2, 2, "completed") for name in ("cookbook", "java")}
    yield dump(
        "readers/fixed-reads-of-a-short-token", "The same with a token of 5 bytes, after which the next tuple begins",
        ["reader/cookbook/length-ignored", "reader/java/length-ignored"],
        [rec(0, ODD, length=5), rec(1)], chunks=[4096], readers={**two, "csharp": (2, 2, 0, 0, "completed")},
    )  # fmt: skip
    late = "implausible-timestamp"
    signed = {name: (4, 2, 2, 2, "completed") for name in ("cookbook", "csharp", "java")}
    yield dump(
        "readers/signed-times", "Times from 2^31 on are negative for readers that take them as signed",
        ["reader/cookbook/signed-time", "reader/csharp/signed-time", "reader/java/signed-time"],
        [rec(0), rec(1, late, time=2**31 - 1), rec(2, late, time=2**31), rec(3, late, time=2**32 - 1)], chunks=[38],
        readers=signed,
    )  # fmt: skip


def csharp():
    yield dump(
        "readers/csharp-short-last-tuple", "csharp waits for 38 bytes, so it never sees a last tuple with a short token",
        ["reader/csharp/waits-for-38"], [rec(0), rec(1, ODD, length=5)], chunks=[4096],
        readers={"csharp": (1, 1, 0, 1, "completed")},
    )  # fmt: skip
    yield dump(
        "readers/csharp-short-tuple-in-front", "A short token with 38 bytes to read is seen", ["reader/csharp/waits-for-38"],
        [rec(0, ODD, length=5), rec(1, ODD, length=31), rec(2)], chunks=[4096], readers={"csharp": (3, 3, 0, 0, "completed")},
    )  # fmt: skip
    yield dump(
        "readers/csharp-spins", "csharp spins for ever where a token is longer than what has come so far",
        ["reader/csharp/spins", "reader/chunks"],
        [rec(0), rec(1, ODD, length=54), rec(2)], chunks=[40], readers={"csharp": (1, 1, 0, 2, "hangs")},
    )  # fmt: skip
    yield dump(
        "readers/csharp-long-token-in-one-read", "Where the whole token has come, csharp does not spin",
        ["reader/csharp/spins", "reader/chunks"],
        [rec(0), rec(1, ODD, length=54), rec(2)], chunks=[98, 38], readers={"csharp": (3, 3, 0, 0, "completed")},
    )  # fmt: skip
    damaged = [rec(0, "unconfirmed-boundary"), skip(raw(1, field=0x8020)), rec(2, "resynchronised")]
    yield dump(
        "readers/csharp-throws", "csharp takes the length as signed, and throws where it is negative", ["reader/csharp/throws"],
        damaged, chunks=[4096], readers={"csharp": (1, 1, 0, 1, "throws")},
    )  # fmt: skip
    yield dump(
        "readers/csharp-throws-at-a-long-token", "A whole token of 32,768 bytes has a length that csharp takes for a negative one",
        ["reader/csharp/throws"], [rec(0), rec(1, length=0x8000), rec(2)], chunks=[4096],
        options=["--token-length", "32,32768"], readers={"csharp": (1, 1, 0, 2, "throws")},
    )  # fmt: skip
    damaged = [rec(0, "unconfirmed-boundary"), skip(raw(1, field=0x7FFF)), rec(2, "resynchronised")]
    yield dump(
        "readers/csharp-spins-on-damage", "The largest length that is not negative makes it spin",
        ["reader/csharp/spins", "reader/csharp/throws"],
        damaged, chunks=[4096], readers={"csharp": (1, 1, 0, 1, "hangs")},
    )  # fmt: skip
    yield dump(
        "readers/csharp-cut-tail",
        "csharp drops a tail in silence: what it reports is right, and nothing indicates that there was more",
        ["reader/csharp/dropped-tail"], [rec(0), rec(1), cut(raw(2)[:37])], chunks=[3],
        readers={"csharp": (2, 2, 0, 0, "completed")},
    )  # fmt: skip
    yield dump(
        "readers/empty-tokens", "An empty token names no device: readers need not report it, and one that does is wrong",
        ["reader/truth"],
        [rec(0), rec(1, "zero-length-token", length=0), rec(2)], chunks=[4096], readers={"csharp": (3, 2, 1, 0, "completed")},
    )  # fmt: skip


def node():
    yield dump(
        "readers/node-length-of-32",
        "node uses the length's first byte twice: 0x0020 is 0, and the token is read as empty tuples",
        ["reader/node/length-byte-twice"], [rec(0, "zero-filled-token", body=bytes(32))], chunks=[38],
        readers={"node": (7, 0, 7, 1, "completed")},
    )  # fmt: skip
    yield dump(
        "readers/node-length-of-257", "A length with two equal bytes is read right", ["reader/node/length-byte-twice"],
        [rec(0, length=257), rec(1, length=257)], options=LONG, chunks=[50, 13], readers={"node": (2, 2, 0, 0, "completed")},
    )  # fmt: skip
    # In captures, since so few bytes at the end of a dump show no tuple.
    for size, what in ((3, "a time whose last byte is missing is 0"), (4, "a length that is missing is 0")):
        parts = [rec(0, length=257), cut(raw(1, length=257)[:size])]
        yield capture(
            f"readers/node-tail-of-{size}", f"node reads beyond the end: {what}", ["reader/node/beyond-the-end"],
            on_ethernet(session(parts, [64, 64, 64, 64, 64])), [feedback(parts)],
            options=LONG, readers={"node": (2, 1, 1, 0, "completed")},
        )  # fmt: skip
    yield dump(
        "readers/node-tail-of-100", "node reads beyond the end: a token is filled up with zeros", ["reader/node/beyond-the-end"],
        [rec(0, length=257), cut(raw(1, length=257)[:100])], options=LONG, chunks=[64],
        readers={"node": (2, 1, 1, 0, "completed")},
    )  # fmt: skip


def responses(name, shows, covers, parts, chunks, counts):
    stream = Stream(server=parts, protocol="gateway")
    data = b"".join(part.data for part in parts)
    return Case(
        name, shows, covers, {"input.bin": data}, [stream], options=RESPONSES, chunks=chunks,
        readers={"php": (*counts, "completed")},
    )


def php():
    first, later = error(8, 1, "uncorrelated"), error(10, 2, "after-close", "uncorrelated")
    yield responses(
        "readers/php-error-in-two-pieces", "php reads once: an error that comes in two chunks is missed",
        ["reader/php/two-pieces", "reader/chunks"],
        [first], [2, 4], (0, 0, 0, 1),
    )  # fmt: skip
    yield responses(
        "readers/php-error-in-one-piece", "An error that comes in one chunk is read", ["reader/php/two-pieces"], [first], [6],
        (1, 1, 0, 0),
    )  # fmt: skip
    yield responses(
        "readers/php-only-the-first", "php reads the first error alone, also where one read could have had both",
        ["reader/php/first-only"],
        [first, later], [12], (1, 1, 0, 1),
    )  # fmt: skip
    other = b"\x07\x03\0\0\0\x09"
    yield responses(
        "readers/php-command-unchecked", "php does not look at the command: six bytes of something else are an error to it",
        ["reader/php/command-unchecked"], [skip(other, "unknown-command"), error(8, 1, "resynchronised", "uncorrelated")], [6],
        (1, 0, 1, 1),
    )  # fmt: skip


def captured():
    counts = {"cookbook": (4, 1, 3, 2, "completed"), "java": (4, 1, 3, 2, "completed"), "csharp": (3, 3, 0, 0, "completed")}
    yield capture(
        "readers/segments-are-chunks", "In a capture, a segment is a chunk: reads end where it does",
        ["reader/chunks", "reader/java/short-read", "reader/cookbook/short-read"],
        on_ethernet(session()), [feedback()], readers=counts,
    )  # fmt: skip
