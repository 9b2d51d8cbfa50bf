"""Filters of Spark, applied to batches before they leave the worker. Spark applies all of them again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import datasource as spark

# Of records without a token, the command has no option --token.
WITH_TOKEN = {"feedback", "requests", "responses", "resend", "pushes", "resend-pushes"}

_COMPARISONS: dict[type[spark.Filter], Callable[[Any, Any], Any]] = {
    spark.EqualTo: operator.eq,
    spark.GreaterThan: operator.gt,
    spark.GreaterThanOrEqual: operator.ge,
    spark.LessThan: operator.lt,
    spark.LessThanOrEqual: operator.le,
}


def token(filters: Sequence[spark.Filter], records: str) -> bytes | None:
    """The only token that the filters let through, if they name one: the command then finds its records alone."""
    if records not in WITH_TOKEN:
        return None
    for filter in filters:
        if isinstance(filter, spark.EqualTo) and filter.attribute == ("token",) and filter.value:
            return bytes(filter.value)
    return None


def expression(filters: Sequence[spark.Filter], schema: pa.Schema) -> Any:
    """One expression of all filters that Arrow can apply; None if there are none."""
    found = [one for filter in filters if (one := _expression(filter, schema)) is not None]
    if not found:
        return None
    whole = found[0]
    for one in found[1:]:
        whole = whole & one
    return whole


def _expression(filter: spark.Filter, schema: pa.Schema) -> Any:
    attribute: tuple[str, ...] = getattr(filter, "attribute", ())
    if len(attribute) != 1 or attribute[0] not in schema.names:
        return None
    field = pc.field(attribute[0])
    kind = schema.field(attribute[0]).type
    if isinstance(filter, spark.IsNotNull):
        return field.is_valid()
    if isinstance(filter, spark.IsNull):
        return field.is_null()
    try:
        if isinstance(filter, spark.In):
            return field.isin(pa.array(list(filter.value), kind))
        compare = _COMPARISONS.get(type(filter))
        return compare(field, pa.scalar(filter.value, kind)) if compare else None  # type: ignore[attr-defined]
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return None  # a value that the type does not have: left to Spark
