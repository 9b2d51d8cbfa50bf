"""Reading: the rows, the exceptions, and the process that writes them."""

import datetime
import gc
import gzip
import inspect
import io
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import typing
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.csv
import pytest
from apnsift_tool import measured
from conftest import KINDS, ROOT, TABLES, run

import apnsift
from apnsift import _reading

UTC = datetime.timezone.utc
SESSION = ROOT / "samples/tls-session.bin"  # 40 records
LOST = "samples/lost-byte.bin"  # 39 records, one of them with a flag, as samples/README.md says
TIME = datetime.datetime(2012, 5, 29, 13, 12, 25, tzinfo=UTC)  # of the first record
LATE = datetime.datetime(2015, 1, 1, tzinfo=UTC)


def table(paths=LOST, **parameters):
    return apnsift.read(paths, **parameters).read_all()


def count(paths=LOST, **parameters):
    return table(paths, **parameters).num_rows


def flags(table):
    return [flags for flags in table["flags"].to_pylist() if flags]


@pytest.mark.parametrize("records", KINDS)
def test_a_schema_is_that_of_the_rows(records):
    with apnsift.read("samples/captures/gateway.pcap", records=records) as reader:
        assert apnsift.schema(records).equals(reader.schema, check_metadata=True)
    assert reader.schema.metadata[b"apnsift.schema"] == b"apnsift/1"
    assert reader.schema.metadata[b"apnsift.version"].decode() == apnsift.version()
    empty = table("/dev/null", records=records, keys="samples/pushes/node-tls1.2.keys")  # a finding: no connection has them
    assert empty.schema.equals(reader.schema, check_metadata=True)
    assert (empty.num_rows > 0) == (records in ("streams", "inputs", "findings"))


def test_an_arrow_stream_is_taken_by_other_libraries():
    reader = apnsift.read(LOST)
    assert duckdb.sql("SELECT count(*), min(time) FROM reader").fetchall() == [(39, TIME)]
    assert polars.DataFrame(apnsift.read(LOST)).shape == (39, 10)
    assert apnsift.read(LOST).to_pandas()["time"].min() == TIME


def test_several_paths():
    names = ["a[1].bin", "-"] + [os.fsdecode(b"x\xff.bin")] * (sys.platform != "darwin")  # which has no such names
    for name in names:
        shutil.copy(LOST, name)
    block = "samples/lost-block.bin"
    tables = [run("export", *paths, check=True).stdout for paths in ([LOST, block], ["samples/captures"])]
    both, directory = (pa.csv.read_csv(io.BytesIO(text)).num_rows for text in tables)
    for paths, rows in [
        ("samples/lost-b*.bin", both), ([LOST, Path(block)], both), ("samples/captures", directory),
        ("a[1].bin", 39), (os.fsencode(LOST), 39), *((Path(name), 39) for name in names),
        *(("x*.bin", 39) for name in names if name.startswith("x")),
    ]:  # fmt: skip
        assert count(paths) == rows, paths


def test_options_are_those_of_the_command():
    parts = ["samples/captures/session-rotated-1.pcap", "samples/captures/session-rotated-2.pcap"]
    joined, apart = (count(parts, records="streams", join=join) for join in (True, False))
    assert 0 < joined < apart  # a connection that continues in the second part is one stream
    token = table(columns="token, time")["token"][0].as_py()  # with a space after the comma
    assert set(table(token=token)["token"].to_pylist()) == {token}
    pair = {part: f"samples/gateway.{part}.bin" for part in ("requests", "responses")}
    assert count((), records="responses", **pair) > 0


def test_times():
    """A datetime, a date, which is its midnight in UTC, and a float, which is rounded inwards."""
    whole = table(from_="raw", earliest=LATE)
    implausible = sum("implausible-timestamp" in found for found in flags(whole))
    assert implausible == sum(time < LATE for time in whole["time"].to_pylist()) > 0
    assert table(earliest=LATE.date()).equals(whole)
    for value in (1388534400.5, 1388534400, 1388534401.0):
        assert table(earliest=value).equals(table(earliest=math.ceil(value)))


def test_lists_are_what_the_option_takes():
    """One value with commas, or the option again."""
    for lengths in ("32,54", [32, 54], (54, 32), ["32", 54], 32, {32, 54}, range(32, 55), b"32,54", []):
        rows = table(token_length=lengths)
        assert (rows.num_rows, flags(rows)) == (39, [["resynchronised"]]), lengths
    captures = ["samples/pushes/node-tls1.2.pcap", "samples/pushes/curl-tls1.2.pcap"]
    keys = ["samples/pushes/node-tls1.2.keys", Path("samples/pushes/curl-tls1.2.keys")]
    none, node, curl, both = (count(captures, records="pushes", keys=some) for some in ([], keys[0], keys[1:], keys))
    assert (none, node) == (0, 24) and both == node + curl > 24


UNUSABLE = {
    "earliest: expected a time with a time zone, found 2015-01-01": {"earliest": datetime.datetime(2015, 1, 1)},
    **TABLES["wrong usage"],
}  # message: parameters


@pytest.mark.parametrize("message", UNUSABLE)
def test_a_wrong_usage_is_an_error_at_once(message):
    with pytest.raises(apnsift.UsageError) as caught:
        apnsift.read(**{"paths": LOST, **UNUSABLE[message]})
    assert message in str(caught.value) and caught.value.status == 64
    assert "Usage:" not in str(caught.value)


@pytest.mark.parametrize("name, values, message", [
    ("paths", [None, 3, [[LOST]]], "paths: expected a path, or several, found "),
    ("paths", [io.BytesIO(), [io.BytesIO()]], 'paths: expected a path, found .*; give the name of the file, or "-"'),
    ("keys", [io.BytesIO()], "keys: expected a path"),
    ("progress", ["yes"], "progress: expected True or a function, found 'yes'"),
])  # fmt: skip
def test_a_wrong_type_is_an_error_at_once(name, values, message):
    for value in values:
        with pytest.raises(TypeError, match=f"^{message}"):
            apnsift.read(**{"paths": LOST, name: value})


@pytest.mark.parametrize("others", [0, 1000])
def test_standard_input_alone_and_with_more_paths_than_the_arguments_of_a_program_can_be(others):
    long = "./" * 2000 + "samples/tls-session.bin"
    script = f"import apnsift; print(apnsift.read(['-'] + [{long!r}] * {others}, columns='offset').read_all().num_rows)"
    with open(LOST, "rb") as dump:
        done = subprocess.run([sys.executable, "-c", script], stdin=dump, capture_output=True, check=True)
    assert int(done.stdout) == 39 + 40 * others


def test_the_types_are_those_of_the_command():
    described = json.loads(run("export", "--experimental-dump-help", check=True).stdout)["command"]["arguments"]
    options = {name["name"]: option for option in described for name in option.get("names", ())}
    for option, alias in {"records": _reading.Kind, "from": _reading.Format, "protocol": _reading.Protocol}.items():
        assert list(typing.get_args(alias)) == options[option]["allValues"]
    own = {"paths", "partial", "progress", "command_options"}
    names = {name.rstrip("_").replace("_", "-") for name in inspect.signature(apnsift.read).parameters} - own
    assert names <= options.keys() | {"command-options"}


def test_progress_is_reported_after_each_batch(capfd):
    counts = []
    assert apnsift.read(LOST, batch_rows=10, progress=counts.append).read_all().num_rows == 39
    assert counts == [10, 20, 30, 39]
    assert capfd.readouterr().err == ""
    apnsift.read(LOST, progress=True).read_all()
    assert capfd.readouterr().err.splitlines()[-1].startswith("39 records, ")


def test_types_of_arrow_in_pandas():
    frame = apnsift.read(LOST).to_pandas(dtype_backend="pyarrow")
    assert {str(kind) for kind in frame.dtypes} >= {"timestamp[us, tz=UTC][pyarrow]", "binary[pyarrow]"}
    assert len(frame) == 39 and frame["time"].min() == TIME
    with pytest.raises(apnsift.UsageError, match="dtype_backend: expected numpy or pyarrow, found 'arrow'"):
        apnsift.read(LOST).to_pandas(dtype_backend="arrow")


USES = [list, apnsift.Reader.read_all, apnsift.Reader.to_pandas, apnsift.Reader.to_polars, polars.DataFrame, pa.table]


@pytest.mark.parametrize("first", USES)
def test_a_second_use_of_a_reader_raises(first):
    for second in USES:
        reader = apnsift.read(LOST, batch_rows=1)
        assert len(first(reader)) == 39  # rows, or batches of one row
        with pytest.raises(apnsift.AlreadyRead, match="taken already: call apnsift.read again, or keep a table"):
            second(reader)


def test_what_is_left_of_a_reader():
    reader = apnsift.read(LOST, batch_rows=10)
    next(reader)
    with pytest.raises(apnsift.AlreadyRead):
        polars.DataFrame(reader)
    assert next(iter(reader)).num_rows == 10
    assert reader.read_all().num_rows == 19
    assert next(reader, None) is None
    closed, reader = apnsift.read(LOST), apnsift.read(LOST)
    closed.close()
    with pytest.raises(apnsift.AlreadyRead):
        closed.read_all()
    relation = duckdb.sql("SELECT token, time FROM reader")
    assert len(relation.fetchall()) == 39
    with pytest.raises(duckdb.Error, match="AlreadyRead: the records of this reader were taken already"):
        relation.fetchall()


INTERRUPTED = """
import contextlib, os, signal, apnsift, duckdb, polars, pyarrow
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test may run where it is ignored
def ready(rows=None, once=[]):
    once or print("ready", flush=True)
    once.append(rows)
try:
    if "reader" in {use!r}:
        reader = apnsift.read("-", from_="raw", batch_rows=1000, progress=ready)
    else:
        ready()
    {use}
except {error}:
    signal.alarm(10)  # ends this program if the command does not end
    with contextlib.suppress(ChildProcessError):  # if it was waited for
        os.wait()
"""
READS = [
    "list(reader)", "apnsift.Reader.read_all(reader)", "apnsift.Reader.to_pandas(reader)", "apnsift.Reader.to_polars(reader)",
    "polars.DataFrame(reader)", "pyarrow.table(reader)", "apnsift.export('-', 'out', from_='raw')",
]  # fmt: skip
QUERIES = [
    "apnsift.scan('-', from_='raw').collect()", "duckdb.sql('FROM reader').fetchall()",
    "apnsift.relation('-', from_='raw').fetchall()",
]  # fmt: skip


@pytest.mark.parametrize("use", READS + QUERIES)
def test_an_interruption_ends_a_read_and_the_command(use):
    """Of the process alone, or for queries of all programs in a terminal, as Ctrl-C does it. The input never ends."""
    # DuckDB has an error of its own.
    error = "(KeyboardInterrupt, RuntimeError)" if use.endswith(".fetchall()") else "KeyboardInterrupt"
    script = INTERRUPTED.format(use=use, error=error)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True, **pipes)
    process.stdin.write(SESSION.read_bytes() * 3000)
    process.stdin.flush()
    assert process.stdout.readline() == b"ready\n"
    (os.killpg if use in QUERIES else os.kill)(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) == 0


def test_an_unreadable_input_is_an_error_after_the_last_batch():
    batches = []
    with pytest.raises(apnsift.InputError, match="^gone.bin: cannot be opened: No such file or directory") as caught:
        batches.extend(apnsift.read([LOST, "gone.bin"]))
    assert sum(batch.num_rows for batch in batches) == 39
    assert caught.value.status == 2 and len(caught.value.messages) > 1
    reader = apnsift.read("gone.bin")
    with pytest.raises(duckdb.Error, match="gone.bin: cannot be opened"):
        duckdb.sql("SELECT count(*) FROM reader").fetchall()
    with pytest.raises(apnsift.InputError, match=r"^none/\*.bin: no file matches this pattern"):
        apnsift.read("none/*.bin")


def test_partial_reading_warns_and_keeps_the_messages():
    Path("cut.gz").write_bytes(gzip.compress(Path(LOST).read_bytes())[:-200])
    reader = apnsift.read(["cut.gz", "gone.bin"], partial=True)
    with pytest.warns(apnsift.PartialWarning, match="gone.bin: cannot be opened"):
        rows = reader.read_all().num_rows
    assert 0 < rows < 39
    assert any(message.startswith("cut.gz: ") for message in reader.messages)
    findings = apnsift.read(["cut.gz", "gone.bin"], records="findings", partial=True)
    with pytest.warns(apnsift.PartialWarning):
        codes = findings.read_all()["code"].to_pylist()
    assert codes.count("unreadable-input") == 2


def test_findings_are_an_error_if_asked_for_which_survives_pickling():
    with pytest.raises(apnsift.FindingsError) as caught:
        apnsift.read(LOST, fail_on="error").read_all()
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is apnsift.FindingsError and error.status == 1 and error.messages == caught.value.messages != []


def test_messages_are_bounded():
    reader = apnsift.read([f"gone-{number}.bin" for number in range(1500)], partial=True)
    with pytest.warns(apnsift.PartialWarning, match="and [0-9]+ more messages"):
        reader.read_all()
    assert len(reader.messages) == 1001 and reader.messages[-1].endswith("more messages left out")


@pytest.fixture
def large(tmp_path):
    """More rows than a pipe can take at once."""
    path = tmp_path / "large.bin"
    path.write_bytes(SESSION.read_bytes() * 10_000)
    return path


def test_closing_or_dropping_a_reader_ends_the_command(large):
    with apnsift.read(large) as reader:
        reader.read_next_batch()
        process = reader._run._process
        assert process.poll() is None
    assert process.poll() is not None
    for is_streamed in (False, True):
        reader = apnsift.read(large)
        process, stream = reader._run._process, pa.RecordBatchReader.from_stream(reader) if is_streamed else None
        del reader
        gc.collect()
        assert (process.poll() is None) == is_streamed
    assert stream.read_all().num_rows == 400_000  # the stream has the rest


def test_a_command_that_is_killed_is_an_error(large):
    reader = apnsift.read(large)
    reader.read_next_batch()
    reader._run._process.kill()
    with pytest.raises(apnsift.Error, match="the command ended by signal 9"):
        reader.read_all()


def test_memory_does_not_grow_with_the_rows(large):
    script = f"import apnsift; print(sum(batch.num_rows for batch in apnsift.read({str(large)!r}, batch_rows=10000)))"
    peaks = []
    for times in (1, 4):
        large.write_bytes(SESSION.read_bytes() * 10_000 * times)
        done = measured([sys.executable, "-c", script])
        assert int(done.output) == 400_000 * times
        peaks.append(done.kibibytes)
    assert peaks[1] < peaks[0] + 50_000  # the rows of the larger one are over 200 MB


def test_a_missing_command_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("APNSIFT", str(tmp_path / "nothing"))
    with pytest.raises(apnsift.CommandNotFound, match="nothing: not a program; the environment variable APNSIFT names it"):
        apnsift.read(LOST)
    monkeypatch.delenv("APNSIFT")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(apnsift.CommandNotFound, match="no command apnsift in the package or on PATH"):
        apnsift.command()
    (tmp_path / "apnsift").touch(0o755)
    assert apnsift.command() == str(tmp_path / "apnsift")


@pytest.mark.parametrize("format", ["csv", "ndjson", "arrow"])
def test_export_writes_a_file_of_each_kind(format):
    capture, folder = "samples/captures/gateway.pcap", Path("-d")
    files = apnsift.export(capture, folder, format=format)
    assert sorted(files) == sorted([*(kind for kind in KINDS if "resend" not in kind), "summary"])
    assert sorted(files.values()) == sorted(folder.iterdir())
    if format == "arrow":
        assert pa.ipc.open_stream(files["requests"].read_bytes()).read_all().num_rows == 325
    with pytest.raises(apnsift.Error):
        apnsift.export(capture, folder, format=format)
    apnsift.export(capture, folder, format=format, force=True)
    with pytest.raises(apnsift.InputError, match="gone.pcap: cannot be opened"):
        apnsift.export("gone.pcap", "other", format=format)
    with pytest.raises(apnsift.UsageError, match="unknown format 'xml'"):
        apnsift.export(capture, "other", format="xml")
