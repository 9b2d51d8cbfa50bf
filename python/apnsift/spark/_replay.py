"""The replay rule (docs/stores.md#the-rule) over DataFrames, for one app and environment. It changes no store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Flags that make the token of a push or its time doubtful (docs/spec/pushes.md); of feedback, every flag does.
_DOUBTFUL = ["malformed-json", "status-inferred", "token-not-hex", "uncorrelated", "unexpected-token-length"]
# Topics of other tokens than those of devices (docs/spec/pushes.md#topics), and the push types of devices, in letters.
_OTHER_TOPICS = (
    r"^(pass|com\.apple\.mgmt)\..|.\.(voip|voip-ptt|complication|pushkit\.fileprovider|location-query|push-type\.[^.]+)$"
)
_DEVICE_TYPES = ["", "alert", "background"]
_SERVICE_START = 1_245_196_800  # 2009-06-17T00:00:00Z


def latest_feedback(records: DataFrame, *, include_flagged: bool = False) -> DataFrame:
    """For each token, when it became invalid at the latest: columns token and time.

    `records` are records of the kinds feedback (with time, token and flags) or pushes (with status and timestamp, too, and topic
    and push_type if they are known: those of devices with status 410 count). Flagged records do not count, unless
    `include_flagged`.

    >>> latest_feedback(spark.read.format("apnsift").load("/data/dumps"))  # doctest: +SKIP
    DataFrame[token: binary, time: timestamp]
    """
    counted = _reported(records, include_flagged).where("counts")
    return counted.groupBy("token").agg(F.max("time").alias("time"))


def replay(records: DataFrame, store: DataFrame, *, include_flagged: bool = False, known_only: bool = False) -> DataFrame:
    """What `apnsift replay` would do: for each token its outcome, and its row of the store afterwards.

    `store` has the columns token, registered_at and invalidated_at (timestamps), of one app and environment. The result has
    token, outcome (rejected, unknown, inserted, kept, unchanged, updated or invalidated), registered_at, invalidated_at.

    >>> replay(records, store).where("outcome = 'invalidated'").select("token")  # doctest: +SKIP
    """
    latest = F.max(F.when(F.col("counts"), F.col("time"))).alias("reported_at")
    reported = _reported(records, include_flagged).groupBy("token").agg(latest)
    rows = store.groupBy("token").agg(
        F.max("registered_at").alias("registered_at"),
        # Several rows of one token are live if one is.
        F.when(F.count("invalidated_at") == F.count("*"), F.max("invalidated_at")).alias("invalidated_at"),
        F.lit(True).alias("known"),
    )
    joined = reported.join(rows, "token", "left").withColumn("known", F.coalesce("known", F.lit(False)))
    reported_at, invalidated_at = F.unix_millis(F.col("reported_at")), _last_millisecond("invalidated_at")
    outcome = (
        F.when(F.col("reported_at").isNull(), "rejected")
        .when(~F.col("known") & F.lit(known_only), "unknown")
        .when(~F.col("known"), "inserted")
        .when(_last_millisecond("registered_at") >= reported_at, "kept")
        .when(F.col("invalidated_at").isNull(), "invalidated")
        .when(invalidated_at >= reported_at, "unchanged")
        .otherwise("updated")
    )
    changed = F.col("outcome").isin("inserted", "updated", "invalidated")
    # Whole seconds, as in device_tokens.
    time = F.when(changed, F.date_trunc("second", "reported_at")).otherwise(F.col("invalidated_at")).alias("invalidated_at")
    return joined.withColumn("outcome", outcome).select("token", "outcome", "registered_at", time)


def _reported(records: DataFrame, include_flagged: bool) -> DataFrame:
    """Token, time, and whether the record counts."""
    if "status" not in records.columns:
        counts = F.lit(include_flagged) | (F.size("flags") == 0)
        return records.select("token", "time", counts.alias("counts"))
    doubtful = F.arrays_overlap("flags", F.array(*map(F.lit, _DOUBTFUL)))
    implausible = (F.col("timestamp") < _SERVICE_START) | (F.col("time") > F.current_timestamp())
    counts = F.lit(include_flagged) | ~(doubtful | implausible)
    gone = (F.col("status") == 410) & F.col("token").isNotNull() & F.col("timestamp").between(0, 2**32 - 1)
    # A push without topic and push type is for a device, as in the command.
    topic, push_type = (F.col(name) if name in records.columns else F.lit(None).cast("string") for name in ("topic", "push_type"))
    is_other = F.coalesce(topic.rlike(_OTHER_TOPICS), F.lit(False))
    push_type = F.regexp_replace(F.lower(F.coalesce(push_type, F.lit(""))), "[^a-z]", "")
    return records.where(gone & ~is_other & push_type.isin(_DEVICE_TYPES)).select("token", "time", counts.alias("counts"))


def _last_millisecond(name: str) -> Column:
    """Of a time without a fraction, the last millisecond of its second: it may be any moment of that second."""
    whole = F.unix_micros(F.col(name)) % 1_000_000 == 0
    return F.when(whole, F.unix_millis(F.col(name)) + 999).otherwise(F.unix_millis(F.col(name)))
