"""The data source on a cluster: its rows are those of one process."""

import gzip
import os
import re
import shutil

import pyarrow as pa
import pytest
from conftest import KINDS, generate
from pyspark.sql import functions as F

import apnsift
from apnsift._arguments import options
from apnsift.spark._settings import Settings

ORDER = [("source", "ascending"), ("stream", "ascending"), ("direction", "ascending"), ("offset", "ascending")]
COLUMNS = {
    "feedback": "source,stream,direction,offset,packet,file_offset,captured_at,time,token,flags",
    "findings": "source,stream,direction,offset,length,code,severity,message",
    "streams": "source,stream,protocol,client,server,records,findings,started_at",
    "inputs": "source,kind,size,sha256,format,records,findings",
}


def sorted_table(table):
    keys = [(name, order) for name, order in ORDER if name in table.column_names]
    if "code" in table.column_names:
        keys += [("code", "ascending"), ("length", "ascending"), ("message", "ascending")]
    plain = pa.schema([(field.name, pa.list_(field.type.value_type) if pa.types.is_list(field.type) else field.type)
                       for field in table.schema])  # fmt: skip
    return table.cast(plain).sort_by(keys).combine_chunks()


def of_one_process(paths, records, columns):
    names = sorted(os.path.join(folder, name) for path in paths for folder, _, names in os.walk(path) for name in names)
    return sorted_table(apnsift.read(names, records=records, columns=columns, partial=True).read_all())


def of_spark(spark, paths, records, columns, **options):
    frame = spark.read.format("apnsift").option("records", records).option("partitionBytes", "200000")
    for name, value in {**options, **({"columns": columns} if columns else {})}.items():
        frame = frame.option(name, value)
    return frame.load(list(map(str, paths)))


@pytest.mark.parametrize("records", KINDS)
def test_rows_are_those_of_one_process(spark, files, records):
    columns = COLUMNS.get(records)
    frame = of_spark(spark, [files], records, columns)
    found = sorted_table(frame.toArrow())
    expected = of_one_process([files], records, columns)
    assert found.equals(expected)
    assert found.num_rows > 0
    assert frame.rdd.getNumPartitions() > 5 or records != "feedback"


def test_rows_are_the_same_if_a_worker_is_killed(spark, files, control):
    (control / "kill").touch()
    found = sorted_table(of_spark(spark, [files], "feedback", COLUMNS["feedback"]).toArrow())
    assert (control / "killed").exists()
    assert found.equals(of_one_process([files], "feedback", COLUMNS["feedback"]))
    (control / "killed").unlink()


def test_a_frame_can_be_filtered_and_used_again(spark, files):
    """Spark 4.3 would keep pushed filters for the next query, with rows missing there."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        everything = of_one_process([files / "0"], "feedback", COLUMNS["feedback"])
        frame = of_spark(spark, [files / "0"], "feedback", COLUMNS["feedback"])
        time = everything["time"][len(everything) // 2].as_py()
        condition = pa.compute.field("time") < pa.scalar(time, pa.timestamp("us", "UTC"))
        filtered = sorted_table(frame.where(F.col("time") < F.lit(time)).toArrow())
        assert filtered.equals(everything.filter(condition).combine_chunks())
        assert 0 < len(filtered) < len(everything)
        assert frame.count() == len(everything)
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_a_token_is_an_option(spark, files):
    everything = of_one_process([files / "0"], "feedback", COLUMNS["feedback"])
    token = everything["token"][30].as_py()
    found = of_spark(spark, [files / "0"], "feedback", COLUMNS["feedback"], token=token.hex()).toArrow()
    assert sorted_table(found).equals(everything.filter(pa.compute.field("token") == token).combine_chunks())


def test_a_schema_chooses_columns(spark, files):
    frame = spark.read.format("apnsift").schema("token binary, stream_offset long").load(str(files / "1"))
    expected = apnsift.read(sorted(map(str, (files / "1").iterdir())), columns="token,stream_offset", partial=True)
    assert frame.columns == ["token", "stream_offset"]
    assert frame.count() == expected.read_all().num_rows


def test_options_are_those_of_the_command(spark):
    frame = spark.read.format("apnsift").option("records", "pushes").option("columns", "token,status")
    capture = os.path.realpath("samples/pushes/node-tls1.2.pcap")
    frame = frame.option("keys", os.path.realpath("samples/pushes/node-tls1.2.keys"))
    expected = apnsift.read(
        capture, records="pushes", keys="samples/pushes/node-tls1.2.keys", columns="token,status"
    ).read_all()
    assert frame.load(capture).count() == expected.num_rows == 24
    joined = spark.read.format("apnsift").option("join", "true").option("columns", "stream,offset")
    rotated = [os.path.realpath(f"samples/captures/session-rotated-{part}.pcap") for part in (1, 2)]
    assert joined.load(rotated).count() == apnsift.read(rotated, join=True).read_all().num_rows
    pair = {part: os.path.realpath(f"samples/gateway.{part}.bin") for part in ("requests", "responses")}
    halves = spark.read.format("apnsift").options(records="responses", **pair).load()
    assert halves.count() == apnsift.read(records="responses", **pair).read_all().num_rows > 0


def test_a_wrong_option_fails_with_the_message(spark):
    with pytest.raises(Exception, match="unknown option '--bogus'"):
        spark.read.format("apnsift").option("bogus", "1").load("/").count()
    with pytest.raises(Exception, match="mode: expected failfast or partial, found 'permissive'"):
        spark.read.format("apnsift").option("mode", "permissive").load("/").count()
    with pytest.raises(Exception, match="s3://bucket/dumps: expected a path of a file system"):
        spark.read.format("apnsift").load("s3://bucket/dumps").count()
    with pytest.raises(Exception, match="no input: name files or directories"):
        spark.read.format("apnsift").load().count()


def test_another_version_on_a_worker_is_named_with_its_host(spark, files, control):
    (control / "other-version").touch()
    message = rf"host \S+: expected apnsift {re.escape(apnsift.version())}, as on the driver, found 0\.0\.9 at"
    with pytest.raises(Exception, match=message):
        of_spark(spark, [files / "0"], "feedback", None).count()
    (control / "other-version").unlink()


@pytest.fixture
def unreadable(tmp_path):
    folder = tmp_path / "some unreadable"
    folder.mkdir()
    generate(folder / "whole.bin", "dump", 1, tuples=50)
    shutil.copy(folder / "whole.bin", folder / "cut.bin")
    packed = gzip.compress((folder / "whole.bin").read_bytes())
    (folder / "cut.gz").write_bytes(packed[: len(packed) // 2])
    return folder


def test_an_unreadable_file_fails_the_job_with_its_message(spark, unreadable):
    with pytest.raises(Exception, match="cut.gz: "):
        of_spark(spark, [unreadable, unreadable / "gone.bin"], "feedback", None).count()
    with pytest.raises(Exception, match="gone.bin: cannot be opened: No such file or directory"):
        of_spark(spark, [unreadable / "gone.bin"], "feedback", None).count()
    with pytest.raises(Exception, match="no file matches this pattern"):
        of_spark(spark, [unreadable / "*.none"], "feedback", None).count()


def test_in_partial_mode_it_is_a_finding(spark, unreadable):
    paths = [unreadable, unreadable / "gone.bin"]
    frame = of_spark(spark, paths, "feedback", None, mode="partial")
    whole = frame.where(F.col("source").endswith("whole.bin")).count()
    assert whole == 50 and frame.where(F.col("source").endswith("cut.bin")).count() == 50
    findings = of_spark(spark, paths, "findings", None, mode="partial").where("code = 'unreadable-input'").collect()
    assert {os.path.basename(row.source) for row in findings} == {"cut.gz", "gone.bin"}


def test_an_array_is_a_list_of_the_command():
    lengths = Settings.parsed({"path": "a", "token-length": "[32, 54]", "keys": '["a.log", "b.log"]', "join": "true"})
    assert options(lengths.options) == ["--token-length=32,54", "--keys=a.log", "--keys=b.log", "--join"]
