"""The data source on a cluster: its rows are those of one process."""

import gzip
import os
import re

import pyarrow as pa
import pytest
from conftest import KINDS, TABLES, generate
from pyspark.sql import functions as F

import apnsift
from apnsift._arguments import options
from apnsift.spark._settings import Settings

COLUMNS = TABLES["columns in Spark"]


def contents(table):
    """Columns, types and rows, whose order says nothing; libraries name what is in a list by other words."""
    types = [str(column.type).replace("<element:", "<item:") for column in table.schema]
    return table.column_names, types, sorted(map(str, zip(*table.to_pydict().values())))


def of_one_process(path, records="feedback"):
    names = [name for name in sorted(path.rglob("*")) if name.is_file()]
    return apnsift.read(names, records=records, columns=COLUMNS.get(records), partial=True).read_all()


def of_spark(spark, *paths, records="feedback", **options):
    columns = {"columns": COLUMNS[records]} if records in COLUMNS else {}
    frame = spark.read.format("apnsift").options(records=records, partitionBytes="200000", **columns, **options)
    return frame.load(list(map(str, paths)))


@pytest.mark.parametrize("records", KINDS)
def test_rows_are_those_of_one_process(spark, files, records):
    frame = of_spark(spark, files, records=records)
    found = frame.toArrow()
    assert contents(found) == contents(of_one_process(files, records))
    assert found.num_rows > 0
    assert frame.rdd.getNumPartitions() > 5 or records != "feedback"


def test_rows_are_the_same_if_a_worker_is_killed(spark, files, control):
    (control / "kill").touch()
    found = of_spark(spark, files).toArrow()
    assert (control / "killed").exists()
    assert contents(found) == contents(of_one_process(files))
    (control / "killed").unlink()


def test_a_frame_can_be_filtered_and_used_again(spark, files):
    """Spark 4.3 would keep pushed filters for the next query, with rows missing there."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        everything = of_one_process(files / "0")
        frame = of_spark(spark, files / "0")
        time = everything["time"][len(everything) // 2].as_py()
        condition = pa.compute.field("time") < pa.scalar(time, pa.timestamp("us", "UTC"))
        filtered = frame.where(F.col("time") < F.lit(time)).toArrow()
        assert contents(filtered) == contents(everything.filter(condition))
        assert 0 < len(filtered) < len(everything)
        assert frame.count() == len(everything)
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_a_token_is_an_option(spark, files):
    everything = of_one_process(files / "0")
    token = everything["token"][30].as_py()
    found = of_spark(spark, files / "0", token=token.hex()).toArrow()
    assert contents(found) == contents(everything.filter(pa.compute.field("token") == token))


def test_a_schema_chooses_columns(spark, files):
    frame = spark.read.format("apnsift").schema("token binary, stream_offset long").load(str(files / "1"))
    expected = apnsift.read(sorted(map(str, (files / "1").iterdir())), columns="token,stream_offset", partial=True)
    assert frame.columns == ["token", "stream_offset"]
    assert frame.count() == expected.read_all().num_rows


def test_options_are_those_of_the_command(spark):
    samples = os.path.realpath("samples")
    pair = {part: f"{samples}/gateway.{part}.bin" for part in ("requests", "responses")}
    for paths, given in [
        ([f"{samples}/pushes/node-tls1.2.pcap"], {"records": "pushes", "keys": f"{samples}/pushes/node-tls1.2.keys"}),
        ([f"{samples}/captures/session-rotated-{part}.pcap" for part in (1, 2)], {"join": True}),
        ([], {"records": "responses", **pair}),
    ]:
        frame = spark.read.format("apnsift").options(**given).load(paths or None)
        assert frame.count() == apnsift.read(paths, **given).read_all().num_rows > 0


def test_a_wrong_option_fails_with_the_message(spark):
    for path, given, message in [
        ("/", {"bogus": "1"}, "unknown option '--bogus'"),
        ("/", {"mode": "permissive"}, "mode: expected failfast or partial, found 'permissive'"),
        ("s3://bucket/dumps", {}, "s3://bucket/dumps: expected a path of a file system"),
        (None, {}, "no input: name files or directories"),
    ]:
        with pytest.raises(Exception, match=message):
            spark.read.format("apnsift").options(**given).load(path).count()


def test_another_version_on_a_worker_is_named_with_its_host(spark, files, control):
    (control / "other-version").touch()
    message = rf"host \S+: expected apnsift {re.escape(apnsift.version())}, as on the driver, found 0\.0\.9 at"
    with pytest.raises(Exception, match=message):
        of_spark(spark, files / "0").count()
    (control / "other-version").unlink()


@pytest.fixture
def unreadable(tmp_path):
    folder = tmp_path / "some unreadable"
    folder.mkdir()
    dump = generate(folder / "whole.bin", "dump", 1, tuples=50).read_bytes()
    (folder / "cut.bin").write_bytes(dump)
    (folder / "cut.gz").write_bytes(gzip.compress(dump)[: len(gzip.compress(dump)) // 2])
    return folder


def test_an_unreadable_file_fails_the_job_with_its_message(spark, unreadable):
    for paths, message in [
        ([unreadable, unreadable / "gone.bin"], "cut.gz: "),
        ([unreadable / "gone.bin"], "gone.bin: cannot be opened: No such file or directory"),
        ([unreadable / "*.none"], "no file matches this pattern"),
    ]:
        with pytest.raises(Exception, match=message):
            of_spark(spark, *paths).count()


def test_in_partial_mode_it_is_a_finding(spark, unreadable):
    paths = [unreadable, unreadable / "gone.bin"]
    frame = of_spark(spark, *paths, mode="partial")
    whole = frame.where(F.col("source").endswith("whole.bin")).count()
    assert whole == 50 and frame.where(F.col("source").endswith("cut.bin")).count() == 50
    findings = of_spark(spark, *paths, records="findings", mode="partial").where("code = 'unreadable-input'").collect()
    assert {os.path.basename(row.source) for row in findings} == {"cut.gz", "gone.bin"}


def test_an_array_is_a_list_of_the_command():
    lengths = Settings.parsed({"path": "a", "token-length": "[32, 54]", "keys": '["a.log", "b.log"]', "join": "true"})
    assert options(lengths.options) == ["--token-length=32,54", "--keys=a.log", "--keys=b.log", "--join"]
