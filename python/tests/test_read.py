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
from conftest import KINDS, run

import apnsift
from apnsift import _reading

UTC = datetime.timezone.utc
LOST = "samples/lost-byte.bin"  # 39 records, one of them with a flag, as samples/README.md says
TIME = datetime.datetime(2012, 5, 29, 13, 12, 25, tzinfo=UTC)  # of the first record
LATE = datetime.datetime(2015, 1, 1, tzinfo=UTC)


def table(paths=LOST, **parameters):
    return apnsift.read(paths, **parameters).read_all()


def count(paths=LOST, **parameters):
    return table(paths, **parameters).num_rows


def flags(table):
    return [flags for flags in table["flags"].to_pylist() if flags]


def implausible(table):
    return sum("implausible-timestamp" in found for found in flags(table))


def test_rows_have_columns_and_types():
    rows = table(columns=["offset", "time", "token", "flags"])
    assert rows.num_rows == 39
    assert min(rows["time"].to_pylist()) == TIME
    assert rows["offset"].to_pylist()[:2] == [0, 38]
    assert {len(token) for token in rows["token"].to_pylist()} == {32}
    assert flags(rows) == [["resynchronised"]]


@pytest.mark.parametrize("records", KINDS)
def test_a_schema_is_that_of_the_rows(records):
    with apnsift.read("samples/captures/gateway.pcap", records=records) as reader:
        assert apnsift.schema(records).equals(reader.schema, check_metadata=True)
    assert reader.schema.metadata[b"apnsift.schema"] == b"apnsift/1"
    assert reader.schema.metadata[b"apnsift.version"].decode() == apnsift.version()


def test_an_arrow_stream_is_taken_by_other_libraries():
    reader = apnsift.read(LOST)
    assert duckdb.sql("SELECT count(*), min(time) FROM reader").fetchall() == [(39, TIME)]
    assert polars.DataFrame(apnsift.read(LOST)).shape == (39, 10)
    assert pa.RecordBatchReader.from_stream(apnsift.read(LOST)).read_all().num_rows == 39
    assert apnsift.read(LOST).to_pandas()["time"].min() == TIME


def test_several_jobs_give_the_same_rows():
    files = ["samples/captures", "samples/tls-session.bin", LOST]
    one, two = (table(files, jobs=jobs) for jobs in (1, 2))
    assert one.num_rows > 79 and two.equals(one)


def test_several_paths(tmp_path):
    for name in ("a[1].bin", "-"):
        (tmp_path / name).write_bytes(Path(LOST).read_bytes())
    block = "samples/lost-block.bin"
    tables = [run("export", *paths, check=True).stdout for paths in ([LOST, block], ["samples/captures"])]
    both, directory = (pa.csv.read_csv(io.BytesIO(text)).num_rows for text in tables)
    for paths, rows in [
        ("samples/lost-b*.bin", both), ([LOST, Path(block)], both), ("samples/captures", directory),
        ("a[1].bin", 39), (Path("-"), 39), (os.fsencode(LOST), 39),
    ]:  # fmt: skip
        assert count(paths) == rows, paths


def test_a_path_that_is_not_utf8():
    name = b"x\xff.bin"
    try:
        Path(os.fsdecode(name)).write_bytes(Path(LOST).read_bytes())
    except OSError:
        return  # not every file system has such names
    assert count(name) == count("x*.bin") == 39


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
    assert implausible(whole) == sum(time < LATE for time in whole["time"].to_pylist()) > 0
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
    "unknown option '--bogus'": {"bogus": 1},
    "the value 'x' is invalid for '--records <KIND>'": {"records": "x"},
    "unknown column 'x'": {"columns": ["time", "x"]},
    "--batch-rows": {"batch_rows": 0},
    "--jobs": {"jobs": 0},
    "the option --to cannot be given here": {"to": "csv"},
    "the option --output cannot be given here": {"output": "x"},
    "the option --help cannot be given here": {"help": True},
    "earliest: expected a time with a time zone, found 2015-01-01": {"earliest": datetime.datetime(2015, 1, 1)},
    "times are 2015-01-01T00:00:00Z (in whole seconds), 2015-01-01 (midnight in UTC) or Unix seconds": {"earliest": "2015"},
    "--time-zone: the tz database (tzdata) has no zone 'Mars'": {"time_zone": "Mars"},
    "tokens are bytes in Arrow, not digits: leave out --uppercase": {"uppercase": True},
    "--distinct is for the summary, which the output lacks": {"distinct": True},
    "missing value for '--from <FORMAT>'": {"from_": ""},
    "the value 'feedback,pushes' is invalid for '--protocol <NAME>'": {"protocol": ["feedback", "pushes"]},
    "the option --files-from cannot be given here": {"files_from": "list"},
    "unknown option '-x'": {"-x": 1},
    "no input: name files or directories": {"paths": ()},
    "paths: expected the path of a file or directory, found ''": {"paths": ""},
    "paths: expected the path of a file or directory, found 'a\\x00b'": {"paths": "a\0b"},
}


@pytest.mark.parametrize("message", UNUSABLE)
def test_a_wrong_usage_is_an_error_at_once(message):
    with pytest.raises(apnsift.UsageError) as caught:
        apnsift.read(**{"paths": LOST, **UNUSABLE[message]})
    assert message in str(caught.value) and caught.value.status == 64
    assert "Usage:" not in str(caught.value)


@pytest.mark.parametrize(
    "parameters, error, message",
    [
        ({"paths": "none/*.bin"}, apnsift.InputError, r"none/\*.bin: no file matches this pattern"),
        ({"paths": None}, TypeError, "paths: expected a path, or several, found "),
        ({"paths": 3}, TypeError, "paths: expected a path, or several, found "),
        ({"paths": [[LOST]]}, TypeError, "paths: expected a path, or several, found "),
        ({"paths": io.BytesIO()}, TypeError, 'paths: expected a path, found .*; give the name of the file, or "-"'),
        ({"paths": [io.BytesIO()]}, TypeError, 'paths: expected a path, found .*; give the name of the file, or "-"'),
        ({"keys": io.BytesIO()}, TypeError, "keys: expected a path"),
        ({"progress": "yes"}, TypeError, "progress: expected True or a function, found 'yes'"),
    ],
)
def test_a_wrong_type_is_an_error_at_once(parameters, error, message):
    with pytest.raises(error, match=f"^{message}"):
        apnsift.read(**{"paths": LOST, **parameters})


LONG = "./" * 2000 + "samples/tls-session.bin"


def test_more_paths_than_the_arguments_of_a_program_can_be():
    assert count([LONG] * 1000, columns=["offset"]) == 40_000


@pytest.mark.parametrize("others", [0, 30])
def test_standard_input_alone_and_with_many_files(others):
    script = f"import apnsift; print(apnsift.read(['-'] + [{LONG!r}] * {others}).read_all().num_rows)"
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


USES = {
    "read_all": lambda reader: reader.read_all().num_rows,
    "iteration": lambda reader: sum(batch.num_rows for batch in reader),
    "pandas": lambda reader: len(reader.to_pandas()),
    "to_polars": lambda reader: reader.to_polars().height,
    "polars": lambda reader: polars.DataFrame(reader).height,
    "pyarrow": lambda reader: pa.table(reader).num_rows,
}


@pytest.mark.parametrize("first", USES)
def test_a_second_use_of_a_reader_raises(first):
    for second in USES.values():
        reader = apnsift.read(LOST)
        assert USES[first](reader) == 39
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
    closed = apnsift.read(LOST)
    closed.close()
    with pytest.raises(apnsift.AlreadyRead):
        closed.read_all()


def test_a_relation_over_a_reader_is_fetched_once():
    reader = apnsift.read(LOST)
    over = duckdb.sql("SELECT token, time FROM reader")
    assert len(over.fetchall()) == 39
    with pytest.raises(duckdb.Error, match="AlreadyRead: the records of this reader were taken already"):
        over.fetchall()


INTERRUPTED = """
import os, signal, apnsift, {module}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test may run where it is ignored
runs, start = [], apnsift._command.Run.__init__
def started(run, *arguments, **parameters):
    start(run, *arguments, **parameters)
    runs.append(run)
apnsift._command.Run.__init__ = started
def ready(rows=None, once=[]):
    once or print("ready", flush=True)
    once.append(rows)
try:
    if "reader" in {use!r}:
        reader = apnsift.read("-", from_="raw", batch_rows=1000, progress=ready)
    else:
        ready()
    {use}
except {error} as error:
    print([run._process.wait(timeout=10) is not None for run in runs])
"""


@pytest.mark.parametrize(
    "use, to, error",
    [
        *((f"{use}(reader)", "process", "KeyboardInterrupt") for use in (
            "list", "apnsift.Reader.read_all", "apnsift.Reader.to_pandas", "apnsift.Reader.to_polars", "polars.DataFrame",
            "pyarrow.table",
        )),
        ("apnsift.export('-', 'out', from_='raw')", "process", "KeyboardInterrupt"),
        ("apnsift.scan('-', from_='raw').collect()", "terminal", "KeyboardInterrupt"),
        # The error of DuckDB.
        ("duckdb.sql('FROM reader').fetchall()", "terminal", "(KeyboardInterrupt, RuntimeError)"),
        ("apnsift.relation('-', from_='raw').fetchall()", "terminal", "(KeyboardInterrupt, RuntimeError)"),
    ],
)
def test_an_interruption_ends_a_read_and_the_command(use, to, error):
    """Of the process alone, or of all programs in a terminal, as Ctrl-C does it. The input never ends."""
    name = use.split("(")[0]
    module = {"list": "apnsift", "apnsift.scan": "polars", "apnsift.relation": "duckdb"}.get(name, name.split(".")[0])
    script = INTERRUPTED.format(use=use, error=error, module=module)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    process.stdin.write(Path("samples/tls-session.bin").read_bytes() * 3000)
    process.stdin.flush()
    assert process.stdout.readline() == b"ready\n"
    (os.killpg if to == "terminal" else os.kill)(process.pid, signal.SIGINT)
    assert b"False" not in process.stdout.read() and process.wait(timeout=30) == 0


def test_an_unreadable_input_is_an_error_after_the_last_batch():
    batches = []
    with pytest.raises(apnsift.InputError, match="^gone.bin: cannot be opened: No such file or directory") as caught:
        batches.extend(apnsift.read([LOST, "gone.bin"]))
    assert sum(batch.num_rows for batch in batches) == 39
    assert caught.value.status == 2 and len(caught.value.messages) > 1
    reader = apnsift.read("gone.bin")
    with pytest.raises(duckdb.Error, match="gone.bin: cannot be opened"):
        duckdb.sql("SELECT count(*) FROM reader").fetchall()


def test_partial_reading_warns_and_keeps_the_messages(tmp_path):
    packed = gzip.compress(Path(LOST).read_bytes())
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
        apnsift.read(LOST, fail_on="error").read_all()
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
    for is_streamed in (False, True):
        reader = apnsift.read(large)
        process, stream = process_of(reader), pa.RecordBatchReader.from_stream(reader) if is_streamed else None
        del reader
        gc.collect()
        assert (process.poll() is None) == is_streamed
    assert stream.read_all().num_rows == 400_000  # the stream has the rest


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
    for times in (1, 4):
        large.write_bytes(Path("samples/tls-session.bin").read_bytes() * 10_000 * times)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
        rows, peak = map(int, done.stdout.split())
        assert rows == 400_000 * times
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 50_000  # KiB; the rows of the larger one are over 200 MB


def test_a_missing_command_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("APNSIFT", str(tmp_path / "nothing"))
    with pytest.raises(apnsift.CommandNotFound, match="nothing: not a program; the environment variable APNSIFT names it"):
        apnsift.read(LOST)
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


def test_no_other_format_is_written():
    with pytest.raises(apnsift.UsageError, match="unknown format 'xml'"):
        apnsift.export("samples", "other", format="xml")


def test_a_directory_may_begin_with_a_dash(tmp_path, monkeypatch):
    dump = Path("samples/tls-session.bin").resolve()
    monkeypatch.chdir(tmp_path)
    assert apnsift.export(dump, "-d")["feedback"].is_file()


def test_exceptions_survive_pickling():
    error = pickle.loads(pickle.dumps(apnsift.InputError(["a: b"], 2)))
    assert type(error) is apnsift.InputError and error.messages == ["a: b"] and error.status == 2
