"""Inputs for queries of polars and DuckDB. A query says what it needs, and the command writes no other columns or tokens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import pyarrow as pa
import pyarrow.dataset

from apnsift._reading import Reader, read, schema, uninterrupted

if TYPE_CHECKING:
    import duckdb
    import polars
    from typing_extensions import ParamSpec

    P = ParamSpec("P")
    Result = TypeVar("Result")


def _takes(_: Callable[P, Reader]) -> Callable[[Callable[..., Result]], Callable[P, Result]]:
    """For type checkers: the parameters of a function are those of another."""
    return lambda function: function


@_takes(read)
def scan(*arguments: Any, **parameters: Any) -> polars.LazyFrame:
    """The records as a lazy frame of polars, whose parameters are those of `read`.

    >>> import apnsift, polars
    >>> apnsift.scan("samples/lost-byte.bin").filter(polars.col("time").dt.year() == 2017).select("token").collect().height
    10

    Each `collect` runs the command, for the columns, the rows (`head`) and the token (``polars.col("token") == token``) that
    the query needs.
    """
    from polars import DataFrame
    from polars.io.plugins import register_io_source

    source = _Source(*arguments, **parameters)
    empty = DataFrame(source.schema.empty_table())
    return register_io_source(lambda *needs: uninterrupted(source.frames(*needs)), schema=empty.schema)


@_takes(read)
def relation(*arguments: Any, **parameters: Any) -> duckdb.DuckDBPyRelation:
    """The records as a relation of DuckDB's default connection, whose parameters are those of `read`.

    >>> import apnsift
    >>> apnsift.relation("samples/lost-byte.bin").filter("year(time) = 2017").aggregate("count(*)").fetchall()
    [(10,)]

    Each query runs the command, for the columns and the token (``token = ...``) that it needs. For another connection, give
    `dataset` to its `from_arrow`.
    """
    import duckdb

    return duckdb.from_arrow(dataset(*arguments, **parameters))


@_takes(read)
def dataset(*arguments: Any, **parameters: Any) -> pyarrow.dataset.Dataset:
    """The records as a dataset of Arrow that can be scanned several times, whose parameters are those of `read`.

    >>> import apnsift, duckdb
    >>> feedback = apnsift.dataset("samples/lost-byte.bin")
    >>> duckdb.connect().sql("SELECT count(*), count(DISTINCT token) FROM feedback").fetchall()
    [(39, 37)]
    """
    return _Dataset(_Source(*arguments, **parameters))


class _Source:
    """What is read, again for each query."""

    def __init__(self, paths: Any = (), **parameters: Any) -> None:
        self._paths = paths if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
        self._parameters = parameters
        not_of_rows = {"batch_rows", "jobs", "partial", "progress"}
        self.schema = schema(**{name: value for name, value in parameters.items() if name not in not_of_rows})

    def read(self, needed: set[str] | None, token: bytes | None, batch_rows: int | None = None) -> Reader:
        given = dict(self._parameters)
        if needed is not None:  # of no columns, a batch would have no rows
            given["columns"] = [name for name in self.schema.names if name in needed] or self.schema.names[:1]
        # No record has an empty token, and the command takes none: the library's own filter will do.
        for name, value in (("token", token or None), ("batch_rows", batch_rows)):
            if given.get(name) is None:
                given[name] = value
        return read(self._paths, **given)

    def frames(
        self, columns: list[str] | None, predicate: polars.Expr | None, rows: int | None, batch_rows: int | None
    ) -> Iterator[polars.DataFrame]:
        """The source of a lazy frame. `rows` are counted before the predicate."""
        from polars import DataFrame

        roots = [] if predicate is None else predicate.meta.root_names()
        token = None if predicate is None or rows is not None else _token(predicate)
        with self.read(None if columns is None else {*columns, *roots}, token, batch_rows) as reader:
            for batch in reader:
                frame = DataFrame(batch)
                if rows is not None:
                    frame = frame.head(rows)
                    rows -= frame.height
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if columns is None else frame.select(columns)
                if rows == 0:
                    return


def _token(predicate: polars.Expr) -> bytes | None:
    """The token that a row must have for the predicate to be true; None if it does not say so."""
    import polars

    parts = predicate.meta.pop()
    for left, right in [parts, parts[::-1]] if len(parts) == 2 else []:
        if predicate.meta.eq(left & right):
            return _token(left) or _token(right)
        if predicate.meta.eq(left == right) and any(part.meta.eq(polars.col("token")) for part in parts):
            values = [polars.select(part).item() for part in parts if part.meta.is_literal()]
            return next((value for value in values if isinstance(value, bytes)), None)
    return None


# A comparison in the text of an expression of Arrow, which can be taken apart in no other way.
_COMPARISON = re.compile(r'(\w+) ([=!<>]+) ("[^"\\]*"|[-\w.:]+( [\w.:]+)?)')


class _Dataset(pyarrow.dataset.Dataset):
    def __init__(self, source: _Source) -> None:
        self._source = source

    @property
    def schema(self) -> pa.Schema:
        return self._source.schema

    def scanner(  # type: ignore[override]
        self, columns: list[str] | None = None, filter: pyarrow.dataset.Expression | None = None, **_: Any
    ) -> pyarrow.dataset.Scanner:
        """A scan of these columns; other arguments are advice for files."""
        text = "" if filter is None else str(filter)
        needed = None if columns is None else {*columns, *re.findall(r"\w+", text)}
        reader = self._source.read(needed, _token_of_text(text))
        batches = reader.streamed()
        return pyarrow.dataset.Scanner.from_batches(batches, schema=reader.schema, columns=columns, filter=filter)


def _token_of_text(text: str) -> bytes | None:
    """The token that a row must have for the filter to be true: of a text that is nothing but comparisons joined by `and`."""
    if re.search(r"\w\(", text):  # a function, such as `invert`
        return None
    comparisons = [_COMPARISON.fullmatch(part) for part in re.sub(r"[()]", "", text).split(" and ")]
    tokens = [found[3] for found in comparisons if found and (found[1], found[2]) == ("token", "==")]
    return bytes.fromhex(tokens[0].strip('"')) if all(comparisons) and tokens else None
