"""Figures: what is drawn is what was counted by hand, or by other means."""

import datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from conftest import run

import apnsift
from apnsift import plots

UTC = datetime.timezone.utc
NOON = datetime.datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = datetime.timedelta(days=1)


def bars(figure):
    """App: the heights of its bars by day, and where they begin."""
    axes = figure.axes[0]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    drawn = [{(int(bar.get_x() + 0.5), bar.get_y()): bar.get_height() for bar in bars} for bars in axes.containers]
    return dict(zip(labels, drawn))


def test_invalidations_by_day_and_app():
    first = (NOON.date() - datetime.date(1970, 1, 1)).days
    rows = [(NOON, ["a"]), (NOON + DAY / 3, ["a", "b"]), (NOON, ["b"]), (NOON + DAY, ["b"]), (None, ["a"]), (NOON, [])]
    table = pa.table({"invalidated_at": [row[0] for row in rows], "topics": [row[1] for row in rows]})
    expected = {"a": {(first, 0): 2}, "b": {(first, 2): 1, (first + 1, 0): 1}, plots.UNKNOWN_APP: {(first, 3): 1}}
    assert bars(plots.invalidations(table)) == expected


def test_invalidations_of_a_dump():
    figure = plots.invalidations(apnsift.tokens("samples/lost-byte.bin"))
    clean = apnsift.read("samples/lost-byte.bin").to_polars().filter(pl.col("flags").list.len() == 0)
    assert sum(sum(drawn.values()) for drawn in bars(figure).values()) == clean["token"].n_unique()
    figure.savefig("days.svg")
    assert "<svg" in Path("days.svg").read_text()
    schema = pa.schema({"invalidated_at": pa.timestamp("us", "UTC"), "topics": pa.list_(pa.string())})
    assert not plots.invalidations(schema.empty_table()).legends  # there is nothing to draw
    with pytest.raises(apnsift.InputError, match="gone.bin: cannot be opened"):
        plots.invalidations(apnsift.tokens("gone.bin"))


# Registered and invalidated on these days of the month, by hand; the store was up to date on the 11th.
ROWS = [("a", 1, 2), ("a", 1, 3), ("a", 1, None), ("a", 1, 11), ("b", 1, None), ("b", None, 4)]


def lines(figure):
    return {line.get_label(): list(zip(*line.get_data())) for line in figure.axes[0].get_lines()}


def test_survival_in_a_store():
    store = "sqlite:tokens.sqlite"
    for number, (app, registered, invalidated) in enumerate(ROWS):
        token, common = f"{number + 1:02x}" * 32, ["--store", store, "--app", app]
        if registered:
            run("store", "register", token, "--at", f"2024-05-{registered:02}T00:00:00Z", *common, "--create", check=True)
        if invalidated:
            seconds = int(datetime.datetime(2024, 5, invalidated, tzinfo=UTC).timestamp())
            Path("one.csv").write_text(f"timestamp,token\n{seconds},{token}\n")
            run("replay", "one.csv", *common, "--latest", "2025-01-01", "--max-invalidate", "100%", check=True)
    expected = {"a (4)": [(0, 1), (1, 0.75), (2, 0.5), (10, 0.25)], "b (1)": [(0, 1), (10, 1)]}
    found = lines(plots.survival(store))
    assert {app: [(day, pytest.approx(share)) for day, share in steps] for app, steps in expected.items()} == found
    later = lines(plots.survival(store, until=datetime.datetime(2024, 5, 21, tzinfo=UTC), app="b"))
    assert later == {"b (1)": [(0, 1), (20, 1)]}
    with pytest.raises(apnsift.Error, match="gone.sqlite"):
        plots.survival("sqlite:gone.sqlite")
