"""Queries of polars and DuckDB: their rows, and what they ask of the command."""

import duckdb
import polars as pl
import pyarrow.dataset
import pytest
from conftest import TABLES

import apnsift
from apnsift import _queries

DUMP = "samples/lost-byte.bin"


@pytest.fixture
def asked(monkeypatch):
    """The columns and the token that each query asked for."""
    calls, read = [], _queries.read

    def spy(*arguments, **parameters):
        calls.append((parameters.get("columns"), parameters.get("token")))
        return read(*arguments, **parameters)

    monkeypatch.setattr(_queries, "read", spy)
    return calls


@pytest.fixture
def whole():
    return apnsift.read(DUMP).to_polars()


@pytest.fixture
def token(whole):
    """One that the dump has twice."""
    return whole.group_by("token").len().filter(pl.col("len") == 2)["token"][0]


def queries(token):
    """Each with the columns and the token that it needs of the command."""
    is_token, is_late = pl.col("token") == token, pl.col("offset") > 500
    return {
        "all": (lambda frame: frame, None, None),
        "columns": (lambda frame: frame.select("time", "source"), ["source", "time"], None),
        "count": (lambda frame: frame.select(pl.len()), ["stream"], None),
        "token": (lambda frame: frame.filter(is_token), None, token),
        "literal first": (lambda frame: frame.filter(pl.lit(token) == pl.col("token")), None, token),
        "token and more": (lambda f: f.filter(is_late & is_token).select("time"), ["offset", "time", "token"], token),
        "token or more": (lambda frame: frame.filter(is_token | is_late), None, None),
        "another token": (lambda frame: frame.filter(pl.col("token") != token), None, None),
        "no such token": (lambda frame: frame.filter(pl.col("token") == b"x"), None, b"x"),
        "first rows": (lambda frame: frame.head(5).select("offset"), ["offset"], None),
        "token of the first rows": (lambda frame: frame.head(5).filter(is_token), None, None),
        "first rows of a token": (lambda frame: frame.filter(is_token).head(1), None, token),
        "no rows": (lambda frame: frame.head(0), None, None),
    }


@pytest.mark.parametrize("name", queries(b""))
def test_a_query_of_polars_has_its_rows_and_asks_for_no_more(name, asked, whole, token):
    query, columns, wanted = queries(token)[name]
    found = query(apnsift.scan(DUMP, batch_rows=7)).collect()
    assert found.equals(query(whole.lazy()).collect())
    assert asked in ([], [(columns, wanted)])
    assert asked or name == "no rows"


@pytest.mark.parametrize("condition, has_token", TABLES["conditions"])
def test_a_query_of_duckdb_has_its_rows_and_asks_for_no_more(condition, has_token, asked, whole, token):
    """It asks for no token where the text of the condition is not clear."""
    literal = "token = '" + "".join(f"\\x{byte:02x}" for byte in token) + "'::BLOB"
    sql = "SELECT time, \"offset\" FROM {} WHERE " + condition.format(token=literal) + " ORDER BY ALL"
    relation = apnsift.relation(DUMP)
    found = duckdb.sql(sql.format("relation")).fetchall()
    assert found == duckdb.sql(sql.format("whole")).fetchall()
    ((columns, wanted),) = asked
    assert wanted == (token if has_token else None)
    assert {"time", "offset"} <= set(columns) < set(whole.columns)


def test_a_source_can_be_queried_again():
    relation = apnsift.relation(DUMP)
    assert [relation.aggregate("count(*)").fetchall() for _ in range(2)] == [[(39,)], [(39,)]]
    feedback = apnsift.dataset(DUMP)
    assert feedback.to_table(columns=["time"]).num_rows == feedback.count_rows() == 39
    assert duckdb.connect().sql("SELECT count(*) FROM feedback").fetchall() == [(39,)]


def test_parameters_and_errors(token):
    of_token = apnsift.scan(DUMP, token=token)
    assert of_token.filter(pl.col("token") == b"other").collect().height == 0  # another token that a query names changes nothing
    assert of_token.collect().height == 2
    pushes = apnsift.scan("samples/pushes/node-tls1.2.pcap", records="pushes", keys="samples/pushes/node-tls1.2.keys")
    assert pushes.select(pl.len()).collect().item() == 24
    with pytest.raises(apnsift.UsageError, match="the value 'x' is invalid for '--records <KIND>'"):
        apnsift.scan(DUMP, records="x")
    with pytest.raises(apnsift.InputError, match="gone.bin: cannot be opened"):
        apnsift.scan([DUMP, "gone.bin"]).collect()
    with pytest.raises(duckdb.Error, match="gone.bin: cannot be opened"):
        apnsift.relation([DUMP, "gone.bin"]).fetchall()


@pytest.mark.parametrize("other", [pyarrow.dataset.field("stream") == 99, pyarrow.dataset.field("stream") >= 0])
def test_a_negated_filter_keeps_the_other_tokens(other, token):
    rows = apnsift.read(DUMP).read_all()
    chosen = ~(other & (pyarrow.dataset.field("token") == token))
    assert apnsift.dataset(DUMP).to_table(filter=chosen).num_rows == rows.filter(chosen).num_rows
