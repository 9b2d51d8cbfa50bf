"""Files that arrive while a stream runs: each once, also after a restart."""

import os
from pathlib import Path

import pytest
from conftest import generate
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

import apnsift
from apnsift.spark import _streaming
from apnsift.spark._settings import Settings

SECOND = 1_000_000_000


@pytest.fixture
def spool(tmp_path):
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def arrive(spool, times):
    """Files that are moved into the directory, with these modification times in seconds; gives the last."""
    for name, modified in times.items():
        path = generate(spool.parent / name, "dump", seed=modified, tuples=20)
        touch(path, modified)
        path = path.rename(spool / name)
    return path


def stream(spool, **options):
    return _streaming.FileStream(Settings.parsed({"path": str(spool), "settleSeconds": "0", **options}), None)


def latest(one, start=None):
    return one.latestOffset(start or one.initialOffset(), ReadAllAvailable())


def touch(path, modified):
    os.utime(path, ns=(modified * SECOND, modified * SECOND))


def names(partitions):
    return [Path(file.path).name for partition in partitions for file in partition.files]


def test_batches_are_in_order_and_limited(spool):
    arrive(spool, {"0.bin": 300, "1.bin": 100, "2.bin": 200, "3.bin": 200})
    one = stream(spool)
    start = one.initialOffset()
    first = one.latestOffset(start, ReadMaxFiles(3))
    assert names(one.partitions(start, first)) == ["1.bin", "2.bin", "3.bin"]
    second = latest(one, first)
    assert names(one.partitions(first, second)) == ["0.bin"]
    assert latest(one, second) == second
    assert one.partitions(second, second) == []
    # A restarted query plans the same batch again.
    assert names(stream(spool).partitions(start, first)) == ["1.bin", "2.bin", "3.bin"]
    # A changed file is read again.
    (spool / "2.bin").write_bytes((spool / "2.bin").read_bytes() * 2)
    touch(spool / "2.bin", 400)
    assert names(one.partitions(second, latest(one, second))) == ["2.bin"]


def test_an_offset_does_not_grow(spool):
    arrive(spool, {f"{number:02}.bin": 100 + number for number in range(30)})
    offset = latest(stream(spool))
    assert offset == {"modified": 129 * SECOND, "path": str(spool / "29.bin"), "files": 30, "total": 30}


def test_a_file_that_changes_while_it_is_read_fails_the_task(spool):
    path = arrive(spool, {"a.bin": 100})
    one = stream(spool)
    start = one.initialOffset()
    (partition,) = one.partitions(start, latest(one, start))
    touch(path, 200)
    one.schema = from_arrow_schema(apnsift.schema(columns="token"))
    with pytest.raises(apnsift.Error, match="a.bin: changed while it was read"):
        list(one.read(partition))


def test_a_file_with_an_older_time_is_reported(spool):
    arrive(spool, {"b.bin": 200})
    one = stream(spool)
    first = latest(one)
    arrive(spool, {"a.bin": 100})
    with pytest.raises(apnsift.Error, match="files that are older than the last one that was read arrived: 1, .* touch them"):
        latest(one, first)
    assert latest(stream(spool, mode="partial"), first) == first
    touch(spool / "a.bin", 300)
    assert names(one.partitions(first, latest(one, first))) == ["a.bin"]


def test_a_file_that_is_gone_before_it_is_read_is_reported(spool):
    arrive(spool, {"a.bin": 100, "b.bin": 200})
    one = stream(spool)
    start, end = one.initialOffset(), latest(one)
    (spool / "a.bin").unlink()
    with pytest.raises(apnsift.Error, match="b.bin: expected 2, found 1 now"):
        one.partitions(start, end)
    assert names(stream(spool, mode="partial").partitions(start, end)) == ["b.bin"]


def test_an_empty_directory_is_waited_for_and_so_are_young_files(spool):
    one = stream(spool, settleSeconds="3600")
    assert latest(one) == latest(stream(spool)) == one.initialOffset()
    generate(spool / "new.bin", "dump", 1, tuples=3)
    assert latest(one) == one.initialOffset()


def test_every_file_is_read_once_over_restarts(spark, spool, tmp_path):
    def run():
        """A query to the end of what is there; gives its exception."""
        given = {"columns": "source,offset,token", "settleSeconds": "0", "maxFilesPerTrigger": "2"}
        frame = spark.readStream.format("apnsift").options(**given).load(str(spool))
        query = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = query.trigger(availableNow=True).start(str(tmp_path / "out"))
        try:
            query.awaitTermination()
        except Exception as error:
            return str(error)

    arrive(spool, {f"{number}.bin": 100 + number for number in range(5)})
    assert run() is None
    assert run() is None  # nothing new
    torn = arrive(spool, {"torn.gz": 200})
    whole = torn.read_bytes()
    torn.write_bytes(b"\x1f\x8b\x08\x00")
    touch(torn, 200)
    assert "torn.gz: " in run()
    # The batch is planned again, with the file whole now, but of the same time.
    torn.write_bytes(whole)
    touch(torn, 200)
    arrive(spool, {"6.bin": 300})
    assert run() is None
    rows = spark.read.parquet(str(tmp_path / "out")).groupBy("source").count().collect()
    found = {os.path.basename(row.source): row["count"] for row in rows}
    assert found == dict.fromkeys(["0.bin", "1.bin", "2.bin", "3.bin", "4.bin", "torn.gz", "6.bin"], 20)
