"""`export -t arrow`, compared cell by cell with CSV, over all samples, in three libraries."""

import csv
import datetime
import io
import shutil
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pytest
from conftest import KINDS, ROOT, run

import apnsift

ALL = {
    "feedback": "source,stream,direction,client,server,offset,packet,original_packet,file_offset,captured_at,timestamp,time,"
    "token_length,token,flags,form,chain,chain_length,confidence,fs_path,fs_inode,fs_state,stream_offset",
    "inputs": "source,kind,link_target,size,modified_at,sha256,md5,verdict,format,compression,content,reason,records,"
    "findings,same_as,archive_offset",
}
TIMES = {"time", "captured_at", "logged_at", "started_at", "ended_at", "modified_at", "first_seen", "last_seen", "invalidated_at"}
BYTES = {"token", "payload_hex"}
KEYS = [f"--keys={path}" for path in sorted((ROOT / "samples").rglob("*.keys"))]
ALONE = {*ALL, "resend", "resend-pushes"}  # kinds that get a pass of their own: for all columns, or as directories lack them


def export(kind, *arguments):
    columns = [f"--columns={ALL[kind]}"] if kind in ALL else []
    md5 = ["--md5"] if kind == "inputs" else []
    payloads = ["--payloads"] if "pushes" in kind else []
    done = run("export", "--records", kind, *columns, *md5, *payloads, *KEYS, *arguments)
    assert done.returncode in (0, 2), done.stderr.decode()
    return done.stdout


def expected(kind, name, text):
    """The value of a cell of CSV, by the rules of the types."""
    if name in ("flags", "topics"):
        return text.split(";") if text else []
    if not text:
        return None
    if name == "items":
        return [int(item) for item in text.split(";")]
    if name in TIMES:
        whole, _, fraction = text.rstrip("Z").partition(".")
        moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
        return moment + datetime.timedelta(microseconds=int(fraction[:6].ljust(6, "0") or 0))  # rounded down
    if name in BYTES:
        return bytes.fromhex(text)
    return text


def compare(kind, table, text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert table.column_names == rows[0]
    assert table.num_rows == len(rows) - 1
    for number, name in enumerate(rows[0]):
        found = table.column(name).to_pylist()
        is_integer = pa.types.is_integer(table.schema.field(name).type)
        cells = [expected(kind, name, row[number]) for row in rows[1:]]
        if is_integer:
            cells = [None if cell is None else int(cell) for cell in cells]
        # CSV has one form of an empty value and none.
        found = [None if cell in ("", b"") else cell for cell in found]
        assert found == cells, (kind, name)


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """All samples in one pass for each format, with a file of each kind."""
    made = {form: tmp_path_factory.mktemp(form) for form in ("arrow", "csv")}
    for form, directory in made.items():
        done = run("export", "-t", form, "-o", f"{directory}/", "--force", "--payloads", *KEYS, ROOT / "samples")
        assert done.returncode in (0, 2), done.stderr.decode()
    return made


def of_samples(kind, directories):
    """As a stream of Arrow, and as CSV."""
    if kind in ALONE:
        return export(kind, "-t", "arrow", "samples"), export(kind, "-t", "csv", "samples")
    return (directories["arrow"] / f"{kind}.arrows").read_bytes(), (directories["csv"] / f"{kind}.csv").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_of_all_samples_is_that_of_csv(kind, directories):
    stream, text = of_samples(kind, directories)
    table = pa.ipc.open_stream(stream).read_all()
    table.validate(full=True)
    compare(kind, table, text.decode())
    assert table.num_rows > 0

    polars_table = polars.read_ipc_stream(stream)
    assert polars_table.columns == table.column_names
    assert polars_table.rows() == [tuple(row.values()) for row in table.to_pylist()]

    reader = pa.ipc.open_stream(stream)
    rows = duckdb.sql("SET TimeZone = 'UTC'; SELECT * FROM reader").fetchall()
    assert [tuple(map(plain, row)) for row in rows] == [tuple(map(plain, row.values())) for row in table.to_pylist()]


def plain(cell):
    """Both write a time with a zone of their own."""
    return cell.astimezone(datetime.timezone.utc) if isinstance(cell, datetime.datetime) else cell


@pytest.mark.parametrize("rows", [1, 7, 100_000])
@pytest.mark.parametrize("kind", ["feedback", "requests", "findings"])
def test_batches_of_any_size_have_the_same_rows(kind, rows):
    sources = ["samples/captures", "samples/lost-byte.bin", "samples/gateway.requests.bin"]
    whole = pa.ipc.open_stream(export(kind, "-t", "arrow", *sources)).read_all()
    batches = list(pa.ipc.open_stream(export(kind, "-t", "arrow", f"--batch-rows={rows}", *sources)))
    for batch in batches:
        batch.validate(full=True)
    assert pa.Table.from_batches(batches).equals(whole)
    assert max(batch.num_rows for batch in batches) == min(rows, whole.num_rows)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_result_has_its_columns(kind, tmp_path):
    (tmp_path / "empty").touch()
    full = pa.ipc.open_stream(export(kind, "-t", "arrow", "samples/captures/gateway.pcap"))
    empty = pa.ipc.open_stream(export(kind, "-t", "arrow", "empty"))
    assert empty.schema.equals(full.schema, check_metadata=True)
    assert (sum(batch.num_rows for batch in empty) > 0) == (kind in ("streams", "inputs", "findings"))


def test_more_text_than_a_batch_can_have(tmp_path):
    """Offsets into the text of a batch have 32 bits: here 2^31 bytes of names are in one column."""
    folder = tmp_path / ("long name " * 20)
    folder.mkdir()
    dump = folder / "dump.bin"
    tuples = Path("samples/tls-session.bin").read_bytes()
    count = 2**31 // len(str(dump)) // 40 + 1000
    with dump.open("wb") as file:
        for _ in range(count):
            file.write(tuples)
    size = rows = 0
    for batch in apnsift.read(dump, columns=["source"], batch_rows=16_777_216):
        batch.validate(full=True)
        size += batch.nbytes
        rows += batch.num_rows
    assert rows == 40 * count and size > 2**31
    shutil.rmtree(folder)
