"""Distinct tokens, and how those of two inputs differ."""

import polars as pl
import pytest

import apnsift

LOST, CUT = "samples/lost-byte.bin", "samples/cut-tail.bin"


def histories(path):
    """Token: its latest time without a flag, from the records."""
    records = apnsift.read(path).to_polars()
    times = records.group_by("token").agg(pl.col("time").filter(pl.col("flags").list.len() == 0).max())
    return dict(times.select("token", "time").iter_rows())


def test_tokens_are_those_of_the_records():
    rows = apnsift.tokens(LOST, columns=["token", "invalidated_at"], batch_rows=5).to_polars()
    assert dict(rows.iter_rows()) == histories(LOST)
    with pytest.raises(TypeError, match="records"):
        apnsift.tokens(LOST, records="feedback")


def test_a_comparison_has_the_differences_of_the_tokens():
    found, a, b = apnsift.compare(LOST, CUT), histories(LOST), histories(CUT)
    differing = {token for token in a.keys() | b.keys() if (token in a, a.get(token)) != (token in b, b.get(token))}
    rows = found.to_polars()
    assert rows.height == len(differing)
    times = rows.select("token", "invalidated_at_a", "invalidated_at_b").iter_rows()
    assert set(times) == {(token, a.get(token), b.get(token)) for token in differing}
    only_a, only_b, all_tokens = (len(tokens) for tokens in (a.keys() - b.keys(), b.keys() - a.keys(), a.keys() | b.keys()))
    assert (found.only_a, found.only_b, found.same) == (only_a, only_b, all_tokens - len(differing))
    assert found.read_all().schema.equals(pl.DataFrame(found).to_arrow().cast(found.table.schema).schema)


def test_equal_tokens():
    found = apnsift.compare(LOST, LOST, jobs=1)
    assert (found.table.num_rows, found.only_a, found.only_b, found.other_time, found.same) == (0, 0, 0, 0, 37)
    assert found.to_pandas().empty


@pytest.mark.parametrize("b, options, error, text", [
    ("gone.bin", {}, apnsift.InputError, "gone.bin: cannot be opened"),
    (LOST, {"strict": True}, apnsift.UsageError, "--strict cannot be given"),
    (LOST, {"protocol": "x"}, apnsift.UsageError, "'x' is invalid"),
    ("samples/*.bin", {}, apnsift.UsageError, "two inputs"),
])  # fmt: skip
def test_errors(b, options, error, text):
    with pytest.raises(error, match=text):
        apnsift.compare(CUT, b, **options)


def test_a_partial_comparison_warns():
    with pytest.warns(apnsift.PartialWarning, match="gone.bin"):
        assert apnsift.compare(LOST, "gone.bin", partial=True).only_a == 37
