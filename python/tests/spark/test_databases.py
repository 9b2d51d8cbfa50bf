"""Spark writes Parquet and PostgreSQL by itself."""

import subprocess

import pyarrow.parquet as pq
import pytest
from conftest import ROOT

import apnsift


@pytest.fixture
def server():
    """A server of PostgreSQL on a port of this machine."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = ROOT / "scripts" / "private-postgres"
    settings = ["listen_addresses='127.0.0.1'", f"port={port}"]
    process = subprocess.Popen([script, *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip()
    yield f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=postgres"
    process.stdin.close()
    process.wait()


def test_parquet(spark, files, tmp_path):
    frame = spark.read.format("apnsift").load(str(files / "1"))
    frame.write.parquet(str(tmp_path / "out"))
    expected = apnsift.read(sorted(map(str, (files / "1").iterdir())), partial=True).read_all()
    found = pq.read_table(tmp_path / "out")
    assert found.num_rows == expected.num_rows > 0
    assert sorted(found["token"].to_pylist()) == sorted(expected["token"].to_pylist())
    assert found.schema.field("time").type.tz is not None and found["time"].null_count == 0


def test_postgresql(spark, files, server):
    frame = spark.read.format("apnsift").load(str(files / "1"))
    frame.write.jdbc(server, "feedback", properties={"driver": "org.postgresql.Driver"})
    back = spark.read.jdbc(server, "feedback", properties={"driver": "org.postgresql.Driver"})
    assert sorted(map(tuple, back.select("offset", "time", "token", "flags").toLocalIterator())) == sorted(
        map(tuple, frame.select("offset", "time", "token", "flags").toLocalIterator())
    )
    assert back.count() > 0
