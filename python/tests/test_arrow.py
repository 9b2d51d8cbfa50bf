"""`export -t arrow`, compared cell by cell with CSV, over all samples, in three libraries."""

import csv
import datetime
import io
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pytest
from conftest import KINDS, ROOT, TABLES, run

import apnsift

ALL = TABLES["all columns"]
MOMENT = datetime.datetime.fromisoformat  # what is smaller than microseconds is cut
CELLS = {
    **dict.fromkeys(["flags", "topics"], lambda text: text.split(";")),
    **dict.fromkeys(["token", "payload_hex"], bytes.fromhex),
    **dict.fromkeys(["time", "captured_at", "logged_at", "started_at", "ended_at", "modified_at"], MOMENT),
    **dict.fromkeys(["first_seen", "last_seen", "invalidated_at"], MOMENT),
    "items": lambda text: [*map(int, text.split(";"))],
}  # column: its values, of texts in CSV; other columns have integers or texts
KEYS = [f"--keys={path}" for path in sorted((ROOT / "samples").rglob("*.keys"))]
ALONE = {*ALL, "resend", "resend-pushes"}  # kinds that get a pass of their own: for all columns, or as directories lack them


def export(kind, *arguments):
    columns = [f"--columns={ALL[kind]}"] if kind in ALL else []
    own = {"inputs": ["--md5"], "pushes": ["--payloads"], "resend-pushes": ["--payloads"]}.get(kind, [])
    done = run("export", "--records", kind, *columns, *own, *KEYS, *arguments)
    assert done.returncode in (0, 2), done.stderr.decode()
    return done.stdout


def compare(kind, table, text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert table.column_names == rows[0]
    assert table.num_rows == len(rows) - 1
    for number, name in enumerate(rows[0]):
        value = CELLS.get(name, int if pa.types.is_integer(table.schema.field(name).type) else str)
        # CSV has one form of an empty value and none; only flags and topics are never none.
        empty = [] if name in ("flags", "topics") else None
        found = [None if cell in ("", b"") else cell for cell in table.column(name).to_pylist()]
        assert found == [value(row[number]) if row[number] else empty for row in rows[1:]], (kind, name)


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

    rows = [tuple(row.values()) for row in table.to_pylist()]
    polars_table = polars.read_ipc_stream(stream)
    assert polars_table.columns == table.column_names
    assert polars_table.rows() == rows

    reader = pa.ipc.open_stream(stream)
    assert duckdb.sql("SET TimeZone = 'UTC'; SELECT * FROM reader").fetchall() == rows


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


def test_more_text_than_a_batch_can_have(tmp_path):
    """Offsets into the text of a batch have 32 bits: here 2^31 bytes of names are in one column."""
    dump = tmp_path / ("long name " * 20) / "dump.bin"
    dump.parent.mkdir()
    count = 2**31 // len(str(dump)) // 40 + 1000
    with dump.open("wb") as file:
        file.writelines([Path("samples/tls-session.bin").read_bytes()] * count)
    size = rows = 0
    for batch in apnsift.read(dump, columns=["source"], batch_rows=16_777_216):
        batch.validate(full=True)
        size += batch.nbytes
        rows += batch.num_rows
    assert rows == 40 * count and size > 2**31
    dump.unlink()
