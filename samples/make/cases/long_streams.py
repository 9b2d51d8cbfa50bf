"""Whole streams of feedback that are longer than any buffer, for readers that are right only as long as little comes:
that stop after a number of tuples or bytes, drop what comes again, or lose what one read cannot hold."""

from cases.captured import capture, feedback, on_ethernet, session
from cases.case import dump
from cases.wire import rec, token

TUPLES, CAPTURED = 5000, 1800  # 190,000 and 68,400 bytes: more than the 64 KiB that programs read at a time
DIFFERENT, TOKENS = 100, 25  # so few, each of them 50 times, that git keeps them small
# Again and again, as 1530 is no multiple of 38: among CHUNKS, each of the 38 bytes of a tuple ends one.
ODD = [37, 1, 1449, 38, 5]
CHUNKS = [*8 * ODD, 65537]
SEGMENTS = [*4 * ODD, 60001]  # IPv4 has no room for 65,537


def tuples(count):
    """One step back after each hundred: the same tuple comes twice in a row, and again much later; each token has four
    times. A tuple that is lost, or moved, is not where another one like it was expected."""
    numbers = ((index - index // DIFFERENT) % DIFFERENT for index in range(count))
    return [rec(number, body=token(number % TOKENS)) for number in numbers]


def cases():
    yield dump(
        "readers/thousands-of-tuples", "A long list is read to its end, repeated tuples and tokens included",
        ["reader/long-streams", "reader/chunks", "feedback/record"], tuples(TUPLES), chunks=CHUNKS,
    )  # fmt: skip
    parts = tuples(CAPTURED)
    yield capture(
        "readers/thousands-of-tuples-in-segments", "The same in segments of a byte and of more than most programs read",
        ["reader/long-streams", "reader/chunks"], on_ethernet(session(parts, sizes())), [feedback(parts)],
    )  # fmt: skip


def sizes():
    """Enough of them for all of the capture."""
    return SEGMENTS * (38 * CAPTURED // sum(SEGMENTS) + 1)
