"""The data source on a cluster: its rows are those of one process."""

import gzip
import os
import shutil

import pyarrow as pa
import pytest
from conftest import KINDS, generate
from pyspark.sql import functions as F
from pyspark.sql.datasource import EqualTo, GreaterThan, In, LessThan, StringContains
from pyspark.sql.pandas.types import from_arrow_schema

import apnsift
from apnsift.spark import ApnsiftDataSource, register
from apnsift.spark._settings import Settings
from apnsift.spark._source import PushingReader

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


def test_filters_are_exact(spark, files, control):
    frame = of_spark(spark, [files], "feedback", COLUMNS["feedback"])
    everything = of_one_process([files], "feedback", COLUMNS["feedback"])
    token = everything["token"][len(everything) // 2].as_py()
    time = everything["time"][len(everything) // 3].as_py()
    conditions = {
        "token": (F.col("token") == F.lit(token), pa.compute.field("token") == token),
        "time": (F.col("time") < F.lit(time), pa.compute.field("time") < pa.scalar(time, pa.timestamp("us", "UTC"))),
        "both": (
            (F.col("token") == F.lit(token)) & (F.col("packet").isNotNull()),
            (pa.compute.field("token") == token) & pa.compute.field("packet").is_valid(),
        ),
        "in": (
            F.col("token").isin([token, b"none"]) & (F.col("stream") > 0),
            (pa.compute.field("token") == token) & (pa.compute.field("stream") > 0),
        ),
    }
    for name, (of_frame, of_table) in conditions.items():
        assert sorted_table(frame.where(of_frame).toArrow()).equals(everything.filter(of_table).combine_chunks()), name
    assert f"--token={token.hex()} " in (control / "log").read_text()


def test_workers_apply_filters(files):
    """What a task yields before Spark applies the filters again."""
    names = sorted(map(str, (files / "0").iterdir()))
    everything = apnsift.read(names, columns="time,token,stream", partial=True).read_all()
    time, token = everything["time"][30].as_py(), everything["token"][30].as_py()
    schema = from_arrow_schema(everything.schema)
    cases = [
        ([LessThan(("time",), time)], pa.compute.field("time") < pa.scalar(time, pa.timestamp("us", "UTC"))),
        ([EqualTo(("token",), token)], pa.compute.field("token") == token),
        ([EqualTo(("token",), bytearray(token)), GreaterThan(("stream",), 0)],
         (pa.compute.field("token") == token) & (pa.compute.field("stream") > 0)),
        ([In(("token",), (token, b"none"))], pa.compute.field("token") == token),
        ([StringContains(("token",), "x")], pa.compute.field("token").is_valid()),  # not one that workers apply
    ]  # fmt: skip
    for filters, condition in cases:
        reader = PushingReader(Settings.parsed({"path": str(files / "0"), "mode": "partial"}), schema)
        assert reader.pushFilters(filters) == filters
        found = [batch for partition in reader.partitions() for batch in reader.read(partition)]
        expected = everything.filter(condition)
        assert 0 < sum(batch.num_rows for batch in found) == expected.num_rows, filters


def test_plain_registration_works_without_filters(spark, files):
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    spark.dataSource.register(ApnsiftDataSource)
    try:
        frame = of_spark(spark, [files / "0"], "feedback", "source,time")
        assert 0 < frame.where("time > '2015-01-01'").count() < frame.count()
    finally:
        register(spark)


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


def test_a_wrong_option_fails_with_the_message(spark):
    with pytest.raises(Exception, match="unknown option '--bogus'"):
        spark.read.format("apnsift").option("bogus", "1").load("/").count()
    with pytest.raises(Exception, match="mode: expected failfast or partial, found 'permissive'"):
        spark.read.format("apnsift").option("mode", "permissive").load("/").count()
    with pytest.raises(Exception, match="s3://bucket/dumps: expected a path of a file system"):
        spark.read.format("apnsift").load("s3://bucket/dumps").count()


def test_another_version_on_a_worker_is_named_with_its_host(spark, files, control):
    (control / "other-version").touch()
    with pytest.raises(Exception, match=r"host \S+: expected apnsift 0\.1\.0, as on the driver, found 0\.0\.9 at"):
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
