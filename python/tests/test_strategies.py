"""The streams of Hypothesis: readers that are right pass, and each faulty one of the articles is found."""

from pathlib import Path

import pytest
import reference_readers as reference
from conftest import ROOT
from documents import BLOCK
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import apnsift
from apnsift.strategies import FeedbackStream, damaged_feedback_streams, feedback_streams

FIRST = settings(max_examples=2000, deadline=None, phases=[Phase.generate])  # without a search for the shortest example
OF_COMMAND = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


# A reader that is right.
page = {}
exec(BLOCK.findall((ROOT / "docs/how-to/test-a-reader.md").read_text())[0], page)
read = page["tuples"]


@settings(deadline=None)
@given(feedback_streams(token_lengths=st.integers(0, 300)))
def test_a_reader_that_is_right(stream):
    assert list(read(stream.open())) == stream.records
    assert not stream.missing(read(stream.open()))
    assert all(stream.chunks) and b"".join(stream.chunks) == stream.data


@pytest.mark.parametrize("name", reference.READERS)
def test_a_faulty_reader_is_found(name):
    def is_wrong(stream):
        reported, outcome = reference.READERS[name](stream.open())
        return outcome != "completed" or [(time % 2**32, token) for time, token in reported] != stream.records

    assert is_wrong(find(feedback_streams(), is_wrong, settings=FIRST))


def command(stream):
    Path("stream.bin").write_bytes(stream.data)
    rows = apnsift.read("stream.bin", from_="raw", protocol="feedback", columns=["timestamp", "token"], latest=2**32 - 1)
    return [(row["timestamp"], row["token"]) for row in rows.read_all().to_pylist()]


@OF_COMMAND
@given(feedback_streams(token_lengths=st.just(32)))
def test_the_command_reads_whole_streams(stream):
    assert command(stream) == stream.records


@OF_COMMAND
@given(damaged_feedback_streams(most=12))
def test_the_command_goes_on_after_damage(stream):
    assert stream.missing(command(stream)) == []


def test_a_reader_that_stops_at_damage_is_found():
    assert find(damaged_feedback_streams(), lambda stream: stream.missing(read(stream.open())), settings=FIRST).records


def test_what_is_missing():
    a, b, c = ((1, bytes([byte])) for byte in b"abc")
    stream = FeedbackStream([], [a, b, a])
    cases = [([a, b, a], []), ([c, a, c, b, a], []), ([a, b], [a]), ([b, a], [b, a]), ([a, a], [b]), ([], [a, b, a])]
    assert [stream.missing(reported) for reported, _ in cases] == [missing for _, missing in cases]
