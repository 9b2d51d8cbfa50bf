"""Strategies of Hypothesis for tests of programs that read feedback. The extra `hypothesis` installs what they need.

>>> from hypothesis import given
>>> @given(feedback_streams())
... def test_my_reader(stream):
...     assert my_reader(stream.open()) == stream.records

The expected records are those that the stream was put together of; no decoder is asked.
"""

from __future__ import annotations

import io
import itertools
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Record = tuple[int, bytes]  # seconds since 1970, and the token

_LENGTHS = st.one_of(st.just(32), st.integers(0, 100))
_TIMES = st.integers(0, 2**32 - 1)
# Near damage are the two tuples before it, and all within 106 bytes after it with the tuple after those.
_BEFORE, _AFTER = 2, 4


class Received(io.RawIOBase):
    """What a connection returns: a read, or `recv`, has bytes of one chunk only."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._rest or next(self._chunks, b"")
        count = min(len(buffer), len(data))
        buffer[:count], self._rest = data[:count], data[count:]
        return count

    def recv(self, limit: int) -> bytes:
        return self.read(limit) or b""


@dataclass(frozen=True)
class FeedbackStream:
    """What a server sent: the bytes that each read returns, and what a reader must report."""

    chunks: list[bytes]
    records: list[Record]  # without empty tokens, which name no device, and without a tuple that the end cuts off

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    def open(self) -> Received:
        return Received(self.chunks)

    def missing(self, reported: Iterable[Record]) -> list[Record]:
        """The records that are not among the reported ones, in their order."""
        rest, missing = list(reported), []
        for record in self.records:
            if record in rest:
                del rest[: rest.index(record) + 1]
            else:
                missing.append(record)
        return missing


def encoded(record: Record) -> bytes:
    """The tuple of a record: time, length of the token, and token."""
    time, token = record
    return struct.pack(">IH", time, len(token)) + token


def chunkings(data: bytes) -> st.SearchStrategy[list[bytes]]:
    """Ways to cut the bytes into chunks: all in one, or by sizes that are repeated."""
    sizes = st.lists(st.integers(1, 100), min_size=1, max_size=6)
    return st.one_of(st.just([max(1, len(data))]), sizes).map(lambda sizes: _cut(data, sizes))


def _cut(data: bytes, sizes: list[int]) -> list[bytes]:
    file, repeated = io.BytesIO(data), itertools.cycle(sizes)
    return list(iter(lambda: file.read(next(repeated)), b""))


@st.composite
def feedback_streams(
    draw: st.DrawFn, *, token_lengths: st.SearchStrategy[int] = _LENGTHS, times: st.SearchStrategy[int] = _TIMES, most: int = 20
) -> FeedbackStream:
    """Streams as a server sent them: tuples one after the other; the last one may be cut off.

    token_lengths: of 0 to 65535 bytes. times: of 32 bits without sign. most: the largest number of tuples.
    """
    tokens = token_lengths.flatmap(lambda length: st.binary(min_size=length, max_size=length))
    records = draw(st.lists(st.tuples(times, tokens), max_size=most))
    data = b"".join(map(encoded, records))
    lost = draw(st.one_of(st.just(0), st.integers(1, len(encoded(records[-1]))))) if records else 0
    chunks = draw(chunkings(data[: len(data) - lost]))
    return FeedbackStream(chunks, [record for record in (records[:-1] if lost else records) if record[1]])


@st.composite
def damaged_feedback_streams(draw: st.DrawFn, *, most: int = 20) -> FeedbackStream:
    """Streams of tuples with 32 bytes of token, in one of which bytes were lost, changed or put in.

    For readers that go on after damage: `records` are those that it cannot have touched, and ``not stream.missing(reported)``
    is what must hold. Nothing in them but the header of a tuple looks like one.
    """
    clear = st.integers(1, 255)  # a length has a byte 0
    times = st.tuples(st.integers(0x50, 0x5F), clear, clear, clear).map(lambda time: int.from_bytes(bytes(time), "big"))
    tokens = st.lists(clear, min_size=32, max_size=32).map(bytes)
    records = draw(st.lists(st.tuples(times, tokens), min_size=1, max_size=most))
    parts = [encoded(record) for record in records]
    number = draw(st.integers(0, len(parts) - 1))
    start = draw(st.integers(0, len(parts[number]) - 1))
    rest = parts[number][start + draw(st.integers(0, 20)) :]
    parts[number] = parts[number][:start] + draw(st.binary(max_size=38)) + rest
    chunks = draw(chunkings(b"".join(parts)))
    return FeedbackStream(chunks, records[: max(0, number - _BEFORE)] + records[number + _AFTER + 1 :])
