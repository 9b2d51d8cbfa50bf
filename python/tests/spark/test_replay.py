"""The replay rule in Spark, compared with `apnsift replay` into a SQLite store."""

import csv
import io
import json
import random

import pytest
from conftest import generate, run
from pyspark.sql import functions as F

import apnsift
from apnsift.spark import latest_feedback, replay

OUTCOMES = ["rejected", "unknown", "inserted", "kept", "unchanged", "updated", "invalidated"]


def store_rows(store):
    """The table of a store, as a CSV of apnsift."""
    text = run("store", "export", "--store", store, check=True).stdout.decode()
    return {row["token"]: (row["registered_at"], row["invalidated_at"]) for row in csv.DictReader(io.StringIO(text))}


def frame(spark, rows):
    """A store as a DataFrame."""
    lines = [(bytes.fromhex(token), *(time or None for time in times)) for token, times in rows.items()]
    text = spark.createDataFrame(lines, "token binary, registered_at string, invalidated_at string")
    return text.select("token", *(F.to_timestamp(name).alias(name) for name in text.columns[1:]))


def rows_of(frame):
    def text(column):
        return F.coalesce(F.date_format(column, "yyyy-MM-dd'T'HH:mm:ss'Z'"), F.lit(""))

    found = frame.select(F.lower(F.hex("token")), text("registered_at"), text("invalidated_at")).collect()
    return {token: (registered, invalidated) for token, registered, invalidated in found}


def registrations(path, records, generator):
    """Registrations before, at and after the times of the records, of some tokens; half of them in the same second."""
    rows = ["token,registered_at", f"{'ab' * 32},1500000000"]
    for record in records:
        if record["time"] is not None and generator.random() < 0.6:
            seconds = int(record["time"].timestamp()) + generator.choice([-86400, -1, 0, 0, 1, 86400])
            rows.append(f"{record['token'].hex()},{seconds}")
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def feedback(tmp_path):
    folder = tmp_path / "feedback"
    folder.mkdir()
    generate(folder / "many.bin", "dump", 1, tuples=2000, tokens=400)
    generate(folder / "damaged.bin", "dump", 1, tuples=2000, tokens=300, lost_bytes=40)
    return folder


@pytest.mark.parametrize("records", ["feedback", "pushes"])
@pytest.mark.parametrize("flags", [[], ["--include-flagged"], ["--known-only"]], ids=lambda flags: "".join(flags) or "plain")
def test_outcomes_and_table_are_those_of_the_command(spark, tmp_path, feedback, records, flags):
    first = generate(tmp_path / "first.bin", "dump", 1, tuples=300, tokens=250)
    if records == "pushes":
        feedback = tmp_path / "pushes"
        feedback.mkdir()
        generate(feedback / "pushes.pcap", "pushes", 3, tuples=1500, invalidated=600)
        first = generate(tmp_path / "first.pcap", "pushes", 3, tuples=400, invalidated=600)
    store = f"sqlite:{tmp_path}/tokens.sqlite"
    table = apnsift.read(feedback, records=records, partial=True).read_all().to_pylist()
    registrations(tmp_path / "registered.csv", [row for row in table if row["token"]], random.Random(5))
    run("store", "import", tmp_path / "registered.csv", "--store", store, "--create", "--skip-invalid", check=True)
    options = ["--store", store, "--max-invalidate", "100%", "--partial", "--other-app", *flags]
    # Some of the tokens are invalidated already.
    run("replay", first, *options, check=True)
    before = store_rows(store)
    done = run("replay", feedback, *options, "--json")
    assert done.returncode in (0, 2), done.stderr
    counts = json.loads(done.stdout)

    frame_of_records = spark.read.format("apnsift").option("records", records).option("mode", "partial").load(str(feedback))
    given = {flag.strip("-").replace("-", "_"): True for flag in flags}
    result = replay(frame_of_records, frame(spark, before), **given).cache()
    found = {row.outcome: row["count"] for row in result.groupBy("outcome").count().collect()}
    assert found == {name: counts[name] for name in OUTCOMES if counts[name]}
    assert len(found) > 3
    stored = result.where("outcome not in ('rejected', 'unknown')")
    assert {**before, **rows_of(stored)} == store_rows(store)


def test_latest_feedback_is_what_a_replay_inserts(spark, tmp_path, feedback):
    store = f"sqlite:{tmp_path}/tokens.sqlite"
    run("replay", feedback, "--store", store, "--create", check=True)
    frame_of_records = spark.read.format("apnsift").option("columns", "time,token,flags").load(str(feedback))
    latest = latest_feedback(frame_of_records).select(
        "token", F.lit(None).cast("timestamp").alias("registered_at"), F.col("time").alias("invalidated_at")
    )
    assert rows_of(latest) == store_rows(store)


def test_times_within_a_second(spark):
    """A registration without a fraction may be any moment of its second (docs/spec/interface.md#milliseconds)."""
    pushes = spark.sql(
        """SELECT X'AA' AS token, timestamp'2021-01-01 09:30:00.7Z' AS time, 1609493400L AS timestamp, 410L AS status,
           cast(array() AS array<string>) AS flags"""
    )
    outcomes = {"09:30:00": "kept", "09:30:00.5": "invalidated", "09:30:00.7": "kept", "09:29:59": "invalidated"}
    for registered, outcome in outcomes.items():
        store = frame(spark, {"aa": (f"2021-01-01 {registered}Z", None)})
        assert [row.outcome for row in replay(pushes, store).collect()] == [outcome], registered
