"""Reading: the rows, the exceptions, and the process that writes them."""

import datetime
import gc
import gzip
import io
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.csv
import pytest
from conftest import KINDS, generate, run

import apnsift

TIME = datetime.datetime(2012, 5, 29, 13, 12, 25, tzinfo=datetime.timezone.utc)  # of the first record, by README.md


def test_rows_have_columns_and_types():
    table = apnsift.read("samples/lost-byte.bin", columns=["offset", "time", "token", "flags"]).read_all()
    assert table.num_rows == 39
    assert min(table["time"].to_pylist()) == TIME
    assert table["offset"].to_pylist()[:2] == [0, 38]
    assert {len(token) for token in table["token"].to_pylist()} == {32}
    assert [flags for flags in table["flags"].to_pylist() if flags] == [["resynchronised"]]


@pytest.mark.parametrize("records", KINDS)
def test_a_schema_is_that_of_the_rows(records):
    with apnsift.read("samples/captures/gateway.pcap", records=records) as reader:
        assert apnsift.schema(records).equals(reader.schema, check_metadata=True)
    assert reader.schema.metadata[b"apnsift.schema"] == b"apnsift/1"
    assert reader.schema.metadata[b"apnsift.version"].decode() == apnsift.version()


def test_an_arrow_stream_is_taken_by_other_libraries():
    reader = apnsift.read("samples/lost-byte.bin")
    assert duckdb.sql("SELECT count(*), min(time) FROM reader").fetchall() == [(39, TIME)]
    assert polars.DataFrame(apnsift.read("samples/lost-byte.bin")).shape == (39, 10)
    assert pa.table(apnsift.read("samples/lost-byte.bin")).num_rows == 39
    assert pa.RecordBatchReader.from_stream(apnsift.read("samples/lost-byte.bin")).read_all().num_rows == 39
    frame = apnsift.read("samples/lost-byte.bin").to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["time"].min() == TIME


def test_batches_have_the_rows_asked_for():
    batches = list(apnsift.read("samples/lost-byte.bin", batch_rows=10))
    assert [batch.num_rows for batch in batches] == [10, 10, 10, 9]


def test_several_jobs_give_the_same_rows():
    files = ["samples/captures", "samples/tls-session.bin", "samples/lost-byte.bin"]
    one, two = (apnsift.read(files, jobs=jobs).read_all() for jobs in (1, 2))
    assert one.num_rows > 79 and two.equals(one)
    with pytest.raises(apnsift.UsageError, match="--jobs"):
        apnsift.read(files, jobs=0)


def test_several_paths(tmp_path):
    (tmp_path / "a[1].bin").write_bytes(Path("samples/lost-byte.bin").read_bytes())
    (tmp_path / "-").write_bytes(Path("samples/lost-byte.bin").read_bytes())
    count = {
        "pattern": apnsift.read("samples/lost-b*.bin").read_all().num_rows,
        "both": apnsift.read(["samples/lost-byte.bin", Path("samples/lost-block.bin")]).read_all().num_rows,
        "brackets": apnsift.read("a[1].bin").read_all().num_rows,
        "dash": apnsift.read(Path("-")).read_all().num_rows,
        "directory": apnsift.read("samples/captures").read_all().num_rows,
    }
    of_command = {
        name: pa.csv.read_csv(io.BytesIO(run("export", *paths, check=True).stdout)).num_rows
        for name, paths in {
            "both": ["samples/lost-byte.bin", "samples/lost-block.bin"],
            "directory": ["samples/captures"],
        }.items()
    }
    assert count == {**of_command, "pattern": of_command["both"], "brackets": 39, "dash": 39}
    with pytest.raises(apnsift.InputError, match=r"none/\*.bin: no file matches this pattern"):
        apnsift.read("none/*.bin")


def test_standard_input():
    script = "import apnsift; print(apnsift.read('-').read_all().num_rows)"
    with open("samples/lost-byte.bin", "rb") as dump:
        done = subprocess.run([sys.executable, "-c", script], stdin=dump, capture_output=True, check=True)
    assert done.stdout == b"39\n"


def test_options_are_those_of_the_command():
    capture = "samples/pushes/node-tls1.2.pcap"
    keyed = apnsift.read(capture, records="pushes", keys=["samples/pushes/node-tls1.2.keys"]).read_all()
    assert keyed.num_rows == 24
    assert apnsift.read(capture, records="pushes").read_all().num_rows == 0
    parts = ["samples/captures/session-rotated-1.pcap", "samples/captures/session-rotated-2.pcap"]
    joined, apart = (apnsift.read(parts, records="streams", join=join).read_all().num_rows for join in (True, False))
    assert 0 < joined < apart  # a connection that continues in the second part is one stream
    token = apnsift.read("samples/lost-byte.bin", columns=["token"]).read_all()["token"][0].as_py()
    assert set(apnsift.read("samples/lost-byte.bin", token=token).read_all()["token"].to_pylist()) == {token}
    late = apnsift.read("samples/lost-byte.bin", from_="raw", earliest=datetime.datetime(2015, 1, 1, tzinfo=datetime.timezone.utc))
    assert sum("implausible-timestamp" in flags for flags in late.read_all()["flags"].to_pylist()) > 0
    pair = apnsift.read(requests="samples/gateway.requests.bin", responses="samples/gateway.responses.bin", records="responses")
    assert pair.read_all().num_rows > 0


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"bogus": 1}, "unknown option '--bogus'"),
        ({"records": "x"}, "the value 'x' is invalid for '--records <KIND>'"),
        ({"columns": ["time", "x"]}, "unknown column 'x'"),
        ({"batch_rows": 0}, "--batch-rows"),
        ({"to": "csv"}, "the option --to cannot be given here"),
        ({"output": "x"}, "the option --output cannot be given here"),
        ({"help": True}, "the option --help cannot be given here"),
        ({"earliest": datetime.datetime(2015, 1, 1)}, "earliest: expected a time with a time zone, found 2015-01-01"),
        ({"-x": 1}, "unknown option '-x'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_option_is_an_error_at_once(parameters, message):
    with pytest.raises(apnsift.UsageError) as caught:
        apnsift.read("samples/lost-byte.bin", **parameters)
    assert message in str(caught.value) and caught.value.status == 64
    assert "Usage:" not in str(caught.value)


def test_no_input_is_a_wrong_usage():
    with pytest.raises(apnsift.UsageError, match="no input: name files or directories"):
        apnsift.read()


def test_an_unreadable_input_is_an_error_after_the_last_batch():
    reader = apnsift.read(["samples/lost-byte.bin", "gone.bin"])
    assert sum(batch.num_rows for batch in taken(reader)) == 39
    with pytest.raises(apnsift.InputError, match="^gone.bin: cannot be opened: No such file or directory") as caught:
        apnsift.read(["samples/lost-byte.bin", "gone.bin"]).read_all()
    assert caught.value.status == 2 and len(caught.value.messages) > 1
    reader = apnsift.read("gone.bin")
    with pytest.raises(duckdb.Error, match="gone.bin: cannot be opened"):
        duckdb.sql("SELECT count(*) FROM reader").fetchall()


def taken(reader):
    """The batches before the exception, which is expected."""
    with pytest.raises(apnsift.InputError):
        for batch in reader:
            yield batch


def test_partial_reading_warns_and_keeps_the_messages(tmp_path):
    packed = gzip.compress(Path("samples/lost-byte.bin").read_bytes())
    (tmp_path / "cut.gz").write_bytes(packed[:-200])
    reader = apnsift.read(["cut.gz", "gone.bin"], partial=True)
    with pytest.warns(apnsift.PartialWarning, match="gone.bin: cannot be opened"):
        rows = reader.read_all().num_rows
    assert 0 < rows < 39
    assert any(message.startswith("cut.gz: ") for message in reader.messages)
    findings = apnsift.read(["cut.gz", "gone.bin"], records="findings", partial=True)
    with pytest.warns(apnsift.PartialWarning):
        codes = findings.read_all()["code"].to_pylist()
    assert codes.count("unreadable-input") == 2


def test_findings_are_an_error_if_asked_for():
    with pytest.raises(apnsift.FindingsError) as caught:
        apnsift.read("samples/lost-byte.bin", fail_on="error").read_all()
    assert caught.value.status == 1


def test_messages_are_bounded(tmp_path):
    reader = apnsift.read([f"gone-{number}.bin" for number in range(1500)], partial=True)
    with pytest.warns(apnsift.PartialWarning, match="and [0-9]+ more messages"):
        reader.read_all()
    assert len(reader.messages) == 1001 and reader.messages[-1].endswith("more messages left out")


@pytest.fixture
def large(tmp_path):
    """More rows than a pipe can take at once."""
    path = tmp_path / "large.bin"
    path.write_bytes(Path("samples/tls-session.bin").read_bytes() * 10_000)
    return path


def process_of(reader):
    return reader._run._process


def test_closing_or_dropping_a_reader_ends_the_command(large):
    with apnsift.read(large) as reader:
        reader.read_next_batch()
        process = process_of(reader)
        assert process.poll() is None
    assert process.poll() is not None

    reader = apnsift.read(large)
    process = process_of(reader)
    del reader
    gc.collect()
    assert process.poll() is not None

    reader = apnsift.read(large)
    process, stream = process_of(reader), pa.RecordBatchReader.from_stream(reader)
    del reader
    gc.collect()
    assert process.poll() is None  # the stream has the rest
    assert stream.read_all().num_rows == 400_000


def test_a_command_that_is_killed_is_an_error(large):
    reader = apnsift.read(large)
    reader.read_next_batch()
    process_of(reader).send_signal(signal.SIGKILL)
    with pytest.raises(apnsift.Error, match="the command ended by signal 9"):
        reader.read_all()


def test_memory_does_not_grow_with_the_rows(large):
    script = f"""
import re, apnsift
rows = sum(batch.num_rows for batch in apnsift.read({str(large)!r}, batch_rows=10000))
print(rows, re.search("VmHWM: *([0-9]+)", open("/proc/self/status").read().replace("\\t", " "))[1])
"""
    peaks = []
    for times in (1, 8):
        large.write_bytes(Path("samples/tls-session.bin").read_bytes() * 10_000 * times)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
        rows, peak = map(int, done.stdout.split())
        assert rows == 400_000 * times
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 50_000  # KiB; the rows of the larger one are over 400 MB


def test_a_missing_command_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("APNSIFT", str(tmp_path / "nothing"))
    with pytest.raises(apnsift.CommandNotFound, match="nothing: not a program; the environment variable APNSIFT names it"):
        apnsift.read("samples/lost-byte.bin")
    monkeypatch.delenv("APNSIFT")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(apnsift.CommandNotFound, match="no command apnsift in the package or on PATH"):
        apnsift.command()
    (tmp_path / "apnsift").write_text("#!/bin/sh\n")
    (tmp_path / "apnsift").chmod(0o755)
    assert apnsift.command() == str(tmp_path / "apnsift")


@pytest.mark.parametrize("format", ["csv", "ndjson", "arrow"])
def test_export_writes_a_file_of_each_kind(tmp_path, format):
    files = apnsift.export("samples/captures/gateway.pcap", tmp_path / "out", format=format)
    assert sorted(files) == sorted([*(kind for kind in KINDS if "resend" not in kind), "summary"])
    assert sorted(files.values()) == sorted((tmp_path / "out").iterdir())
    if format == "arrow":
        with pa.OSFile(str(files["requests"])) as file:
            assert pa.ipc.open_stream(file).read_all().num_rows == 325
    with pytest.raises(apnsift.Error):
        apnsift.export("samples/captures/gateway.pcap", tmp_path / "out", format=format)
    apnsift.export("samples/captures/gateway.pcap", tmp_path / "out", format=format, force=True)
    with pytest.raises(apnsift.InputError, match="gone.pcap: cannot be opened"):
        apnsift.export("gone.pcap", tmp_path / "other", format=format)
    with pytest.raises(apnsift.UsageError, match="unknown format 'xml'"):
        apnsift.export("samples", tmp_path / "other", format="xml")


def test_a_directory_may_begin_with_a_dash(tmp_path, monkeypatch):
    dump = Path("samples/tls-session.bin").resolve()
    monkeypatch.chdir(tmp_path)
    assert apnsift.export(dump, "-d")["feedback"].is_file()


def test_exceptions_survive_pickling():
    import pickle

    error = pickle.loads(pickle.dumps(apnsift.InputError(["a: b"], 2)))
    assert type(error) is apnsift.InputError and error.messages == ["a: b"] and error.status == 2
