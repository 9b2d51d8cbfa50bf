"""apnsift as a data source of Spark 4.

>>> from apnsift.spark import ApnsiftDataSource, latest_feedback
>>> spark.dataSource.register(ApnsiftDataSource)  # doctest: +SKIP
>>> records = spark.read.format("apnsift").option("columns", "time,token,flags").load("/data/dumps")  # doctest: +SKIP
>>> latest_feedback(records).write.parquet("/data/invalid")  # doctest: +SKIP

Needs pyspark 4.2 or later, and this package with the command on the driver and on every worker.
"""

from apnsift.spark._replay import latest_feedback, replay
from apnsift.spark._source import ApnsiftDataSource

__all__ = ["ApnsiftDataSource", "latest_feedback", "replay"]
